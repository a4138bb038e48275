"""Custom calls and composites named after an op: operands by position, attributes by name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import cast
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.options import read_option
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import TensorType


@dataclass(frozen=True)
class Named:
    """The signature of a call: `places` are the op's operands in the call's order, with `?` after optional ones.

    The options `has_NAME` state which are present; otherwise the first ones are. `defaults` are for options without a
    default of the op, or with another one.
    """

    mnemonic: str
    places: str
    defaults: Mapping[str, Any]

    def convert(self, call: StablehloOp) -> list[ir.Value]:
        """Return the results of the op."""
        return fit_results(call, self.build(call, self.operands(call)).results)

    def operands(self, call: StablehloOp) -> dict[str, ir.Value]:
        """Return the operands by name; raise `UnsupportedOpError` if they do not match."""
        names = [name for name, there in self._present(call) if there]
        if len(names) != len(call.operands):
            call.refuse(f"has {len(call.operands)} operands, expected {', '.join(names)}", "export the model again")
        return {name: call.tensor(i) for i, name in enumerate(names)}

    def attributes(self, call: StablehloOp) -> dict[str, Any]:
        """Return the op's attributes from the options; raise `ValueError` for invalid ones."""
        specs = OPS[self.mnemonic].attribute_specs()
        said = {n: read_option(n, a.spelling, call.options[n]) for n, a in specs.items() if n in call.options}
        return dict(self.defaults) | said

    def build(self, call: StablehloOp, operands: Mapping[str, ir.Value], **attributes: Any) -> ir.Operation:
        """Build the op on operands by name; `attributes` add to the options or override them."""
        spec = OPS[self.mnemonic]
        given = [operands.get(name) for name in spec.operand_specs()]
        types = [t for t in call.results if t is not None] if spec.result_fields() else []
        return create("ttir", self.mnemonic, given, self.attributes(call) | attributes, results=types)

    def _present(self, call: StablehloOp) -> Iterator[tuple[str, bool]]:
        """Yield every operand of the signature, and whether it is present."""
        words = self.places.split()
        flags = {name: name.removesuffix("?") for name in words if name.endswith("?")}
        said = {n: call.says(f"has_{n}") for n in flags.values()}
        spare = len(call.operands) - (len(words) - len(flags))
        for word in words:
            name = word.removesuffix("?")
            if word not in flags:
                yield name, True
            elif any(value is not None for value in said.values()):
                yield name, bool(said[name])
            else:
                yield name, spare > 0
                spare -= 1


def register_op(table: StablehloConversionTable, target: str, mnemonic: str, places: str, **defaults: Any) -> Named:
    """Register the op for calls of `target`, and return its signature.

    Raises:
        ValueError: the op has no operand or attribute of such a name.
    """
    known = {*OPS[mnemonic].operand_specs(), *OPS[mnemonic].attribute_specs()}
    for name in (*places.replace("?", "").split(), *defaults):
        if name not in known:
            raise ValueError(f"{target}: '{mnemonic}' has no '{name}', it has {', '.join(known)}")
    found = Named(mnemonic, places, defaults)
    table.add([target], [mnemonic], found.convert)
    return found


def fit_results(call: StablehloOp, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Return the values in the declared element types; raise `UnsupportedOpError` if shapes differ."""
    if len(values) != len(call.results):
        call.refuse(f"gives {len(call.results)} results, expected {len(values)}")
    return [value if t is None else _fit(call, value, t) for value, t in zip(values, call.results, strict=True)]


def _fit(call: StablehloOp, value: ir.Value, wanted: TensorType) -> ir.Value:
    got = read_type(value.type)
    if got.shape != wanted.shape:
        call.refuse(f"gives {wanted}, expected {got}")
    return cast(value, wanted.dtype)
