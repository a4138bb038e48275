"""One placed op for every mnemonic, at any scale."""

from collections.abc import Callable
from typing import Any

from tests.ops.sized import sized
from ttstack.ops import OPS
from ttstack.ops.base import Arity
from ttstack.ops.types import DType, TensorType
from ttstack.program.block_config import block_config
from ttstack.program.device_op import DeviceOp, Fidelity, Spread
from ttstack.program.layout import Grid, Layout, storage
from ttstack.program.matmul_config import matmul_config
from ttstack.program.structure import is_attention, is_contraction
from ttstack.system_desc import ChipDesc

GRID = Grid(8, 8)
Example = tuple[list[TensorType], dict[str, Any], TensorType | None]


def real(*shape: int) -> TensorType:
    return TensorType(shape, DType.BF16)


def whole(*shape: int) -> TensorType:
    return TensorType(shape, DType.UI32)


def _rows(s: int) -> TensorType:
    return real(64 * s, 256)


SPECIAL: dict[str, Callable[[int], Example]] = {
    "matmul": lambda s: ([real(64 * s, 256), real(256, 512)], {}, None),
    "linear": lambda s: ([real(64 * s, 256), real(256, 512), real(512)], {}, None),
    "concat": lambda s: ([_rows(s), _rows(s)], {"dim": 0}, None),
    "reshape": lambda s: ([_rows(s)], {"shape": (32 * s, 512)}, None),
    "squeeze": lambda s: ([real(s, 4, 1, 64)], {"dim": 2}, None),
    "unsqueeze": lambda s: ([real(s, 4, 64)], {"dim": 1}, None),
    "permute": lambda s: ([real(s, 4, 64, 64)], {"permutation": (0, 2, 1, 3)}, None),
    "transpose": lambda s: ([_rows(s)], {"dim0": 0, "dim1": 1}, None),
    "slice_static": lambda s: ([_rows(s)], {"begins": (0, 0), "ends": (32 * s, 64), "step": (1, 1)}, None),
    "index": lambda s: ([_rows(s)], {"dim": 1, "begin": 0, "end": 64, "step": 2}, None),
    "broadcast": lambda s: ([real(1, 256)], {"broadcast_dimensions": (64 * s, 1)}, None),
    "repeat": lambda s: ([_rows(s)], {"repeat_dimensions": (2, 3)}, None),
    "pad": lambda s: ([_rows(s)], {"padding": (0, 32, 0, 0), "value": 0.0}, None),
    "reverse": lambda s: ([_rows(s)], {"dimensions": (0,)}, None),
    "gather": lambda s: ([_rows(s), whole(64 * s, 32)], {"dim": 1}, None),
    "argmax": lambda s: ([_rows(s)], {"keep_dim": True, "dim_arg": (1,)}, whole(64 * s, 1)),
    "softmax": lambda s: ([_rows(s)], {"dimension": 1}, None),
    "cumsum": lambda s: ([_rows(s)], {"dim": 1}, None),
    "cumprod": lambda s: ([_rows(s)], {"dim": 1}, None),
    "layer_norm": lambda s: ([_rows(s), real(256), real(256)], {"normalized_shape": (256,)}, None),
    "rms_norm": lambda s: ([_rows(s), real(256)], {"normalized_shape": (256,)}, None),
    "batch_norm_inference": lambda s: (
        [real(s, 32, 32, 32), *[real(32)] * 4],
        {"epsilon": 1e-5, "dimension": 1},
        None,
    ),
    "embedding": lambda s: ([whole(64 * s), real(1000, 256)], {}, None),
    "embedding_bag": lambda s: ([whole(64 * s, 4), real(1000, 256)], {}, None),
    "scaled_dot_product_attention": lambda s: ([real(s, 8, 256, 64)] * 3, {}, None),
    "concatenate_heads": lambda s: ([real(s, 8, 64, 64)], {}, None),
    "split_query_key_value_and_split_heads": lambda s: (
        [real(s, 64, 768)],
        {"num_heads": 4, "transpose_key": False},
        None,
    ),
    "all_gather": lambda s: ([_rows(s)], {"all_gather_dim": 0, "cluster_axis": 0}, _rows(s)),
    "reduce_scatter": lambda s: (
        [_rows(s)],
        {"reduce_type": "sum", "scatter_dim": 0, "cluster_axis": 0},
        _rows(s),
    ),
    "all_reduce": lambda s: ([_rows(s)], {"reduce_type": "sum", "cluster_axis": 0}, None),
    "all_reduce_async": lambda s: ([_rows(s)], {"reduce_type": "sum", "cluster_axis": 0}, None),
    "collective_permute": lambda s: ([_rows(s)], {"source_target_pairs": ((0, 0),)}, None),
    "collective_broadcast": lambda s: ([_rows(s)], {"replica_groups": ((0,),)}, None),
    "all_to_all": lambda s: (
        [_rows(s)],
        {"split_dim": 0, "concat_dim": 1, "split_count": 1, "replica_groups": ((0,),)},
        None,
    ),
    "mesh_partition": lambda s: ([_rows(s)], {"dim": 0}, _rows(s)),
    "mesh_shard": lambda s: (
        [_rows(s)],
        {
            "shard_type": "replicate",
            "shard_direction": "full_to_shard",
            "shard_shape": (1,),
            "shard_dims": (-1,),
        },
        None,
    ),
    "distributed_rms_norm": lambda s: ([_rows(s), real(256)], {"cluster_axis": 0}, None),
    "distributed_layer_norm": lambda s: ([_rows(s), real(256), real(256)], {"cluster_axis": 0}, None),
    "arange": lambda s: (
        [],
        {"start": 0, "end": 64 * s, "step": 1, "arange_dimension": 0},
        real(64 * s, 256),
    ),
    "constant": lambda s: ([], {"value": None}, _rows(s)),
    "full": lambda s: ([], {"shape": (64 * s, 256), "fill_value": 1.0}, _rows(s)),
    "leaky_relu": lambda s: ([_rows(s)], {"parameter": 0.1}, None),
    "clamp_scalar": lambda s: ([_rows(s)], {"min": 0.0, "max": 1.0}, None),
    "bitcast_convert": lambda s: ([_rows(s)], {}, TensorType((64 * s, 256), DType.UI16)),
}
LAYERS = {"conv", "pool", "training", "quantization", "decode", "indexing", "kv_cache", "moe", "opaque", "sort"}
MORE_LAYERS = {
    *("batch_norm_training", "group_norm", "embedding_backward", "sparse_matmul"),
    *("rearrange", "repeat_interleave", "rand", "dropout", "split_heads"),
    *(name for name in OPS if "bitwise" in name or "shift" in name),
}
NOT_ON_DEVICE = {name for name, spec in OPS.items() if not spec.executable}
COSTLESS = {"deallocate"}
NEEDS_A_REGION = {"generic"}
PRICED = sorted(OPS.keys() - NOT_ON_DEVICE - COSTLESS - NEEDS_A_REGION)


def example(mnemonic: str, scale: int = 1) -> Example:
    """Operand types, attributes and the result that only the text says."""
    if mnemonic in SPECIAL:
        return SPECIAL[mnemonic](scale)
    spec = OPS[mnemonic]
    operands = [_rows(scale) for arity in spec.operand_specs().values() if arity is not Arity.OPTIONAL]
    required = {a.name: None for a in spec.attribute_specs().values() if a.required}
    attributes = {"keep_dim": True, "dim_arg": (1,)} if "keep_dim" in required else {}
    if "shape" in required:
        attributes = {"shape": (64 * scale, 256)}
    return operands, attributes, _rows(scale) if spec.result_fields() else None


def _placed_layer(mnemonic: str, chip: ChipDesc, scale: int) -> DeviceOp:
    """An op of a family whose examples the contract of ops has already."""
    op = sized(mnemonic, 64 * scale).op
    layouts = tuple(
        Layout(storage(t.dtype), tiled=i not in op.host_operands, filters=i in op.filter_operands)
        for i, t in enumerate(op.operands)
    )
    results = tuple(Layout(storage(t.dtype)) for t in op.results)
    if is_contraction(op.dispatch()) and not is_attention(op.dispatch()):
        return placed_matmul(op, layouts, results[0], chip)
    device_op = DeviceOp(op, layouts, results, GRID)
    config = block_config(device_op, chip, chip.l1_usable_bytes)
    assert config is not None
    return DeviceOp(op, layouts, results, GRID, config=config)


def placed(mnemonic: str, chip: ChipDesc, scale: int = 1) -> DeviceOp:
    """The op on the chip's grid, all tensors interleaved in DRAM."""
    if OPS[mnemonic].family in LAYERS or mnemonic in MORE_LAYERS:
        return _placed_layer(mnemonic, chip, scale)
    operands, attributes, result = example(mnemonic, scale)
    op = OPS[mnemonic].on(operands, attributes, result)
    rows = op.host_indices
    layouts = [
        Layout(t.dtype, tiled=name not in rows) for name, t in zip(op.operand_specs(), op.operands, strict=False)
    ]
    layouts += [Layout(t.dtype) for t in op.operands[len(layouts) :]]
    results = tuple(Layout(t.dtype) for t in op.results)
    if mnemonic in {"matmul", "linear"}:
        return placed_matmul(op, tuple(layouts), results[0], chip)
    device_op = DeviceOp(op, tuple(layouts), results, GRID)
    config = block_config(device_op, chip, chip.l1_usable_bytes)
    assert config is not None
    return DeviceOp(op, tuple(layouts), results, GRID, Spread.FLAT, config=config)


def placed_matmul(
    op: Any,
    layouts: tuple[Layout, ...],
    result: Layout,
    chip: ChipDesc,
    fidelity: Fidelity = Fidelity.HIFI4,
    budget: int | None = None,
) -> DeviceOp:
    """The matrix product with the configuration that fits the budget, all of L1 by default."""
    found = matmul_config(op, layouts, result, GRID, chip, chip.l1_usable_bytes if budget is None else budget)
    assert found is not None
    return DeviceOp(op, layouts, (result,) * len(op.results), GRID, found[0], fidelity, found[1])
