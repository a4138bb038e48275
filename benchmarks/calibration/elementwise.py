"""Rows of elementwise ops, of one operand to three."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from inexpressible import InexpressibleError
from layouts import dtype_of
from names import operation
from placed import like
from rows import Row
from shapes import operands

from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.system_desc import ChipDesc

_SPELLINGS = {
    "mul": "multiply",
    "sub": "subtract",
    "rsub": "subtract",
    "divide": "div",
    "power": "pow",
    "recip": "reciprocal",
    "swish": "silu",
    "max": "maximum",
    "min": "minimum",
    "ltanh": "tanh",
    "relu_max": "clamp_scalar",
    "relu_min": "relu",
    "clip": "clamp_scalar",
    "clamp": "clamp_scalar",
    "hardtanh": "clamp_scalar",
    "identity": "typecast",
    "where_tts": "where",
    "where_tst": "where",
    "where_tss": "where",
}
"""Names of functions that are others here, or as long."""
_REDUCTIONS = ("max", "min")
"""Names that are reductions where no kind of op says otherwise."""
_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "clamp_scalar": {"min": 0.0, "max": 1.0},
    "leaky_relu": {"parameter": 0.01},
}
_GENERIC = {
    "unary": "",
    "unary_ng": "",
    "eltwise_unary": "",
    "binary": "add",
    "binary_ng": "add",
    "eltwise_binary": "add",
    "eltwise": "",
    "elementwise": "",
    "ternary": "where",
    "bcast": "add",
    "add_and_norm": "add",
}
"""Names of profilers for all functions, and the function where none is named."""


def names_function(row: Row) -> bool:
    """Whether the row is of an elementwise op."""
    return next(_functions(row), None) is not None


def _functions(row: Row) -> Iterator[str]:
    """The elementwise functions that op and notes name, the kind of op that stands for any last."""
    words = re.findall(r"[a-z0-9_]+", operation(row.op))
    generic = next((_GENERIC[word] for word in words if word in _GENERIC), None)
    if generic is None:
        words = [word for word in words if word not in _REDUCTIONS]
    else:
        words += re.findall(r"[a-z0-9_]+", row.notes.lower())
    for word in words:
        name = _SPELLINGS.get(word, word)
        if name in OPS and OPS[name].family == "eltwise":
            yield name
    if generic and ":" not in row.op:
        yield generic


def elementwise_row(row: Row, chip: ChipDesc) -> list[DeviceOp]:
    """An elementwise op over all cores, its result where the operand lies, or in either memory if that is not recorded.

    Operands that the row does not list are like the first.
    """
    found = list(_functions(row))
    if not found:
        raise InexpressibleError(f"no elementwise op of ours is {row.op!r}")
    name = found[0]
    given = _operands(row, len(OPS[name].operand_specs()))
    whole = max(given, key=lambda t: t.size)
    made = whole.with_dtype(_format(row.dtypes[2], whole))
    placed = _as_pages(like(row, name, given, _ATTRIBUTES.get(name, {}), chip, made))
    if "not recorded" not in row.memory_layout:
        return [placed]
    (layout,) = placed.operands
    spaces = (MemorySpace.DRAM, MemorySpace.L1)
    cases = [replace(placed, results=(layout.interleave(space),)) for space in spaces]
    return [case for case in cases if _fits(case, chip)] or cases[:1]


def _as_pages(device_op: DeviceOp) -> DeviceOp:
    """The op on shards in rows as the kernel takes them: elements in order, a tile's worth at a time."""
    layouts = device_op.layouts()
    if any(x.tiled or not (x.sharded and x.in_l1) for x in layouts):
        return device_op
    tiled = tuple(replace(x, tiled=True) for x in layouts)
    count = len(device_op.operands)
    return replace(device_op, operands=tiled[:count], results=tiled[count:])


def _operands(row: Row, count: int) -> list[TensorType]:
    """The operands that the row lists; others are numbers where it calls the first `in0`, else like the first."""
    listed = operands(row)[:count]
    whole = max(listed, key=lambda t: t.size)
    given = [t.with_shape(_unpadded(t.shape, whole.shape)) for t in listed]
    if not all(_broadcasts(t.shape, whole.shape) for t in given):
        raise InexpressibleError(f"shapes {', '.join(str(list(t.shape)) for t in given)} are not alike")
    formats = [*row.dtypes[1:2], *[""] * count]
    alike = (1,) * whole.rank if re.search(r"\bin0\b", row.shape) else whole.shape
    rest = [TensorType(alike, _format(name, whole)) for name in formats]
    return given + rest[: count - len(given)]


def _format(name: str, t: TensorType) -> DType:
    """The named format, or the tensor's."""
    return dtype_of(name) if name else t.dtype if isinstance(t.dtype, DType) else DType.BF16


def _unpadded(shape: tuple[int, ...], to: tuple[int, ...]) -> tuple[int, ...]:
    """Profilers of old give what is broadcast with its padding: a row as a row of tiles, a number as a tile."""
    if len(shape) != len(to):
        return shape
    return tuple(
        1 if a == TILE != b and i >= len(to) - 2 else a for i, (a, b) in enumerate(zip(shape, to, strict=True))
    )


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))


def _fits(device_op: DeviceOp, chip: ChipDesc) -> bool:
    held = sum(x.nbytes(t) for t, x in zip(device_op.types(), device_op.layouts(), strict=True) if x.in_l1)
    return held <= chip.num_cores * chip.l1_usable_bytes
