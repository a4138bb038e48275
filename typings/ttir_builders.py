"""Print the signatures of the builders of `ttir` ops, from the ops' definitions: `builders.pyi`."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from keyword import iskeyword
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ttstack.ops import OPS
from ttstack.ops.base import Op
from ttstack.ops.fields import Arity

HEAD = '''"""Signatures of the builders of `ttir` ops; written by `make types`."""

from collections.abc import Sequence
from typing import Any

from ttstack.mlir import ir
{imports}

class Builders:
    def build(
        self, mnemonic: str, /, *operands: ir.Value | None, result: TensorType | None = None, **attributes: Any
    ) -> ir.Value: ...
    def operation(
        self,
        mnemonic: str,
        /,
        *operands: ir.Value | None,
        result: TensorType | Sequence[TensorType] | None = None,
        **attributes: Any,
    ) -> ir.Operation: ...'''
OPERANDS = {
    Arity.ONE: "{name}: ir.Value",
    Arity.OPTIONAL: "{name}: ir.Value | None = None",
    Arity.VARIADIC: "*{name}: ir.Value | None",
}


def main() -> None:
    """Write the whole file to the standard output."""
    builders = [f"    def {name}({', '.join(('self', *parameters(s)))}) -> {result_hint(s)}: ..." for name, s in OPS.items() if not iskeyword(name)]
    types = {t for spec in OPS.values() for hint in get_type_hints(spec).values() for t in classes(hint)}
    imports = sorted(f"from {t.__module__} import {t.__name__}" for t in types if t.__module__.startswith("ttstack"))
    print(HEAD.format(imports="\n".join(imports)), *builders, "\nttir: Builders", sep="\n")


def parameters(spec: type[Op]) -> Iterator[str]:
    """Operands by position, then attributes by name; what follows an optional operand can be left out too."""
    places, optional = spec.operand_specs(), False
    for name, arity in places.items():
        optional |= arity is Arity.OPTIONAL
        yield OPERANDS[Arity.OPTIONAL if optional and arity is Arity.ONE else arity].format(name=name)
    if Arity.VARIADIC not in places.values() and (spec.attribute_specs() or spec.result_fields()):
        yield "*"
    hints = get_type_hints(spec)
    for name, attribute in spec.attribute_specs().items():
        default = "" if attribute.default is MISSING else f" = {attribute.default!r}"
        yield f"{name}: {spelled(hints[name])}{default}"
    if names := spec.result_fields():
        needed = all(f.default is MISSING for f in fields(spec) if f.name in names)  # pyright: ignore[reportArgumentType]
        kind = "Sequence[TensorType]" if spec.has_several_results() else "TensorType"
        yield f"result: {kind} | None" if needed else f"result: {kind} | None = None"


def result_hint(spec: type[Op]) -> str:
    """What a builder gives."""
    return "tuple[ir.Value, ...]" if spec.has_several_results() else "ir.Value"


def spelled(hint: Any) -> str:
    """A type as an annotation."""
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(map(spelled, get_args(hint)))
    if hint is NoneType:
        return "None"
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def classes(hint: Any) -> Iterator[type]:
    """The classes that an annotation names."""
    if isinstance(hint, type) and not get_args(hint):
        yield hint
    for inner in get_args(hint):
        yield from classes(inner)


if __name__ == "__main__":
    main()
