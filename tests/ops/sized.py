"""One case of each op at any size: what shows that cost and work grow with shapes."""

from collections.abc import Callable

import pytest

from tests.ops.case import Case
from ttstack.ops import (
    OPS,
    Op,
    attention,
    block_sparse,
    collective,
    conv,
    creation,
    distributed,
    eltwise,
    embedding,
    fourier,
    generic,
    indexing,
    linear_bias,
    matmul,
    mesh,
    normalization,
    pool,
    quantization,
    reduction,
    rotary,
    shape,
    training,
)
from ttstack.ops.types import DType, QuantType, TensorType


def _t(*extents: int, dtype: DType = DType.BF16) -> TensorType:
    return TensorType(extents, dtype)


def _ids(*extents: int) -> TensorType:
    return _t(*extents, dtype=DType.UI32)


def _eltwise(m: str, n: int) -> Case:
    spec = OPS[m]
    dtype = DType.I32 if "bitwise" in m or "shift" in m else DType.BF16
    given = {"parameter": 0.5, "min": 0.0, "max": 1.0}
    attributes = {k: given[k] for k, a in spec.attribute_specs().items() if a.required}
    t = _t(n, n, dtype=dtype)
    return Case(m, (t,) * len(spec.operand_specs()), attributes, t if spec.result_fields() else None)


def _same(**attributes: object) -> Callable[[str, int], Case]:
    return lambda m, n: Case(m, (_t(n, n),), attributes)


_SIZED: dict[type[Op], Callable[[str, int], Case]] = {
    eltwise.Eltwise: _eltwise,
    eltwise.Typecast: lambda m, n: Case(m, (_t(n, n),), {}, _t(n, n, dtype=DType.F32)),
    creation.Shaped: lambda m, n: Case(m, (), {"shape": (n, n)}, _t(n, n)),
    creation.Full: lambda m, n: Case(m, (), {"shape": (n, n), "fill_value": 1.0}, _t(n, n)),
    creation.Creation: lambda m, n: Case(m, (), {}, _t(n, n)),
    creation.Constant: lambda m, n: Case(m, (), {"value": None}, _t(n, n)),
    creation.Arange: lambda m, n: Case(m, (), {"start": 0, "end": n, "step": 1, "arange_dimension": 1}, _t(n, n)),
    reduction.Reduction: _same(keep_dim=True, dim_arg=(1,)),
    reduction.Argmax: lambda m, n: Case(m, (_t(n, n),), {"keep_dim": True, "dim_arg": (1,)}, _ids(n, 1)),
    reduction.Scan: _same(dim=1),
    reduction.Softmax: _same(dimension=1),
    shape.Reshape: lambda m, n: Case(m, (_t(n, n),), {"shape": (n * 2, n // 2)}),
    shape.Squeeze: lambda m, n: Case(m, (_t(n, 1, n),), {"dim": 1}),
    shape.Unsqueeze: _same(dim=1),
    shape.Permute: _same(permutation=(1, 0)),
    shape.Transpose: _same(dim0=0, dim1=1),
    shape.Concat: lambda m, n: Case(m, (_t(n, n), _t(n, n)), {"dim": 1}),
    indexing.SliceStatic: lambda m, n: Case(m, (_t(n, n),), {"begins": (0, 0), "ends": (n // 2, n), "step": (1, 1)}),
    indexing.Index: lambda m, n: Case(m, (_t(n, n),), {"dim": 0, "begin": 0, "end": n, "step": 2}),
    shape.Broadcast: lambda m, n: Case(m, (_t(1, n),), {"broadcast_dimensions": (n, 1)}),
    shape.Repeat: _same(repeat_dimensions=(2, 1)),
    shape.Pad: _same(padding=(1, 1, 1, 1), value=0.0),
    shape.Reverse: _same(dimensions=(0,)),
    indexing.Gather: lambda m, n: Case(m, (_t(n, n), _ids(n, n)), {"dim": 0}),
    fourier.Fourier: _same(dim=1),
    fourier.RealFourier: lambda m, n: Case(m, (_t(n, n),), {"dim": 1, "size": n}),
    matmul.Matmul: lambda m, n: Case(m, (_t(n, n), _t(n, n))),
    normalization.TrailingNorm: lambda m, n: Case(m, (_t(n, n), _t(n)), {"normalized_shape": (n,)}),
    normalization.BatchNormInference: lambda m, n: Case(m, (_t(n, n), *[_t(n)] * 4), {"epsilon": 0.5, "dimension": 1}),
    embedding.Embedding: lambda m, n: Case(m, (_ids(n), _t(1000, n))),
    embedding.EmbeddingBag: lambda m, n: Case(m, (_ids(n, 4), _t(1000, 256), None, None)),
    collective.AllGather: lambda m, n: Case(m, (_t(n, n),), {"all_gather_dim": 0, "cluster_axis": 0}, _t(n, n)),
    collective.ReduceScatter: lambda m, n: Case(
        m, (_t(n, n),), {"reduce_type": "sum", "scatter_dim": 0, "cluster_axis": 0}, _t(n, n)
    ),
    collective.AllReduction: _same(reduce_type="sum", cluster_axis=0),
    collective.CollectivePermute: _same(source_target_pairs=((0, 0),)),
    collective.CollectiveBroadcast: _same(replica_groups=((0,),)),
    collective.AllToAll: _same(split_dim=0, concat_dim=1, split_count=1, replica_groups=((0,),)),
    mesh.MeshPartition: lambda m, n: Case(m, (_t(n, n),), {"dim": 0}, _t(n, n)),
    mesh.MeshShard: _same(shard_type="replicate", shard_direction="full_to_shard", shard_shape=(1,), shard_dims=(-1,)),
    distributed.DistributedNorm: _same(cluster_axis=1),
    block_sparse.BlockSparseAttention: lambda m, n: Case(
        m,
        (*(_t(1, 4, n, 64),) * 3, None, None, _t(2, dtype=DType.I32), None),
        {"mask_structure": f"0..{n}"},
    ),
    linear_bias.LinearBiasAttention: lambda m, n: Case(
        m, (*(_t(1, 4, n, 64),) * 3, None, None, *(_t(1, 4, n, 32),) * 2), {"slopes": "1.0,0.5,0.25,0.125"}
    ),
    attention.ScaledDotProductAttention: lambda m, n: Case(m, (_t(1, 4, n, 64),) * 3, {"is_causal": False}),
    rotary.RotaryEmbedding: lambda m, n: Case(m, (_t(1, 4, n, 64), _t(1, 1, n, 64), _t(1, 1, n, 64)), {}),
    attention.ConcatenateHeads: lambda m, n: Case(m, (_t(1, 4, n, 64),)),
    generic.ToLayout: lambda m, n: Case(m, (_t(n, n),)),
    attention.SplitHeads: lambda m, n: Case(m, (_t(1, n, 4 * 64),), {"num_heads": 4}),
    attention.ConcatenateHeadsDecode: lambda m, n: Case(m, (_t(1, 32, 8, n),)),
    attention.SplitQueryKeyValueDecode: lambda m, n: Case(m, (_t(1, 32, 12 * n),), {"num_heads": 8, "num_kv_heads": 2}),
    attention.SplitQueryKeyValueAndSplitHeads: lambda m, n: Case(
        m, (_t(1, n, 12 * 64),), {"num_heads": 4, "transpose_key": False}
    ),
}

_POOL = {"kernel": 3, "stride": 2, "dilation": 1, "padding": 1, "ceil_mode": False}
_STEP = {"lr": 0.1, "beta1": 0.9, "beta2": 0.9, "beta1_pow": 0.9, "beta2_pow": 0.9, "epsilon": 0.1, "weight_decay": 0.1}


def _image(n: int) -> TensorType:
    return _t(1, n, 32, 32)


def _convolution(m: str, n: int) -> Case:
    spatial = {"conv1d": (n,), "conv3d": (n, 4, 8)}.get(m, (n, 8))
    attributes = {"stride": 1, "padding": 1, "groups": 1}
    attributes |= {} if m == "conv3d" else {"dilation": 1}
    attributes |= {"output_padding": 0} if m == "conv_transpose2d" else {}
    return Case(m, (_t(1, *spatial, 32), _t(32, 32, *[3] * len(spatial)), None), attributes)


def _attention(m: str, n: int) -> Case:
    heads = (_t(1, 4, n, 64),) * (3 if m == "sdpa_fw" else 5)
    if m == "sdpa_fw":
        return Case(m, heads, {"mask_type": "none"})
    return Case(m, (*heads, _t(1, 4, n, 32, dtype=DType.F32)), {"mask_type": "none"})


def _quantized(m: str, n: int) -> Case:
    real, whole = _t(n, n), TensorType((n, n), QuantType(DType.I8, DType.BF16, (0.5,), (0,)))
    pair, kind = [_t(1), _t(1, dtype=DType.I32)], m.removesuffix("_unrolled")
    source, target = {"quantize": (real, whole), "dequantize": (whole, real), "requantize": (whole, whole)}[kind]
    parameters = pair * (1 + (kind == "requantize")) if kind != m else []
    return Case(m, (source, *parameters), {}, target)


_SIZED |= {
    conv.Convolution: _convolution,
    pool.Pool: lambda m, n: Case(m, (_image(n),), _POOL),
    pool.MaxPool2dWithIndices: lambda m, n: Case(
        m, (_image(n),), _POOL, (_t(1, n // 2, 16, 32), _t(1, n // 2, 16, 32, dtype=DType.I32))
    ),
    pool.GlobalAvgPool2d: lambda m, n: Case(m, (_t(4, n, 32, 32),)),
    pool.Upsample2d: lambda m, n: Case(m, (_image(n),), {"scale_factor": 2, "mode": "bilinear"}),
    normalization.BatchNormTraining: lambda m, n: Case(
        m, (_t(1, 32, n, n), *[_t(32)] * 4), {"epsilon": 0.5, "dimension": 1, "momentum": 0.1}
    ),
    normalization.GroupNorm: lambda m, n: Case(m, (_t(1, 1, 4 * n, 256), _t(1, 8, 32, 32)), {"num_groups": 8}),
    training.Adamw: lambda m, n: Case(m, (_t(n, n),) * 4, _STEP),
    training.TrainingAttention: _attention,
    embedding.EmbeddingBackward: lambda m, n: Case(m, (_ids(n), _t(1000, 64), _t(n, 64))),
    quantization.Quantization: _quantized,
}


def size_as(found: dict[type[Op], Callable[[str, int], Case]]) -> None:
    """Add what other files define."""
    _SIZED.update(found)


def sized(mnemonic: str, n: int) -> Case:
    """The op on matrices of about `n` by `n`."""
    maker = next((_SIZED[c] for c in OPS[mnemonic].__mro__ if c in _SIZED), None)
    if maker is None:
        family = OPS[mnemonic].family
        pytest.fail(
            f"no case of '{mnemonic}' at any size: add one to _SIZED in tests/ops/sized.py, beside those of {family}"
        )
    return maker(mnemonic, n)


# Other families add theirs.
from tests.ops import sized_experts, sized_indexing, sized_tensor_train  # noqa: E402, F401
