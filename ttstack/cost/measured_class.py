"""The class of measurements of an op: the same kernel on tensors with similar layouts."""

from ttstack.cost.prediction import Cost
from ttstack.cost.terms import Combination, Term
from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_class import (
    divides_rows,
    is_attention,
    is_batched,
    is_contraction,
    is_eltwise,
    is_paged_reduction,
    is_softmax,
    transposes_tiles,
)
from ttstack.device.layout import Layout, MemoryLayout
from ttstack.ops.base import Op
from ttstack.ops.decode import DecodeAttentionOp
from ttstack.ops.devices import MeshOp
from ttstack.ops.types import tiles
from ttstack.ops.windows import WindowOp
from ttstack.system_desc.calibration import SHORT_NS

_BY_MNEMONIC = {
    "topk": "selection",
    "sort": "selection",
    "permute": "transpose",
    "transpose": "transpose",
    "concat": "concat",
    "pad": "pad",
    "slice_static": "slice",
    "slice_dynamic": "slice",
    "reshape": "reshape",
    "embedding": "embedding",
    "rotary_embedding": "rotary",
    "concatenate_heads": "heads",
    "split_query_key_value_and_split_heads": "heads",
    "split_heads": "heads",
    "split_query_key_value_decode": "heads",
    "concatenate_heads_decode": "heads",
    "upsample2d": "upsample",
    "assign": "moves",
    "clone": "moves",
}
_BY_FAMILY = {"normalization": "norm", "kv_cache": "caches", "pool": "pool"}
_LONG_NS = 1e5
"""Longer ops form one class: they have no noticeable constant part."""
_NARROW_BITS = 16
_MATH = Term.of(Combination.MATH)
_SCANS = frozenset({"scan_cumsum", "scan_cumprod"})


def measured_keys(device_op: DeviceOp, cost: Cost) -> tuple[str, ...]:
    """Return the names of similar measurements, most similar first; empty if there are none.

    Alike are ops of one class; of those, the ones that are short, or long for the same reason; of those, the ones whose
    tensors lie in the same memories; and of those, the ones of a similar length, with elements of 32 bits or fewer.
    """
    name = measured_class(device_op)
    if not name:
        return ()
    regime = f"{name}_{_regime(cost)}"
    memories = f"{regime}_{_memories(device_op)}"
    return f"{memories}_{_size(device_op, cost)}", memories, regime, name


def _regime(cost: Cost) -> str:
    if cost.elapsed_ns < SHORT_NS:
        return "short"
    return "math" if cost.largest_term in _MATH else "data"


def _memories(device_op: DeviceOp) -> str:
    """Return the memories and layouts of the tensors."""
    return "_".join(sorted({_memory(layout) for layout in device_op.layouts()}))


def _memory(layout: Layout) -> str:
    if not layout.in_l1:
        return "dram"
    return "shards" if layout.sharded else "l1"


def _size(device_op: DeviceOp, cost: Cost) -> str:
    wide = any(layout.dtype.bits > _NARROW_BITS for layout in device_op.layouts())
    return f"{'long_' if cost.elapsed_ns >= _LONG_NS else ''}{'wide' if wide else 'narrow'}"


def measured_class(device_op: DeviceOp) -> str:
    """Return the name of the class; empty if no device has measurements of a similar kernel."""
    op = device_op.op
    if isinstance(op, MeshOp):
        return "collective" if op.family == "collective" else ""
    named = _BY_MNEMONIC.get(op.mnemonic) or _BY_FAMILY.get(op.family) or _by_nest(op)
    if named is not None:
        return named
    if isinstance(op, WindowOp):
        return "convolution"
    if op.mnemonic == "to_layout":
        return _layout_change(device_op.operands[0], device_op.results[0])
    if is_attention(device_op.dispatch):
        return "decode_attention" if isinstance(op, DecodeAttentionOp) else "flash_attention"
    return _product(device_op) if is_contraction(device_op.dispatch) else _paged(device_op)


def _by_nest(op: Op) -> str | None:
    """Return the class of an op according to its region, for any name."""
    if is_softmax(op):
        return "softmax"
    if divides_rows(op):
        return "norm"
    names = {work.name for work in op.loops.work}
    if names <= _SCANS:
        return "scan"
    if names == {"reduce_argmax"}:
        return "selection"
    return "transpose" if transposes_tiles(op) is not None else None


def _paged(device_op: DeviceOp) -> str:
    if is_paged_reduction(device_op):
        return "reduction"
    if not is_eltwise(device_op.op) or not all(layout.tiled for layout in device_op.layouts()):
        return ""
    return "elementwise" if len(device_op.operands) == 1 else "binary_elementwise"


def _product(device_op: DeviceOp) -> str:
    """Return the class by configuration: one row of tiles, height-sharded, small batched, or large."""
    left = device_op.op.operands[0]
    if is_batched(device_op.dispatch):
        return "matmul_of_models"
    if device_op.operands[0].memory_layout is MemoryLayout.HEIGHT_SHARDED:
        return "matmul_height_sharded"
    if tiles(left.shape[-2] if left.rank > 1 else 1) == 1:
        return "matmul_new_tokens"
    return "matmul_of_models" if device_op.operands[0].sharded else "matmul"


def _layout_change(source: Layout, target: Layout) -> str:
    if source.tiled != target.tiled:
        return "tilize" if target.tiled else "untilize"
    if source.dtype != target.dtype:
        return "moves"
    shards = source.in_l1 and source.sharded, target.in_l1 and target.sharded
    names = {(True, True): "reshard", (False, True): "interleaved_to_sharded", (True, False): "sharded_to_interleaved"}
    return names.get(shards, "moves")
