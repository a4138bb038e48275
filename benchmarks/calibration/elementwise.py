"""Rows of ops whose results lie like their operands: elementwise, norms, softmax, reductions, attention."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from inexpressible import InexpressibleError
from layouts import dtype_of, fidelity_of, grid_of, layout_of
from rows import Row
from shapes import named, pick, tensors

from ttstack.cost import cheapest_matmul
from ttstack.ops import OPS
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.program.block_config import block_config
from ttstack.program.device_op import SPREADS, DeviceOp, Fidelity, Spread
from ttstack.program.layout import Grid, Layout, MemorySpace
from ttstack.system_desc import ChipDesc

_SPELLINGS = {
    "mul": "multiply",
    "sub": "subtract",
    "recip": "reciprocal",
    "bias_gelu": "gelu",
    "pow": "pow",
    "logsigmoid": "log",
    "max": "maximum",
    "min": "minimum",
}
_BINARY = ("add", "multiply", "subtract", "maximum", "minimum", "div", "pow")


def like(
    row: Row, name: str, operands: Sequence[TensorType | None], attributes: dict[str, Any], chip: ChipDesc
) -> DeviceOp:
    """The op on tensors that all lie as the row says, over the cores that it names."""
    op = OPS[name].on(operands, attributes)
    grid = grid_of(row.grid, chip)
    text = re.split(r"[,;]", row.memory_layout)[0]
    first = op.operands[0]
    layouts = tuple(_layout(text if t.rank == first.rank else "DRAM", t, grid) for t in op.operands)
    results = tuple(_layout(text, t, grid) for t in op.results)
    spreads = {SPREADS[layouts[0].memory_layout], Spread.FLAT} if layouts[0].sharded else {Spread.FLAT}
    fidelity = fidelity_of(row.fidelity, layouts[0].dtype)
    bases = [DeviceOp(op, layouts, results, grid, spread, fidelity) for spread in sorted(spreads)]
    base = min(bases, key=lambda placed: placed.core_units)
    config = block_config(base, chip, chip.l1_usable_bytes)
    if config is None:
        raise InexpressibleError("no blocks fit L1")
    return replace(base, config=config)


def _layout(text: str, t: TensorType, grid: Grid) -> Layout:
    dtype = t.dtype if isinstance(t.dtype, DType) else DType.BF16
    return layout_of(text, dtype, grid)


def unary_row(row: Row, chip: ChipDesc) -> list[DeviceOp]:
    """A unary op over all cores, its result where the operand lies, or in either memory if that is not recorded."""
    if "proposed" in row.op:
        raise InexpressibleError("a kernel that is no longer, or not yet, in use")
    name = function_of(row)
    placed = like(row, name, tensors(row)[:1], {}, chip)
    if "not recorded" not in row.memory_layout:
        return [placed]
    (layout,) = placed.operands
    spaces = (MemorySpace.DRAM, MemorySpace.L1)
    cases = [replace(placed, results=(layout.interleaved(space),)) for space in spaces]
    return [case for case in cases if _fits(case, chip)] or cases[:1]


def _fits(device_op: DeviceOp, chip: ChipDesc) -> bool:
    held = sum(x.nbytes(t) for t, x in zip(device_op.types(), device_op.layouts(), strict=True) if x.in_l1)
    return held <= chip.num_cores * chip.l1_usable_bytes


def function_of(row: Row) -> str:
    """The elementwise function that an op or its notes name."""
    words = re.findall(r"[a-z0-9_]+", f"{row.op.split(':', 1)[-1]} {row.notes}".lower())
    for word in words:
        name = _SPELLINGS.get(word, word)
        if name in OPS and OPS[name].family == "eltwise":
            return name
    raise InexpressibleError(f"no elementwise function is named by {row.op!r}")


def binary_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A binary op; of one shape where the row gives one."""
    words = re.findall(r"[a-z]+", f"{row.op} {row.notes}".lower())
    name = next((n for w in words if (n := _SPELLINGS.get(w, w)) in _BINARY), "add")
    operands = tensors(row)
    second = dtype_of(row.dtypes[1] or row.dtypes[0])
    pair = operands[:2] if len(operands) > 1 else [operands[0], TensorType(operands[0].shape, second)]
    return like(row, name, pair, {}, chip)


def _rows_apart(row: Row, chip: ChipDesc) -> tuple[Row, TensorType]:
    """The tensor with the parts of a row that cores hold as rows of their own: the exchange of sums is left out.

    tt-metal divides rows over the cores of a width- or block-sharded tensor, which ops of ours do not.
    """
    x, words = tensors(row)[0], row.memory_layout.lower()
    grid = grid_of(row.grid, chip)
    parts = grid.cores if "width" in words else grid.cols if "block" in words else 1
    if parts == 1 or x.shape[-1] % (parts * TILE):
        return row, x
    apart = TensorType((x.size // x.shape[-1] * parts, x.shape[-1] // parts), x.dtype)
    return replace(row, memory_layout="L1 height-sharded"), apart


def norm_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A layer norm, or an RMS norm, over the last dimension, with its weight."""
    row, x = _rows_apart(row, chip)
    rms = "rms" in f"{row.op} {row.notes}".lower()
    weights = [TensorType(x.shape[-1:], DType.BF16)] * (1 if rms else 2)
    return like(row, "rms_norm" if rms else "layer_norm", [x, *weights], {"normalized_shape": x.shape[-1:]}, chip)


def softmax_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A softmax over the last dimension."""
    row, x = _rows_apart(row, chip)
    return like(row, "softmax", [x], {"dimension": x.rank - 1}, chip)


def reduce_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A sum, mean or maximum over the last dimension, or over the one that the row names."""
    x, words = tensors(row)[0], f"{row.op} {row.notes}".lower()
    name = next((n for n in ("max", "mean", "sum") if n in words), "sum")
    along = x.rank - 2 if re.search(r"dim[ =-]*-2|\bh\b", words) else x.rank - 1
    return like(row, name, [x], {"keep_dim": True, "dim_arg": (along,)}, chip)


def attention_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Flash attention over whole sequences; causal unless the row says otherwise."""
    sizes, listed = named(row.shape), tensors(row) if not named(row.shape).get("s") else []
    dtype = dtype_of(row.dtypes[0])
    if listed and listed[0].rank == 4:
        query, key = listed[0], listed[min(1, len(listed) - 1)]
    else:
        b, s, d = (pick(sizes, names) for names in (("b", "batch"), ("s", "seq", "sq"), ("d", "dh", "head_dim")))
        h = pick(sizes, ("h", "nh", "heads", "nqh"))
        query = TensorType((b, h, s, d), dtype)
        key = TensorType((b, pick(sizes, ("nkv", "kv", "nkvh", "hkv"), h), pick(sizes, ("sk",), s), d), dtype)
    causal = "non-causal" not in row.op.lower() and "noncausal" not in row.op.lower()
    placed = like(row, "scaled_dot_product_attention", [query, key, key], {"is_causal": causal}, chip)
    return placed if "fi" in row.fidelity.lower() else replace(placed, fidelity=Fidelity.HIFI2)


def decode_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """Attention of one new token of each user to a cache."""
    sizes = named(row.shape)
    b, s = pick(sizes, ("b", "batch", "users")), pick(sizes, ("s", "seq", "sk", "kv_len", "cache"))
    h, d = pick(sizes, ("nh", "h", "heads", "nqh"), 32), pick(sizes, ("d", "dh", "head_dim"), 128)
    kv = pick(sizes, ("nkv", "nkvh", "kv", "hkv"), 8 if h % 8 == 0 else 1)
    cached = dtype_of(row.dtypes[1] or row.dtypes[0])
    query = TensorType((1, b, h, d), DType.BF16)
    keys = TensorType((b, kv, s, d), cached)
    position = TensorType((b,), DType.SI32)
    return like(
        row, "scaled_dot_product_attention_decode", [query, keys, keys, None, position], {"is_causal": True}, chip
    )


def unfused_attention_row(row: Row, chip: ChipDesc) -> tuple[DeviceOp, ...]:
    """Attention as a sequence: scores, scaling, mask, softmax, product with the values."""
    flash = attention_row(row, chip)
    query, key, value = flash.op.operands
    scores = TensorType((*query.shape[:3], key.shape[2]), query.dtype)
    transposed = TensorType((*key.shape[:2], key.shape[3], key.shape[2]), key.dtype)
    return (
        like(row, "transpose", [key], {"dim0": 2, "dim1": 3}, chip),
        _product(row, query, transposed, chip),
        like(row, "multiply", [scores, TensorType((1, 1, 1, 1), scores.dtype)], {}, chip),
        like(row, "add", [scores, TensorType((1, 1, *scores.shape[2:]), scores.dtype)], {}, chip),
        like(row, "softmax", [scores], {"dimension": 3}, chip),
        _product(row, scores, value, chip),
    )


def _product(row: Row, a: TensorType, b: TensorType, chip: ChipDesc) -> DeviceOp:
    op, dram = OPS["matmul"].on([a, b], {}), Layout(dtype_of(row.dtypes[0]))
    found = cheapest_matmul(op, [dram, dram], dram, grid_of(row.grid, chip), chip, chip.l1_usable_bytes)
    if found is None:
        raise InexpressibleError("no blocks fit L1")
    return found


Maker = Callable[[Row, ChipDesc], DeviceOp | list[DeviceOp] | tuple[DeviceOp, ...]]
