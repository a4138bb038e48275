"""Decomposition of ops without a conversion, by PyTorch's own decompositions."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch._ops import OperatorBase, OpOverload
from torch.export import ExportedProgram, default_decompositions

from ttstack.frontends.torch_to_ttir import CONVERSIONS

Decompositions = dict[OperatorBase, Callable[..., Any]]

_aten = torch.ops.aten
_MORE = (
    _aten.addmv.default,
    _aten.dist.default,
    _aten.grid_sampler_2d.default,
    _aten.max_pool2d_with_indices_backward.default,
    _aten.tril_indices.default,
    _aten.triu_indices.default,
    _aten.upsample_bicubic2d.default,
    _aten.upsample_trilinear3d.default,
)
"""Decompositions in addition to those to PyTorch's core ops, which lead to ops with conversions."""

_OF_TRAINING = (_aten._native_batch_norm_legit_functional.default,)
"""Ops that a graph with a backward pass may have, and a model for inference has by mistake."""

_WHOLE = {_aten.linalg_inv.default, _aten.linalg_solve.default, _aten.linalg_cholesky.default, _aten.inverse.default}
"""Ops that are reported undecomposed, as their decompositions are unsupported and users do not know their names."""


def decompositions(program: ExportedProgram) -> Decompositions:
    """Return decompositions for all ops without a conversion; none if the program does not need them."""
    table = _table()
    if program.graph_signature.backward_signature is not None:
        table = {**table, **{op: decomposition_table[op] for op in _OF_TRAINING}}
    return table if any(node.target in table for node in program.graph.nodes) else {}


@cache
def _table() -> Decompositions:
    core = default_decompositions()
    known = {op: core[op] for op in list(core)} | {op: decomposition_table[op] for op in _MORE}
    ours = {op for op in known if not isinstance(op, OpOverload) or _name(op) in CONVERSIONS}
    return {op: how for op, how in known.items() if op not in ours | _WHOLE}


def _name(op: OpOverload) -> str:
    """Return the name of an op in the torch dialect."""
    return f"torch.{str(op).removesuffix('.default')}"
