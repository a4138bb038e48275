"""Decomposition of ops without a conversion, by PyTorch's own decompositions or by formulas."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch
from torch._decomp import decomposition_table
from torch._ops import OperatorBase, OpOverload
from torch.export import ExportedProgram, default_decompositions

from ttstack.frontends.torch.formulas import FORMULAS
from ttstack.frontends.torch_to_ttir import CONVERSIONS
from ttstack.frontends.torch_to_ttir.reasons import REASONS

Decompositions = dict[OperatorBase, Callable[..., Any]]

_aten = torch.ops.aten
_OF_TRAINING = (_aten._native_batch_norm_legit_functional.default,)
"""Ops that a graph with a backward pass may have, and a model for inference has by mistake."""


def decompositions(program: ExportedProgram) -> Decompositions:
    """Return decompositions for all ops without a conversion; none if the program does not need them."""
    table = _table()
    if program.graph_signature.backward_signature is not None:
        table = {**table, **{op: decomposition_table[op] for op in _OF_TRAINING}}
    return table if any(node.target in table for node in program.graph.nodes) else {}


@cache
def _table() -> Decompositions:
    core = default_decompositions()
    more = {op: how for op, how in decomposition_table.items() if op not in _OF_TRAINING and _is_of_values(op)}
    composed = {op: op.decompose for op in _composites() if _is_of_values(op)}
    known = more | composed | {op: core[op] for op in list(core)} | FORMULAS
    return {op: how for op, how in known.items() if isinstance(op, OpOverload) and not _is_left(_name(op))}


def _composites() -> Iterator[OpOverload]:
    """Yield the ops that PyTorch composes of others in every mode."""
    for name in torch._C._dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd"):
        namespace, _, op = name.partition("::")
        base, _, overload = op.partition(".")
        packet = getattr(_aten, base, None) if namespace == "aten" else None
        if packet is not None and (overload or "default") in packet.overloads():
            yield getattr(packet, overload or "default")


def _is_of_values(op: OperatorBase) -> bool:
    """Return True for PyTorch's own ops, unless they write to an operand."""
    return isinstance(op, OpOverload) and op.namespace == "aten" and not op._schema.is_mutable


def _is_left(name: str) -> bool:
    """Return True for ops that are converted or reported as they are."""
    return name in CONVERSIONS or name in REASONS


def _name(op: OpOverload) -> str:
    """Return the name of an op in the torch dialect."""
    return f"torch.{str(op).removesuffix('.default')}"
