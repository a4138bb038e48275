"""Raising of a dispatch to the equivalent named op: the inverse of lowering to `ttir.generic`."""

from collections.abc import Sequence
from typing import Any

from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import ACTIVATED, Eltwise, EltwiseUnary
from ttstack.ops.flash import is_flash, read_attention
from ttstack.ops.generic_source import WRITTEN, GenericSource
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import IndexingMap
from ttstack.ops.tensor_train_generic import train_of
from ttstack.ops.types import TensorType

_REQUANTIZED = 5
"""Number of operands of a requantization: the numbers, and scale and zero point before and after."""

_RESIDUAL = 3
"""The position of a normalization's residual, after weight and bias."""


def raise_to_named(
    dispatch: LoopNest, operands: Sequence[TensorType], result: TensorType, source: GenericSource = WRITTEN
) -> Op | None:
    """Return the op on these types whose nest equals this one; None if there is none.

    The op that the dispatch was created from is tried first.
    """
    picks = dispatch.index_bound is not None
    guesses = _lookup(dispatch, operands) if picks else _guesses(dispatch, operands, result)
    for guess in [source, *guesses] if source.name else guesses:
        try:
            op = OPS[guess.name].on(guess.by_place(operands), guess.attributes, result)
            if op.results == (result,) and op.nest == dispatch:
                return op
        except ValueError:
            continue
    return None


def _guesses(d: LoopNest, operands: Sequence[TensorType], result: TensorType) -> list[GenericSource]:
    first = d.body[0]
    if is_flash(d):
        return [_attention(d)]
    if first.name == "matmul":
        return _matmul(d)
    if d.keeps_rows:
        return _rows(d, operands)
    if len(d.body) > 1:
        return [*_activated(d), _quantization(d)]
    return _single(d, first, operands, result)


def _single(d: LoopNest, op: TileOp, operands: Sequence[TensorType], result: TensorType) -> list[GenericSource]:
    """List the ops that a region of one tile op may be."""
    if op.name.startswith("reduce_"):
        return _reduction(d, op.name.removeprefix("reduce_"), operands[0].rank, result.rank)
    if op.name in ("copy", "transpose") and operands:
        return _moves(d.inputs[0], operands[0], result)
    if op.name in ("fill", "iota"):
        return [_made(op, result)]
    named = op.name in OPS and issubclass(OPS[op.name], Eltwise)
    return [GenericSource(op.name, {k: v for k, v in op.attributes if k != "dtype"})] if named else []


def _rows(d: LoopNest, operands: Sequence[TensorType]) -> list[GenericSource]:
    names, dim = [op.name for op in d.body], d.reductions[0]
    if names[0].startswith("scan_"):
        return [GenericSource(names[0].removeprefix("scan_"), {"dim": dim})]
    if "rsqrt" not in names:
        return [GenericSource("softmax", {"dimension": dim, "numericStable": "reduce_max" in names})]
    epsilon = next((dict(op.attributes)["value"] for op in d.body if op.name == "fill"), 0.0)
    attributes = {"normalized_shape": operands[0].shape[-len(d.reductions) :], "epsilon": epsilon}
    name = "layer_norm" if names.count("reduce_mean") > 1 else "rms_norm"
    residual = (_RESIDUAL,) if names[0] == "add" else ()
    affine = (places for places in ((), (1,), (2,), (1, 2)) if len(places) == len(operands) - 1 - len(residual))
    return [GenericSource(name, attributes, (0, *places, *residual)) for places in affine]


def _activated(d: LoopNest) -> list[GenericSource]:
    """List binary ops with activations that a region may be."""
    at = next((i for i, op in enumerate(d.body) if f"{ACTIVATED}{op.name}" in OPS), len(d.body))
    if at == len(d.body):
        return []
    first = {f"{'lr'[op.args[0]]}hs_activation": op.name for op in d.body[:at] if op.args in ((0,), (1,))}
    last = "".join(op.name for op in d.body[at + 1 :])
    return [GenericSource(f"{ACTIVATED}{d.body[at].name}", {**first, "activation": last})]


def _quantization(d: LoopNest) -> GenericSource:
    """Return the quantization op that a region between real numbers and integers may be."""
    rounds = any(op.name == "round" for op in d.body)
    name = ("quantize" if len(d.inputs) < _REQUANTIZED else "requantize") if rounds else "dequantize"
    along = next((loop for m in d.inputs[1:] for loop in m.loops if loop is not None), None)
    return GenericSource(f"{name}_unrolled", {"axis": along})


def _made(op: TileOp, result: TensorType) -> GenericSource:
    values: dict[str, Any] = dict(op.attributes)
    if op.name == "fill":
        return GenericSource("full", {"shape": result.shape, "fill_value": values["value"]})
    start, step, along = (int(values[name]) for name in ("start", "step", "along"))
    end = start + step * result.shape[along]
    return GenericSource("arange", {"start": start, "end": end, "step": step, "arange_dimension": along})


def _matmul(d: LoopNest) -> list[GenericSource]:
    last = d.body[-1].name
    attributes: dict[str, Any] = {"activation": last} if last in OPS and issubclass(OPS[last], EltwiseUnary) else {}
    inner = d.reductions[0] if d.reductions else -1
    attributes["transpose_a"] = d.inputs[0].loops[-1:] != (inner,)
    attributes["transpose_b"] = d.inputs[1].loops[-2:-1] != (inner,)
    return [GenericSource("linear" if len(d.inputs) == 3 else "matmul", attributes)]


def _attention(d: LoopNest) -> GenericSource:
    found = read_attention(d)
    places = (0, 1, 2, *(() if found.mask is None else (3,)), *(() if found.sink is None else (4,)))
    values = {"is_causal": found.is_causal, "scale": found.scale, "sliding_window_size": found.window}
    return GenericSource("scaled_dot_product_attention", values, places)


def _lookup(d: LoopNest, operands: Sequence[TensorType]) -> list[GenericSource]:
    if d.moves_only and [t.rank for t in operands[1:]] == [2]:
        return [GenericSource("embedding")]
    try:
        train = {"train": train_of(d, operands)}
    except ValueError:
        return []
    last = d.body[-1]
    if last.name == "pool":
        return [GenericSource("tensor_train_embedding_bag", train | dict(last.attributes))]
    return [GenericSource("tensor_train_embedding", train)]


def _reduction(d: LoopNest, kind: str, rank: int, result_rank: int) -> list[GenericSource]:
    all_of_them = len(d.reductions) == rank
    dims = {"keep_dim": rank == result_rank, "dim_arg": None if all_of_them else d.reductions}
    return [GenericSource(name, dims) for name in (kind, f"reduce_{kind}") if name in OPS]


def _moves(m: IndexingMap, operand: TensorType, result: TensorType) -> list[GenericSource]:
    order = [m.loops.index(i) for i in range(operand.rank) if i in m.loops]
    guesses = [GenericSource("reshape", {"shape": result.shape})]
    if len(order) == operand.rank:
        guesses.append(GenericSource("permute", {"permutation": tuple(order)}))
    if operand.rank == result.rank:
        factors = tuple(r // max(o, 1) for o, r in zip(operand.shape, result.shape, strict=True))
        guesses.append(GenericSource("broadcast", {"broadcast_dimensions": factors}))
    return guesses
