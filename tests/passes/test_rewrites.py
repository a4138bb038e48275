"""Rewrites as functions: candidates are priced as built, the cheapest is kept, and reasons are counted."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from ttstack.diagnostics import TTStackWarning
from ttstack.dialects.base import definition_of
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import permute_dims
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.text import parse
from ttstack.mlir import func, ir
from ttstack.ops.types import DType
from ttstack.passes.attach_formats import AttachFormats
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import PASSES
from ttstack.passes.functions import body, functions
from ttstack.passes.outcomes import APPLIED, Outcomes, count_outcomes
from ttstack.passes.rewriting import candidates
from ttstack.passes.rewriting.candidates import (
    REFUTED,
    TOO_SLOW,
    Assuming,
    Candidate,
    Canonical,
    Declined,
    GroupCandidate,
    Replacement,
)
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.rewriting.rewrite import Context, RewritePass, rewrite
from ttstack.passes.weights import Weights

MODEL = """func.func @f(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.exp"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.neg"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}"""


def _several(x: ir.Value, count: int) -> ir.Value:
    """Build `-exp(x)` with some useless ops."""
    for _ in range(count):
        x = ttir.abs(x)
    return ttir.neg(x)


def _swap(x: ir.Value) -> ir.Value:
    return permute_dims(permute_dims(x, (1, 0)), (1, 0))


@rewrite("test-without-candidates", if_faster=True)
def without_candidates(op: views.Neg) -> Iterator[Candidate]:
    """Yield nothing that can be built, for this test."""
    yield from ()
    yield lambda: None


@rewrite("test-keep-the-cheapest", if_faster=True)
def keep_the_cheapest(op: views.Neg) -> Iterator[Candidate]:
    """`-exp(x)` = `sin(x)`, for this test."""
    inner = views.Exp.of(op.input)
    if inner is not None:
        yield partial(_several, inner.input, 3)
        yield partial(ttir.sin, inner.input)
        yield partial(_swap, inner.input)
        yield lambda: None


@rewrite("test-too-slow", if_faster=True)
def too_slow(op: views.Neg) -> ir.Value:
    """Move the operand of a negation twice: never faster."""
    return _several(_swap(op.input), 2)


@rewrite("test-saves-half", if_faster=True)
def saves_half(op: views.Neg) -> ir.Value:
    """Replace two ops by one: about half of the time is saved."""
    inner = views.Exp.of(op.input)
    assert inner is not None
    return ttir.sin(inner.input)


@rewrite("test-assuming", if_faster=True)
def assuming(op: views.Neg, context: Context) -> Candidate | None:
    """Replace two ops under an assumption on a parameter `w`."""
    inner = views.Exp.of(op.input)
    return inner and Assuming(partial(ttir.sin, inner.input), partial(context.weights.assume_finite, ["w"]))


@rewrite("test-with-a-reason")
def with_a_reason(op: views.Neg | views.Exp) -> ir.Value | Declined | None:
    """Replace `exp`, and decline to replace `neg`."""
    return Declined("negation is not replaced") if isinstance(op, views.Neg) else ttir.sin(op.input)


@rewrite("test-first-that-can-be-built")
def first_that_can_be_built(op: views.Neg) -> list[Candidate]:
    """The first of two candidates cannot be built."""

    def refused() -> None:
        ttir.cos(op.input)

    return [refused, partial(ttir.sin, op.input)]


@rewrite("test-to-fit", to_fit=True)
def to_fit(op: views.Neg) -> ir.Value:
    """Replace an op that does not fit L1."""
    return ttir.sin(op.input)


@rewrite("test-merge-negations", if_faster=True)
def merge_negations(function: func.FuncOp) -> Iterator[list[GroupCandidate]]:
    """`-x`, `-x` of the same value are one; a slower candidate comes first."""
    found = [op for op in body(function) if op.name == "ttir.neg"]
    if len(found) > 1:
        yield [partial(_negate_once, found, 3), partial(_negate_once, found, 1)]


@rewrite("test-canonical", if_faster=True)
def canonical(function: func.FuncOp) -> Iterator[list[GroupCandidate]]:
    """`-x` = `-(-(-x))`: slower, but kept, once."""
    found = [op for op in body(function) if op.name == "ttir.neg"]
    if len(found) == 1:
        yield [Canonical(partial(_negate_once, found, 3))]


@rewrite("test-endless-groups", if_faster=True)
def endless_groups(function: func.FuncOp) -> Iterator[list[GroupCandidate]]:
    """Replace a negation by the same one."""
    found = [op for op in body(function) if op.name == "ttir.neg"]
    yield [Canonical(partial(_negate_once, found[:1], 1))]


def _negate_once(replaced: list[ir.Operation], count: int) -> Replacement:
    """Negate the operand of the first op that many times, for all of them."""
    with insert_before(replaced[0]):
        value = replaced[0].operands[0]
        for _ in range(count):
            value = ttir.neg(value)
    return {op.results[0]: value for op in replaced}


@rewrite("test-endless")
def endless(op: views.Neg) -> ir.Value:
    """Replace a negation by the same one."""
    return ttir.neg(op.input)


for rewrite_of_test in [name for name in PASSES if name.startswith("test-")]:
    del PASSES[rewrite_of_test]  # other tests list all passes


def apply(
    cls: type[RewritePass], model: str = MODEL, *, device: bool = True, weights: Weights | None = None
) -> tuple[str, Outcomes]:
    """Apply a rewrite to a model."""
    with new_context(), ir.Location.unknown():
        module = parse(model)
        if device:
            AttachSystemDesc().run(module)
        with count_outcomes() as outcomes:
            cls().with_weights(weights or Weights()).run(module)
        module.operation.verify()
        return print_module(module), outcomes


def ops(text: str) -> list[str]:
    """The ops of a function in order."""
    return [word.split('"')[1].removeprefix("ttir.") for word in text.split(" = ") if word.startswith('"ttir.')]


def test_the_cheapest_candidate_is_kept_and_the_others_are_erased():
    text, outcomes = apply(keep_the_cheapest)
    assert ops(text) == ["sin"]
    assert outcomes == {APPLIED: 1}


@pytest.mark.parametrize(("cls", "share"), [(too_slow, 0.0), (saves_half, 0.6)])
def test_a_candidate_that_saves_no_time_or_too_little_is_erased(
    cls: type[RewritePass], share: float, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(candidates, "LEAST_SHARE_SAVED", share)
    text, outcomes = apply(cls)
    assert ops(text) == ["exp", "neg"]
    assert set(outcomes) == {TOO_SLOW.reason}


def test_no_candidate_is_no_match():
    text, outcomes = apply(without_candidates)
    assert ops(text) == ["exp", "neg"]
    assert not outcomes


def test_the_assumption_of_a_candidate_that_is_kept_is_recorded():
    text, _ = apply(assuming, weights=(weights := Weights()))
    assert ops(text) == ["sin"]
    assert [*weights.finite] == ["w"]


def test_a_candidate_whose_assumption_does_not_hold_is_erased():
    weights = Weights({"w": np.full(2, np.inf)})
    text, outcomes = apply(assuming, weights=weights)
    assert ops(text) == ["exp", "neg"]
    assert set(outcomes) == {REFUTED.reason}
    assert not weights.finite


def test_a_rewrite_declines_with_a_reason():
    text, outcomes = apply(with_a_reason)
    assert ops(text) == ["sin", "neg"]
    assert outcomes[APPLIED] == 1
    assert outcomes["negation is not replaced"] > 0


def test_without_prices_the_first_candidate_that_can_be_built_is_kept():
    text, _ = apply(first_that_can_be_built, device=False)
    assert ops(text) == ["exp", "sin"]


@pytest.mark.parametrize("cls", [keep_the_cheapest, too_slow, to_fit])
def test_what_needs_prices_leaves_a_module_without_a_device_as_it_is(cls: type[RewritePass]):
    text, outcomes = apply(cls, device=False)
    assert ops(text) == ["exp", "neg"]
    assert not outcomes


def test_an_op_that_fits_is_not_replaced_to_fit():
    text, outcomes = apply(to_fit)
    assert ops(text) == ["exp", "neg"]
    assert not outcomes


def test_a_rewrite_without_an_end_is_named_and_undone():
    with pytest.warns(TTStackWarning, match=r"test_rewrites\.endless"):
        text, _ = apply(endless)
    assert ops(text) == ["exp", "neg"]


TWICE = """func.func @f(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.exp"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.neg"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %2 = "ttir.neg"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %3 = "ttir.add"(%1, %2) : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %3 : tensor<64x64xbf16>
}"""


def test_a_group_of_ops_is_replaced_by_the_cheapest_candidate():
    text, outcomes = apply(merge_negations, TWICE)
    assert ops(text) == ["exp", "neg", "add"]
    assert outcomes == {APPLIED: 1}


def test_groups_of_a_module_without_a_device_stay():
    text, outcomes = apply(merge_negations, TWICE, device=False)
    assert ops(text) == ["exp", "neg", "neg", "add"]
    assert not outcomes


def test_a_canonical_candidate_is_kept_though_it_is_slower():
    text, outcomes = apply(canonical)
    assert ops(text) == ["exp", "neg", "neg", "neg"]
    assert outcomes[APPLIED] == 1


def test_groups_without_an_end_are_named():
    with pytest.warns(TTStackWarning, match="test-endless-groups"):
        text, _ = apply(endless_groups)
    assert ops(text) == ["exp", "neg"]


def test_candidates_are_priced_in_the_formats_of_the_compilation():
    with new_context(), ir.Location.unknown():
        module = parse(MODEL.replace("bf16", "f32"))
        AttachSystemDesc().run(module)
        own = Prices.of(module)
        AttachFormats(dtype=DType.BF16).run(module)
        asked = Prices.of(module)
        assert own is not None
        assert asked is not None
        (function,) = functions(module)
        exp = definition_of(body(function)[0])
        assert asked.latency_of(exp) < own.latency_of(exp)


def test_the_pass_has_the_documentation_of_the_function():
    assert to_fit.__doc__ == "Replace an op that does not fit L1."
