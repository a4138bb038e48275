"""Mixture of experts on one CPU: routing of tokens."""

from ttstack.ops.moe import TopkRouterGpt
from ttstack.passes.ttir_to_linalg.indexing import take_along
from ttstack.passes.ttir_to_linalg.matmul import product
from ttstack.passes.ttir_to_linalg.reduction import softmax_of
from ttstack.passes.ttir_to_linalg.sort import positions
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Dense, elementwise

LOWERINGS = LoweringTable()


@LOWERINGS("topk_router_gpt")
def _router(op: TopkRouterGpt, x: Dense, weight: Dense, bias: Dense) -> tuple[Dense, Dense]:
    made = product(x.wide(), weight.wide())
    logits = elementwise(lambda e, b: e + b, [made, bias.wide()], made.dtype)
    experts = positions(logits, 1, descending=True).slice([0, 0], [logits.shape[0], op.k])
    weights = softmax_of(take_along(logits, experts, 1), 1)
    return experts.cast(op.results[0].dtype), weights.cast(op.results[1].dtype)
