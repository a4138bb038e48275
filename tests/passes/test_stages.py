"""Stages of the pipelines: what a pass says of its place, and that nothing else decides about the order."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from benchmarks.orders import Difference, differences, model_of
from ttstack.frontends.source import import_model
from ttstack.passes.base import PASSES, Builtin, Pass
from ttstack.passes.pipelines import PIPELINES
from ttstack.passes.scheduling import passes_of, steps_of
from ttstack.passes.stages import LOWER, SIMPLIFY, Stage

NETWORKS = (
    *("bert", "vit", "distilbert", "albert", "deit", "roberta", "convnext", "gpt2", "gemma", "llama", "phi", "mistral"),
    *(f"examples/{name}.mlir" for name in ("resnet_block", "encoder_layer", "dlrm")),
)
"""The dozen of the zoo that compile fastest, and those of `make demo`."""


@pytest.mark.parametrize("name", NETWORKS)
def test_programs_do_not_depend_on_the_order_within_a_stage(name: str) -> None:
    with import_model(model_of(name)) as model:
        assert not differences(model.module, model.weights, seeds=range(2))


def test_an_order_that_nobody_says_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PASSES["split-sliced-matmul"], "before", {})
    for name in ("pad-heads", "linear-attention-by-columns"):  # they are between the two
        monkeypatch.setattr(PASSES[name], "after", {})
    with import_model(model_of("gpt2")) as model:
        found = set(differences(model.module, model.weights, seeds=range(3)))
    assert found == {Difference(Stage.WEIGHTS, "fold-padding-into-weights", "split-sliced-matmul")}


SCALED = """func.func @f(%x: tensor<512x512xf32>, %b: tensor<512x1xf32>, %w: tensor<512x512xf32>
    {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "w"}) -> tensor<512x512xf32> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = "ttir.full"() <{shape = array<i32: 1, 1>, fill_value = 3.0 : f32}> : () -> tensor<1x1xf32>
  %2 = "ttir.multiply"(%0, %1) : (tensor<512x512xf32>, tensor<1x1xf32>) -> tensor<512x512xf32>
  %3 = "ttir.multiply"(%2, %b) : (tensor<512x512xf32>, tensor<512x1xf32>) -> tensor<512x512xf32>
  return %3 : tensor<512x512xf32>
}"""


def test_a_factor_goes_into_weights_before_it_is_multiplied_with_another() -> None:
    with import_model(SCALED) as model:
        assert not differences(model.module, model.weights, seeds=range(6))


Define = Any


@pytest.fixture
def define() -> Iterator[Define]:
    """Defines passes, and forgets them."""
    before = set(PASSES)
    yield lambda name, **order: type(name, (Pass,), {"__module__": __name__}, name=name, **order)
    for name in set(PASSES) - before:
        del PASSES[name]


def names(stage: Stage) -> list[str]:
    return [spec.name for spec in passes_of(stage)]


def test_a_pass_is_in_the_pipeline_of_the_stage_that_it_names(define: Define) -> None:
    define("test-new", stage=Stage.UPDATES, before={"sparse-updates": "a reason"})
    titles = [step.title for step in PIPELINES["simplify"]().passes]
    assert titles.index("test-new") + 1 == titles.index("sparse-updates")


def test_names_decide_where_passes_do_not(define: Define) -> None:
    for name in ("test-c", "test-a", "test-b"):
        define(name, stage=Stage.FUSION, after={"fuse": "a reason"})
    define("test-d", stage=(Stage.FUSION, Stage.UPDATES), before={"test-b": "a reason"})
    assert names(Stage.FUSION) == ["fuse", "test-a", "test-c", "test-d", "test-b"]
    assert "test-d" in names(Stage.UPDATES)


def test_passes_that_wait_for_one_another_are_named(define: Define) -> None:
    define("test-a", stage=Stage.FUSION, after={"test-b": "a reason"})
    define("test-b", stage=Stage.FUSION, after={"test-a": "a reason"})
    with pytest.raises(ValueError, match="passes of the stage 'fusion' wait for one another: test-"):
        names(Stage.FUSION)


@pytest.mark.parametrize("other", ["test-no-such-pass", "place"])
def test_a_pass_of_another_stage_is_not_waited_for(define: Define, other: str) -> None:
    define("test-a", stage=Stage.FUSION, after={other: "a reason"})
    with pytest.raises(ValueError, match=f"'test-a' comes before or after '{other}', which is in none of its stages"):
        names(Stage.FUSION)


def test_stages_follow_one_another_and_end_with_passes_of_mlir() -> None:
    steps = steps_of(Stage)
    stages = [step.stage for step in steps]
    assert list(dict.fromkeys(stages)) == [*Stage]
    assert [stages.count(stage) for stage in Stage] == [len(passes_of(stage)) + len(stage.cleanup) for stage in Stage]
    ends = {step.stage: step.title for step in steps}
    for stage in Stage:
        assert passes_of(stage), stage
        assert not stage.cleanup or ends[stage] == stage.cleanup[-1]
    assert (*SIMPLIFY, *LOWER) == tuple(Stage)
    assert {step.stage for step in steps if isinstance(step, Builtin)} == {s for s in Stage if s.cleanup}


def reasons() -> Iterator[tuple[str, Mapping[str, str]]]:
    for name, spec in PASSES.items():
        yield name, spec.before
        yield name, spec.after


def test_an_order_has_a_reason() -> None:
    assert all(reason for _, others in reasons() for reason in others.values())
    assert sum(len(others) for _, others in reasons()) > 10
