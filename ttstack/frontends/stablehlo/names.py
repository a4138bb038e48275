"""Names of a function's arguments and results, and kinds of arguments, from frontends.

JAX names nested structures, which become dotted names; PyTorch/XLA calls `tt.mark_argument` on arguments.
"""

import re
from collections.abc import Sequence

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import NAME, read_arguments, read_kind, read_string
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import CUSTOM_CALL
from ttstack.mlir import func, ir
from ttstack.program.records import TensorKind

_MARK, _OPTIONS = "tt.mark_argument", "mhlo.frontend_attributes"
_PART = re.compile(r"[^\[\]'\".]+")


def argument_names(function: func.FuncOp) -> list[str]:
    """Return names from the attributes, a mark, or the location, or `arg0`, `arg1`, ..."""
    block, marks = function.regions[0].blocks[0], _marks(function)
    given = _given(function, "arg_attrs", len(block.arguments))
    named = [
        said or _said(marks.get(a)) or _dotted(_name_of(a.location))
        for said, a in zip(given, block.arguments, strict=True)
    ]
    return _unique([name or f"arg{i}" for i, name in enumerate(named)])


def argument_kinds(function: func.FuncOp) -> list[TensorKind]:
    """Return kinds from a mark or the attributes; by default inputs."""
    block, marks = function.regions[0].blocks[0], _marks(function)
    said = [signature.kind for signature in read_arguments(function)]
    return [read_kind(marks[a]) if a in marks else kind for a, kind in zip(block.arguments, said, strict=True)]


def _marks(function: func.FuncOp) -> dict[ir.Value, ir.DictAttr]:
    """Return the attributes of `tt.mark_argument` calls by argument, through reshapes."""
    found: dict[ir.Value, ir.DictAttr] = {}
    for op in (op.operation for op in function.regions[0].blocks[0].operations):
        marks = op.name == CUSTOM_CALL and ir.StringAttr(op.attributes["call_target_name"]).value == _MARK
        options = op.attributes.get(_OPTIONS)
        if not marks or not isinstance(options, ir.DictAttr) or not len(op.operands):
            continue
        value = op.operands[0]
        while (shaped := defining_op(value, "stablehlo.reshape")) is not None:
            value = shaped.operands[0]
        if isinstance(value.owner, ir.Block):
            found[value] = options
    return found


def result_names(function: func.FuncOp, count: int) -> list[str]:
    """Return names from the attributes, or JAX's result info, or `output.0`, `output.1`, ..."""
    given = _given(function, "res_attrs", count)
    default = ["output"] if count == 1 else [f"output.{i}" for i in range(count)]
    return _unique([name or d for name, d in zip(given, default, strict=True)])


def _given(function: func.FuncOp, key: str, count: int) -> list[str]:
    if key not in function.attributes:
        return [""] * count
    return [_said(ir.DictAttr(a)) for a in ir.ArrayAttr(function.attributes[key])]


def _said(attributes: ir.DictAttr | None) -> str:
    if name := read_string(attributes, NAME):
        return name
    path = _dotted(read_string(attributes, "jax.result_info"))
    return "output" + path[6:] if path == "result" or path.startswith("result.") else path


def _dotted(path: str) -> str:
    """Convert `params['w'][0]` to `params.w.0`."""
    return ".".join(_PART.findall(path))


def _name_of(location: ir.Location) -> str:
    return "" if not isinstance(location, ir.NameLoc) else read_location(location).partition(" (")[0]


def _unique(names: Sequence[str]) -> list[str]:
    """Append a number to names that occurred before."""
    found: list[str] = []
    for name in names:
        number, fresh = 1, name
        while fresh in found:
            fresh, number = f"{name}.{number}", number + 1
        found.append(fresh)
    return found
