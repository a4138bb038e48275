"""Selection of the functions of a module that are programs: all public ones, or the user's choice."""

from ttstack.diagnostics import SourceError
from ttstack.dialects.functions import all_functions
from ttstack.dialects.signature import is_public, set_public
from ttstack.mlir import PassManager, ir
from ttstack.program.named_functions import HOW_TO_NAME
from ttstack.support.suggestion import did_you_mean

_DROP_UNUSED = "builtin.module(symbol-dce)"


def choose_function(module: ir.Module, name: str | None) -> None:
    """Make `name` the only public function, and drop those that it does not call; do nothing for None.

    Raises:
        SourceError: the function does not exist or has no body; or there is no name, and all functions are private.
    """
    functions = {f.name.value: f for f in all_functions(module) if f.regions[0].blocks}
    if name is None:
        if functions and not any(map(is_public, functions.values())):
            raise SourceError(
                f"all functions of the module are private: {', '.join(functions)}",
                hint="name the one to compile: --function NAME, or function= in Python",
            )
        return
    if name not in functions:
        listed = f"the module has {', '.join(functions) or 'no function with a body'}"
        raise SourceError(f"there is no function '{name}'; {listed}", hint=did_you_mean(name, functions) or HOW_TO_NAME)
    for other, function in functions.items():
        set_public(function, other == name)
    PassManager.parse(_DROP_UNUSED).run(module.operation)
