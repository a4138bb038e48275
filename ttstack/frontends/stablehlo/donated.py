"""Donated arguments, whose memory results reuse, as with `donate_argnums` of `jax.jit`: state of the program."""

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.signature import read_complex_results, read_results, write_results
from ttstack.frontends.conversion.updates import write_updates
from ttstack.mlir import func, ir

_RESULT = "tf.aliasing_output"
"""The argument attribute with the number of the result that replaces it, as in XLA and JAX."""


def donated_arguments(function: func.FuncOp) -> dict[int, int]:
    """Return the donated argument of each result, by number.

    Raises:
        InvalidIRError: the result does not exist, has another type, or replaces several arguments.
    """
    if "arg_attrs" not in function.attributes:
        return {}
    found = dict[int, int]()
    taken, given = function.type.inputs, function.type.results
    for i, entry in enumerate(ir.ArrayAttr(function.attributes["arg_attrs"])):
        attributes = ir.DictAttr(entry)
        if _RESULT not in attributes:
            continue
        number = attributes[_RESULT]
        at = number.value if isinstance(number, ir.IntegerAttr) else -1
        if not 0 <= at < len(given) or at in found or given[at] != taken[i]:
            raise InvalidIRError(
                f"'{_RESULT}' of argument {i} is {number}, which is not a result of {taken[i]} of its own",
                hint="export the function again, or leave the attribute out",
            )
        found[at] = i
    return found


def write_to_donors(function: func.FuncOp, donated: dict[int, int]) -> None:
    """Write such results to the arguments; others stay results."""
    *_, last = function.regions[0].blocks[0].operations
    arguments, names = function.arguments, read_results(function, len(last.operands))
    pairs = read_complex_results(function, len(last.operands))
    write_updates(function, [arguments[donated[i]] if i in donated else None for i in range(len(names))])
    kept = [
        (name, is_complex) for i, (name, is_complex) in enumerate(zip(names, pairs, strict=True)) if i not in donated
    ]
    write_results(function, [name for name, _ in kept], {name for name, is_complex in kept if is_complex})
