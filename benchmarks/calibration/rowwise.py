"""Rows of ops along rows: norms, softmax, reductions, scans, selections."""

import re
from dataclasses import replace
from typing import Any

from inexpressible import InexpressibleError
from layouts import dtype_of, grid_of
from placed import like
from rows import Row
from shapes import named, pick, tensors

from ttstack.device.device_op import DeviceOp
from ttstack.device.group_norm import mask_type
from ttstack.device.layout import MemorySpace
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.system_desc import ChipDesc


def norm_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A layer norm, or an RMS norm, over the last dimension, with its weight; a group norm of channels last."""
    words = f"{row.op} {row.notes}".lower()
    if re.search(r"group_?norm", words):
        return _group_norm(row, chip)
    if re.search(r"batch_?norm", words):
        x = tensors(row)[0]
        each = [TensorType((x.shape[1],), x.dtype)] * 4
        return like(row, "batch_norm_inference", [x, *each], {"epsilon": 1e-5, "dimension": 1}, chip)
    x = tensors(row)[0]
    rms = "rms" in words
    weights = [TensorType(x.shape[-1:], dtype_of(row.dtypes[1] or DType.BF16))] * (1 if rms else 2)
    placed = like(row, "rms_norm" if rms else "layer_norm", [x, *weights], {"normalized_shape": x.shape[-1:]}, chip)
    tiled = re.search(r"in1[^,;]*tile", row.memory_layout.lower()) is not None
    weighed = (replace(w, tiled=tiled, memory_space=MemorySpace.DRAM) for w in placed.operands[1:])
    return replace(placed, operands=(placed.operands[0], *weighed))


def _group_norm(row: Row, chip: ChipDesc) -> DeviceOp:
    """A group norm of shards, with its mask, and weight and bias in rows."""
    x = tensors(row)[0]
    if "shard" not in row.memory_layout.lower():
        raise InexpressibleError("no group norm of ours reads pages")
    groups = pick(named(f"{row.shape} {row.notes}"), ("groups", "num_groups", "g"), 32)
    given: dict[str, Any] = {"num_groups": groups, "channel_dim": x.rank - 1}
    by_channel = TensorType((1, 1, x.shape[-1] // TILE, TILE), DType.BF16)
    mask = mask_type(GroupNorm(input=x, **given))
    return like(row, "group_norm", [x, mask, by_channel, by_channel], given, chip)


def _rows_apart(row: Row, chip: ChipDesc) -> tuple[Row, TensorType]:
    """The tensor with the parts of a row that cores hold as rows of their own: no op of ours divides a softmax."""
    x, words = tensors(row)[0], row.memory_layout.lower()
    grid = grid_of(row.grid, chip)
    parts = grid.cores if "width" in words else grid.cols if "block" in words else 1
    if parts == 1 or x.shape[-1] % (parts * TILE):
        return row, x
    apart = TensorType((x.size // x.shape[-1] * parts, x.shape[-1] // parts), x.dtype)
    return replace(row, memory_layout="L1 height-sharded"), apart


def softmax_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A softmax over the last dimension."""
    row, x = _rows_apart(row, chip)
    return like(row, "softmax", [x], {"dimension": x.rank - 1}, chip)


def reduce_row(row: Row, chip: ChipDesc) -> tuple[DeviceOp, ...]:
    """A sum, mean, product or maximum over the last dimension, or over those that the row names, one by one."""
    x, words = tensors(row)[0], f"{row.op} {row.notes}".lower()
    if re.search(r"(?<![a-z])(var|std|variance)(?![a-z])", row.op.lower()):
        raise InexpressibleError("no reduction of ours is a variance")
    name = next(
        (n for n in ("max", "min", "mean", "prod", "sum") if re.search(rf"(?<![a-z]){n}(?![a-z])", words)), "sum"
    )
    made: list[DeviceOp] = []
    for dimension in _dimensions(x, words):
        made.append(like(row, name, [x], {"keep_dim": True, "dim_arg": (dimension,)}, chip))
        (x,) = made[-1].op.results
    return tuple(made)


def _dimensions(x: TensorType, words: str) -> list[int]:
    """What is reduced, the last first: all dimensions, height and width, or one."""
    whole = "over all dimensions" in words
    if whole or re.search(r"_hw\b", words):
        reduced = range(0 if whole else max(x.rank - 2, 0), x.rank)
        return [d for d in reversed(reduced) if x.shape[d] > 1] or [x.rank - 1]
    return [_along(x.rank, words)]


def _along(rank: int, words: str) -> int:
    """The dimension that a text names: `dim=-2`, `dim 0`, `_h`, `nc`; the last where it names none."""
    named_dim = re.search(r"dims?\W*\[?\s*(-?\d)", words)
    if named_dim:
        return int(named_dim[1]) % rank
    if re.search(r"_nc\b|\bnc\b", words):
        return max(rank - 3, 0)
    return rank - 2 if rank > 1 and re.search(r"[_\W]h\b", words) else rank - 1


def scan_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """A running sum or product."""
    x, words = tensors(row)[0], f"{row.op} {row.notes}".lower()
    return like(row, "cumprod" if "prod" in words else "cumsum", [x], {"dim": _along(x.rank, words)}, chip)


def selection_row(row: Row, chip: ChipDesc) -> DeviceOp:
    """The largest element, the `k` largest, or all in order, of each row."""
    x, words = tensors(row)[0], row.op.lower()
    last: dict[str, Any] = {"dim": x.rank - 1}
    if "sort" in words:
        return like(row, "sort", [x], last, chip, x, x.with_dtype(DType.UI16))
    if re.search(r"arg_?(max|min)", words):
        picked = TensorType((*x.shape[:-1], 1), DType.UI32)
        return like(row, "argmax", [x], {"keep_dim": True, "dim_arg": (x.rank - 1,)}, chip, picked)
    k = pick(named(f"{row.shape} {row.notes}"), ("k",), 32)
    k = min(k, x.shape[-1])
    best = x.with_shape((*x.shape[:-1], k))
    return like(row, "topk", [x], {"k": k, **last}, chip, best, best.with_dtype(DType.UI16))
