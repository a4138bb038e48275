"""Print the signatures of the views of `ttir` ops, from the ops' definitions: `views.pyi`."""

from collections.abc import Iterator
from typing import get_type_hints

from ttir_builders import classes, spelled

from ttstack.ops import OPS
from ttstack.ops.base import Op
from ttstack.ops.fields import Arity

HEAD = '''"""Signatures of the views of `ttir` ops; written by `make types`."""

from typing import Any, ClassVar, Self

from ttstack.mlir import ir
from ttstack.ops.base import Op
{imports}

class View:
    definition: ClassVar[type[Op]]
    op_name: ClassVar[str]
    operation: ir.Operation
    def __init__(self, operation: ir.Operation) -> None: ...
    @classmethod
    def of(cls, value: ir.Value | None) -> Self | None: ...
    @property
    def results(self) -> tuple[ir.Value, ...]: ...
    @property
    def first_result(self) -> ir.Value: ...
    @property
    def result_type(self) -> TensorType: ...
    @property
    def either_order(self) -> tuple[tuple[ir.Value, ir.Value], tuple[ir.Value, ir.Value]]: ...
    @property
    def described(self) -> Any: ...
    @property
    def is_read_once(self) -> bool: ...
    @property
    def attributes(self) -> dict[str, Any]: ...
'''
VALUES = {Arity.ONE: "ir.Value", Arity.OPTIONAL: "ir.Value | None", Arity.VARIADIC: "ir.Value"}


def main() -> None:
    """Write the whole file to the standard output."""
    types = {t for spec in OPS.values() for hint in get_type_hints(spec).values() for t in classes(hint)}
    imports = sorted(f"from {t.__module__} import {t.__name__}" for t in types if t.__module__.startswith("ttstack"))
    print(HEAD.format(imports="\n".join(imports)))
    for spec in OPS.values():
        print(f"class {spec.__name__}(View):", *fields(spec), sep="\n    ")


def fields(spec: type[Op]) -> Iterator[str]:
    """Operands and attributes."""
    yield f'"""{(spec.__doc__ or spec.mnemonic).splitlines()[0]}"""'.replace("\\", "\\\\")
    for name, arity in spec.operand_specs().items():
        yield f"{name}: {VALUES[arity]}"
    hints = get_type_hints(spec)
    for name in spec.attribute_specs():
        yield f"{name}: {spelled(hints[name])}"


if __name__ == "__main__":
    main()
