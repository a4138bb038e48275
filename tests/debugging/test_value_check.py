"""Modules executed after each pass: what is found, and where."""

from pathlib import Path

import numpy as np
import pytest

import ttstack
from ttstack.debugging.bisect import bisect_values, changes_values
from ttstack.debugging.bisect_time import bisect_time
from ttstack.debugging.samples import samples
from ttstack.debugging.search import first_true
from ttstack.debugging.snapshot import Snapshot, execute, with_random_weights
from ttstack.debugging.value_check import check_pipeline
from ttstack.diagnostics import ExecutionError, ValueChangeError
from ttstack.frontends.readers.text import read_string
from ttstack.frontends.source import import_model
from ttstack.options.model import CompileOptions
from ttstack.passes.base import Pipeline
from ttstack.passes.instrumented import Instruments
from ttstack.passes.pipelines import ttir_to_ttnn
from ttstack.passes.rewrite_log import RewriteLog, log_rewrites
from ttstack.passes.weights import Weights

MODEL = """func.func @f(%x: tensor<32x64xf32>, %mask: tensor<32x64xi1>,
    %w: tensor<64x64xf32> {ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "w"}
) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %0 = "ttir.matmul"(%x, %w) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.gelu"(%0) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %2 = "ttir.exp"(%1) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %3 = "ttir.where"(%mask, %2, %x) : (tensor<32x64xi1>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %4 = "ttir.gelu"(%3) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  return %3, %4 : tensor<32x64xf32>, tensor<32x64xf32>
}"""

WRONG = """from ttstack.patterns import pattern, ttir, views

@pattern
def exact(op: views.Exp):
    return None

@pattern
def wrong(op: views.Gelu):
    return ttir.relu(op.input) if op.input.owner.name == "ttir.matmul" else None
"""
ON_TIES = """from ttstack.patterns import pattern, ttir, views

@pattern
def strict(op: views.Ge):
    return ttir.gt(op.lhs, op.rhs, result=op.result_type)
"""
TIES = """func.func @f(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>) -> tensor<32x64xi1> {
  %0 = "ttir.ge"(%x, %y) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xi1>
  return %0 : tensor<32x64xi1>
}"""


def pipeline(patterns: Path | None = None) -> Pipeline:
    return ttir_to_ttnn(CompileOptions(patterns=None if patterns is None else (patterns,)))


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    return file


def checked(source: str, steps: Pipeline, **options: str) -> Instruments:
    instruments = Instruments(check_values=options.get("numerics", "exact"))  # type: ignore[arg-type]
    with import_model(source) as found:
        check_pipeline(found.module, steps, Weights.of(found.weights), instruments)
    return instruments


def test_no_pass_changes_values():
    found = checked(MODEL, pipeline())
    assert len(found.checked) > 5
    for done in found.checked:
        assert done.relative is not None
        assert done.relative < 1e-6
        assert done.pcc == pytest.approx(1.0)
        assert not done.skipped


def test_correlations_with_the_formats_of_the_device():
    found = checked(MODEL, ttir_to_ttnn(CompileOptions.of({"dtype": "bfp8_b"})), numerics="device")
    pccs = {done.step: done.pcc for done in found.checked if done.pcc is not None}
    assert pccs["place"] < 0.99999
    assert min(pccs.values()) > 0.99


def test_the_first_wrong_pass_and_application_are_named(wrong: Path):
    with pytest.raises(ValueChangeError, match="changes values") as e:
        checked(MODEL, pipeline(wrong))
    found = e.value.diagnostic
    assert "apply-patterns" in found.message
    assert found.loc == "<text>:5"
    assert found.notes[0] == "application 1: apply-patterns: wrong of ttir.gelu"
    assert "output 'output." in found.notes[1]


def test_ties_are_among_the_inputs(tmp_path: Path):
    file = tmp_path / "ties.py"
    file.write_text(ON_TIES)
    with pytest.raises(ValueChangeError, match="changes values") as e:
        checked(TIES, pipeline(file))
    assert "on inputs 'ties'" in e.value.diagnostic.notes[1]


def test_inputs_are_random_and_extreme():
    with import_model(MODEL) as found:
        (function,) = Snapshot.of(found.module, Weights()).program().functions
        drawn = {sample.name: sample.inputs for sample in samples(function)}
    assert [*drawn] == ["random", "ties", "extremes"]
    assert drawn["ties"]["arg1"].all()
    assert not drawn["extremes"]["arg1"].any()
    assert not np.isfinite(drawn["extremes"]["arg0"]).all()
    assert len(np.unique(drawn["ties"]["arg0"])) < 10


class TestBisect:
    def found(self, patterns: Path | None, **options: object):
        with import_model(MODEL) as model:
            weights = with_random_weights(model.module, model.weights)
            return bisect_values(model.module, pipeline(patterns), weights, **options)  # type: ignore[arg-type]

    def test_nothing_is_wrong(self):
        assert self.found(None) is None
        assert self.found(None, against="pass") is None

    @pytest.mark.parametrize("against", ["none", "pass"])
    def test_the_application_is_found(self, tmp_path: Path, against: str):
        file = tmp_path / "second.py"
        file.write_text(RIGHT + SECOND)
        culprit = self.found(file, against=against)
        assert culprit is not None
        assert culprit.step.title == "apply-patterns"
        assert culprit.attempt is not None
        assert (culprit.attempt.rewrite, culprit.attempt.location) == ("wrong_exp", "<text>:6")
        with import_model(MODEL):
            assert '"ttir.exp"' in culprit.module()

    def test_the_module_changes_values_alike(self, wrong: Path):
        culprit = self.found(wrong)
        assert culprit is not None
        with import_model(MODEL):
            parse = lambda text: read_string(text, "<text>").module  # noqa: E731
            assert changes_values(culprit.module(), culprit.step, parse)
            assert not changes_values(MODEL, pipeline().passes[5], parse)
            assert not changes_values("func.func @f() { return }", culprit.step, parse)

    def test_against_outputs(self, wrong: Path):
        with import_model(MODEL) as model:
            weights = with_random_weights(model.module, model.weights)
            program = Snapshot.of(model.module, Weights.of(weights)).program()
            sample = samples(program.functions[0], 7)[0]
            golden = execute(program, "f", sample)
        assert self.found(None, against=golden, inputs=sample.inputs) is None
        culprit = self.found(wrong, against=golden, inputs=sample.inputs)
        assert culprit is not None
        assert culprit.step.title == "apply-patterns"
        assert self.found(wrong, against=golden, inputs=sample.inputs, atol=1e6) is None
        other = {name: values + 1 for name, values in golden.items()}
        with pytest.raises(ExecutionError, match="values of the model itself differ"):
            self.found(None, against=other, inputs=sample.inputs)


RIGHT = """from ttstack.patterns import pattern, ttir, views

@pattern
def relu_of_relu(op: views.Relu):
    return None
"""
SECOND = """
@pattern
def wrong_exp(op: views.Exp):
    return ttir.abs(op.input)
"""

SLOWER = """from ttstack.patterns import pattern, ttir, views

@pattern
def split(op: views.Gelu):
    x = op.input
    for _ in range(6):
        x = ttir.cos(x)
    return ttir.relu(x)
"""


def test_a_slower_pass_is_found(tmp_path: Path):
    before = ttstack.compile(MODEL)
    file = tmp_path / "slower.py"
    file.write_text(SLOWER)
    options = CompileOptions(patterns=(file,))
    with import_model(MODEL) as model:
        found = bisect_time(model.module, options, Weights.of(model.weights), before)
        same = bisect_time(model.module, CompileOptions(), Weights.of(model.weights), before)
    assert not same.is_slower
    assert found.is_slower
    assert found.now_ns > found.before_ns


def test_rewrites_stop_after_a_number():
    counts: list[int] = []
    for limit in (None, 2, 0):
        log = RewriteLog(limit)
        with import_model(MODEL) as model, log_rewrites(log):
            pipeline().run(model.module)
        counts.append(sum(a.step in ("fuse", "fuse-activations") for a in log.applications))
        assert [a.number for a in log.applications] == list(range(1, log.applied + 1))
    assert counts[0] > counts[2] == 0


@pytest.mark.parametrize("wanted", range(1, 12))
def test_binary_search(wanted: int):
    asked: list[int] = []
    assert first_true(1, 11, lambda n: bool(asked.append(n)) or n >= wanted) == wanted
    assert len(asked) <= 4


EDGE = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = "ttir.constant"() {value = dense<[8.0, 27.0, 64.0, 125.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %b = "ttir.constant"() {value = dense<[2.0, 3.0, 4.0, 5.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %0 = "ttir.log"(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "ttir.log"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "ttir.div"(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = "ttir.floor"(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "ttir.add"(%x, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}"""


def test_constants_are_computed_in_their_own_format():
    """Quotients of logarithms are 3 or a little less: float64 and float32 round them down to different numbers."""
    found = checked(EDGE, pipeline())
    assert max(done.relative or 0.0 for done in found.checked) < 1e-6
