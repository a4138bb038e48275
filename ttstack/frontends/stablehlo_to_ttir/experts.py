"""Mixture of experts, as Tenstorrent's PyTorch frontend calls it."""

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.named import Named, fit_results, register_op
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir

CONVERSIONS = StablehloConversionTable()

_ALONE = {"num_devices": 1, "cluster_axis": 0}

register_op(CONVERSIONS, "@tt.sparse_matmul", "sparse_matmul", "a b sparsity")
register_op(
    CONVERSIONS,
    "@tt.all_to_all_dispatch",
    "all_to_all_dispatch",
    "input_tensor expert_indices expert_mapping",
    **_ALONE,
)
_REMAP = Named("moe_expert_token_remap", "topk_tensor expert_mapping expert_metadata", {"reduction_size": 16})


@CONVERSIONS("@tt.moe_expert_token_remap", to="moe_expert_token_remap")
def _remap(call: StablehloOp) -> list[ir.Value]:
    """Infer the number of devices from the operands."""
    call.leave("num_devices")
    return _REMAP.convert(call)


_COMBINE = Named(
    "all_to_all_combine",
    "input_tensor expert_metadata expert_mapping",
    {**_ALONE, "num_experts_per_tok": 2, "output_shard_dim": 2},
)


@CONVERSIONS("@tt.all_to_all_combine", to="all_to_all_combine all_reduce")
def _combine(call: StablehloOp) -> list[ir.Value]:
    """Add the results of devices along the other mesh axis for the same tokens."""
    found, said = _COMBINE.operands(call), _COMBINE.attributes(call)
    (result,) = _COMBINE.build(call, found).results
    count, columns = said["num_devices"], read_type(found["expert_mapping"].type).shape[-1]
    if 1 < count < columns:
        result = ttir.all_reduce(result, reduce_type="sum", cluster_axis=1 - said["cluster_axis"])
    return fit_results(call, [result])
