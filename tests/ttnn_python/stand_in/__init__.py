"""The names of `ttnn` that emitted programs use, on NumPy: what the library's documentation says that each computes.

It is written from that documentation, shares no code with the compiler or its kernels, and takes the place of the
module where an emitted program is run. Formats do not round; configurations and memories change no value.
"""

from enum import Enum
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.ttnn_python.stand_in import caches, creation, eltwise, movement, products, queues, reduction, windows
from tests.ttnn_python.stand_in.tensor import BufferType, DataType, Layout, Record, Tensor, TensorMemoryLayout

__all__ = ["BufferType", "DataType", "Layout", "Tensor", "TensorMemoryLayout"]

for _dtype in DataType:
    globals()[_dtype.name.lower()] = _dtype
TILE_LAYOUT, ROW_MAJOR_LAYOUT = Layout.TILE, Layout.ROW_MAJOR

MathFidelity = Enum("MathFidelity", "LoFi HiFi2 HiFi3 HiFi4")
ShardOrientation = Enum("ShardOrientation", "ROW_MAJOR COL_MAJOR")
UnaryOpType, GeluVariant = eltwise.UnaryOpType, eltwise.GeluVariant

for _name in (
    "MemoryConfig",
    "ShardSpec",
    "CoreCoord",
    "CoreGrid",
    "CoreRange",
    "CoreRangeSet",
    "WormholeComputeKernelConfig",
    "UnaryWithParam",
    "SDPAProgramConfig",
    "Conv2dConfig",
    "LayerNormShardedMultiCoreProgramConfig",
    "MatmulMultiCoreReuseProgramConfig",
    "MatmulMultiCoreReuseMultiCastProgramConfig",
    "MatmulMultiCoreReuseMultiCast1DProgramConfig",
    "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig",
):
    globals()[_name] = type(_name, (Record,), {})

for _name, _function in eltwise.UNARY.items():
    globals()[_name] = eltwise.unary(_function)
for _name, _function in eltwise.BINARY.items():
    globals()[_name] = eltwise.binary(_function)
for _name in ("gelu", "gelu_bw", "leaky_relu", "selu", "clamp", "div", "where", "typecast", "bitcast"):
    globals()[_name] = getattr(eltwise, _name)
globals()["Conv2dConfig"].activation = None
quantize, dequantize, requantize = eltwise.quantize, eltwise.dequantize, eltwise.requantize

for _name in ("reshape", "permute", "transpose", "concat", "repeat", "repeat_interleave", "pad", "clone", "upsample"):
    globals()[_name] = getattr(movement, _name)
for _name in ("to_layout", "to_memory_config", "copy", "deallocate", "gather", "scatter", "scatter_add"):
    globals()[_name] = getattr(movement, _name)
slice, embedding, embedding_bw = movement.bounded, movement.embedding, movement.embedding_bw  # noqa: A001

for _name in ("sum", "mean", "max", "min", "prod"):
    globals()[_name] = reduction.over(getattr(np, _name))
for _name in ("cumsum", "cumprod"):
    globals()[_name] = reduction.scan(getattr(np, _name))
for _name in (
    "argmax",
    "softmax",
    "scale_mask_softmax",
    "layer_norm",
    "rms_norm",
    "group_norm",
    "batch_norm",
    "topk",
    "sort",
):
    globals()[_name] = getattr(reduction, _name)

matmul = linear = products.matmul
sparse_matmul = products.sparse_matmul
transformer = SimpleNamespace(
    scaled_dot_product_attention=products.attention,
    scaled_dot_product_attention_decode=products.decode,
    paged_scaled_dot_product_attention_decode=products.paged_decode,
    paged_flash_multi_latent_attention_decode=products.latent_decode,
    chunked_scaled_dot_product_attention=products.chunked,
    split_query_key_value_and_split_heads=products.split_heads,
    concatenate_heads=products.concatenate_heads,
)
experimental = SimpleNamespace(
    nlp_create_qkv_heads=products.create_heads,
    nlp_create_qkv_heads_decode=products.split_users,
    nlp_concat_heads_decode=products.join_users,
    paged_update_cache=caches.paged_update_cache,
    paged_fill_cache=caches.paged_fill_cache,
    rotary_embedding=products.rotary,
    rotary_embedding_hf=products.rotary_by_place,
    rotary_embedding_llama=products.rotary_of_neighbours,
)
fill_cache = caches.fill_cache

for _name in ("begin_trace_capture", "end_trace_capture", "execute_trace", "release_trace"):
    globals()[_name] = getattr(queues, _name)
for _name in ("record_event", "wait_for_event", "copy_host_to_device_tensor", "synchronize_device"):
    globals()[_name] = getattr(queues, _name)

Conv2dL1FullSliceConfig = Record()
conv2d, conv_transpose2d = windows.conv2d, windows.conv_transpose2d
max_pool2d, avg_pool2d = windows.max_pool2d, windows.avg_pool2d

full, ones, arange = creation.full, creation.ones, creation.arange
zeros = empty = creation.full


def prepare_conv_weights(*, weight_tensor: Tensor, **_: Any) -> Tensor:
    """The form of weights that a convolution reads is its own affair."""
    return weight_tensor


prepare_conv_transpose2d_weights = prepare_conv_weights


def open_device(**_: Any) -> object:
    """Nothing stands for a device."""
    return object()


def close_device(_: object) -> None:
    """Nothing is left behind."""


def to_device(x: Tensor, device: object, *, memory_config: Any) -> Tensor:
    """The tensor on a device; it lies where its creator says."""
    x.device, x.memory_config = device, memory_config
    return x


def from_device(x: Tensor) -> Tensor:
    """The tensor on the host."""
    return x


def get_device_tensors(x: Tensor) -> list[Tensor]:
    """What each chip has."""
    return [x]


def to_dtype(x: Tensor, dtype: DataType) -> Tensor:
    """Another format on the host."""
    return eltwise.typecast(x, dtype)
