"""Rows of elementwise ops, attention and moves as placed ops."""

import re

from inexpressible import InexpressibleError
from layouts import dtype_of, layout_of, parse_grid
from rows import Row

from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.device_op import DeviceOp, Fidelity, Spread
from ttstack.program.layout import Grid, Layout, MemorySpace
from ttstack.system_desc import ChipDesc


def unary_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A unary elementwise op over all cores, its result where the operand lies."""
    name = row.op.split(":", 1)[1].split(" ")[0].lower()
    if "proposed" in row.op:
        raise InexpressibleError("a kernel that is no longer, or not yet, in use")
    if name not in OPS:
        raise InexpressibleError(f"there is no op {name!r}")
    dtype = dtype_of(row.dtypes[0])
    operand = TensorType(tuple(int(d) for d in row.shape.split("x")), dtype)
    layout = layout_of(row.memory_layout.split(",")[0], dtype)
    result = layout.interleaved(MemorySpace.DRAM) if "not recorded" in row.memory_layout else layout
    return DeviceOp(OPS[name].on([operand], {}), (layout,), (result,), Grid(*chip.grid))


def attention_row(row: Row, _: ChipDesc) -> DeviceOp:
    """Causal flash attention from and to DRAM."""
    b, h, s, d = row.numbers()[:4]
    dtype = dtype_of(row.dtypes[0])
    tensor = TensorType((b, h, s, d), dtype)
    op = OPS["scaled_dot_product_attention"].on([tensor] * 3, {"is_causal": "causal" in row.op})
    layout = Layout(dtype)
    return DeviceOp(op, (layout,) * 3, (layout,), parse_grid(row.grid), fidelity=Fidelity.HIFI2)


def move_row(row: Row, _: ChipDesc) -> DeviceOp:
    """A change of layout: the matrix is the squarest one with as many pages as were moved."""
    ends = re.fullmatch(r"(DRAM|\d+x\d+_[A-Z]+)_TO_(\d+x\d+_[A-Z]+)", row.shape)
    moved = re.search(r"(\d+) bytes in \d+ transfers, packet sizes \{(\d+):", row.notes)
    if ends is None or moved is None:
        raise InexpressibleError(f"cannot read source and destination from {row.shape!r}")
    pages, size = int(moved[1]) // int(moved[2]), int(moved[2])
    dtype = DType.BF16 if size == DType.BF16.tile_bytes else DType.F32
    grid = parse_grid(ends[2])
    source = _end(ends[1], dtype)
    height = max(grid.cores, source.grid.cores if source.grid else 1)
    tensor = TensorType((height * 32, max(pages // height, 1) * 32), dtype)
    op = OPS["to_layout"].on([tensor], {}, tensor)
    return DeviceOp(op, (source,), (_end(ends[2], dtype),), grid, Spread.FLAT)


def _end(text: str, dtype: DType) -> Layout:
    if text == "DRAM":
        return Layout(dtype, memory_space=MemorySpace.DRAM)
    return layout_of(f"L1 {text}", dtype, parse_grid(text))
