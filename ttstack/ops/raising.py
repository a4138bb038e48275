"""The named op that a dispatch is, if there is one: the way back from `ttir.generic`."""

from collections.abc import Mapping, Sequence
from typing import Any

from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import Eltwise, EltwiseUnary
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loops import IndexingMap
from ttstack.ops.tensor_train_generic import train_of
from ttstack.ops.types import TensorType

Source = tuple[str, Mapping[str, Any]]
"""The name and attributes of an op that a dispatch was made of; both are empty where it was written as one."""


def raise_to_named(
    dispatch: LoopNest, operands: Sequence[TensorType], result: TensorType, source: Source = ("", {})
) -> Op | None:
    """The op on these types whose own nest is this one; None where the region is a program of its own.

    The op that the dispatch was made of comes first, as long as it still is what that op says.
    """
    picks = dispatch.index_bound is not None
    guesses = _lookup(dispatch, operands) if picks else _guesses(dispatch, operands, result)
    for mnemonic, attributes in [source, *guesses] if source[0] else guesses:
        try:
            op = OPS[mnemonic].on(operands, attributes, result)
            if op.results == (result,) and op.nest == dispatch:
                return op
        except ValueError:
            continue
    return None


def _guesses(d: LoopNest, operands: Sequence[TensorType], result: TensorType) -> list[tuple[str, dict[str, Any]]]:
    first = d.body[0]
    if first.name == "matmul":
        return _matmul(d)
    if len(d.body) > 1:
        return []
    if first.name.startswith("reduce_"):
        return _reduction(d, first.name.removeprefix("reduce_"), operands[0].rank, result.rank)
    if first.name in ("copy", "transpose") and operands:
        return _moves(d.inputs[0], operands[0], result)
    if first.name in OPS and issubclass(OPS[first.name], Eltwise):
        return [(first.name, {k: v for k, v in first.attributes if k != "dtype"})]
    return []


def _matmul(d: LoopNest) -> list[tuple[str, dict[str, Any]]]:
    last = d.body[-1].name
    attributes: dict[str, Any] = {"activation": last} if last in OPS and issubclass(OPS[last], EltwiseUnary) else {}
    inner = d.reductions[0] if d.reductions else -1
    attributes["transpose_a"] = d.inputs[0].loops[-1:] != (inner,)
    attributes["transpose_b"] = d.inputs[1].loops[-2:-1] != (inner,)
    return [("linear" if len(d.inputs) == 3 else "matmul", attributes)]


def _lookup(d: LoopNest, operands: Sequence[TensorType]) -> list[tuple[str, dict[str, Any]]]:
    try:
        train = {"train": train_of(d, operands)}
    except ValueError:
        return []
    last = d.body[-1]
    if last.name == "pool":
        return [("tensor_train_embedding_bag", train | dict(last.attributes))]
    return [("tensor_train_embedding", train)]


def _reduction(d: LoopNest, kind: str, rank: int, result_rank: int) -> list[tuple[str, dict[str, Any]]]:
    dims = {"keep_dim": rank == result_rank, "dim_arg": d.reductions}
    return [(name, dims) for name in (kind, f"reduce_{kind}") if name in OPS]


def _moves(m: IndexingMap, operand: TensorType, result: TensorType) -> list[tuple[str, dict[str, Any]]]:
    order = [m.loops.index(i) for i in range(operand.rank) if i in m.loops]
    guesses: list[tuple[str, dict[str, Any]]] = []
    if len(order) == operand.rank:
        guesses.append(("permute", {"permutation": tuple(order)}))
    if operand.rank == result.rank:
        factors = tuple(r // max(o, 1) for o, r in zip(operand.shape, result.shape, strict=True))
        guesses.append(("broadcast", {"broadcast_dimensions": factors}))
    return guesses
