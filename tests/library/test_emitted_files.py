"""Emitted files as a user has them: run with their weights beside them, and judged by the library's golden functions."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ttstack
from tests.forms.test_forms import FAMILIES
from tests.library.golden_functions import Golden, Judged, golden_functions, judge
from tests.library.test_library import PROGRAMS
from tests.ttnn_python.values import compare, compare_forms
from ttstack.compiled_program import Program
from ttstack.library.boards import board_of
from ttstack.library.run import mock_environment
from ttstack.ttnn_python import write_python
from ttstack_runtime.inputs import random_inputs, random_weights

pytestmark = pytest.mark.library

EVERY = 5
"""One of so many forms is judged."""

JUDGED = 60
"""Functions of the library, at least, that golden functions judge in these forms."""

DECLINED = frozenset(
    {
        "add",  # after an activation, which it looks up by the kind alone
        "avg_pool2d",  # asks for a module that is not in the wheel
        "bitcast",  # of rows that a wider format does not divide
        "embedding",  # of tables of more than two dimensions
        "gelu",  # by the vector unit's table
        "max_pool2d",  # as avg_pool2d
        "multiply",  # as add
        "scatter",  # with an operation, which it does not read
        "subtract",  # as add
        "typecast",  # of what is not finite, to integers
    }
)
"""Functions whose golden function does not take some calls."""

ROWS = """func.func @rows(%x: tensor<4x7xsi32>, %w: tensor<7xsi32> {tt.argument_type = #tt.argument_type<"parameter">},
    %v: tensor<64x64xf32> {tt.argument_type = #tt.argument_type<"parameter">}, %y: tensor<32x64xf32>)
    -> (tensor<4x7xsi32>, tensor<32x64xf32>) {
  %0 = "ttir.add"(%x, %w) : (tensor<4x7xsi32>, tensor<7xsi32>) -> tensor<4x7xsi32>
  %1 = "ttir.matmul"(%y, %v) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  return %0, %1 : tensor<4x7xsi32>, tensor<32x64xf32>
}"""

WEIGHTS: dict[str, Callable[[], Program]] = {
    "resnet": lambda: ttstack.compile("examples.zoo.resnet:small", dtype="bf16"),
    "bert": lambda: ttstack.compile("examples.zoo.bert:small", dtype="bf16"),
    "llama": lambda: ttstack.compile("examples.zoo.llama:small", dtype="bf16"),
    "resnet_f32": lambda: ttstack.compile("examples.zoo.resnet:small", dtype="f32"),
    "bert_bfp8": lambda: ttstack.compile("examples.zoo.bert:small", dtype="bfp8_b"),
    "dlrm": lambda: ttstack.compile("examples.zoo.dlrm:small", dtype="bf16"),
    "f32_and_integers": lambda: ttstack.compile(ROWS),
    **{name: PROGRAMS[name] for name in ("p150", "n300", "weights_over_banks")},
}


@pytest.fixture(scope="module")
def goldens(interpreter: Path) -> dict[str, Golden]:
    """Those of the wheel."""
    (library,) = interpreter.parent.parent.glob("lib/python3*/site-packages/ttnn")
    return golden_functions(library)


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_written_program_runs_with_its_weights(name: str, interpreter: Path, tmp_path: Path):
    program = Program(random_weights(WEIGHTS[name]().binary, 0))
    path = tmp_path / "model.py"
    write_python(program.binary, program.function(), name, path, path.with_suffix(".safetensors"))
    with mock_environment(board_of(program.binary, program.function()), interpreter) as environment:
        ended = subprocess.run(
            [str(interpreter.absolute()), path.name],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", ""), ended.stderr[-2000:]


@pytest.fixture(scope="module")
def judged(goldens: dict[str, Golden]) -> Judged:
    """What golden functions say of the calls in some forms of all ops."""
    found = Judged()
    library = judge(goldens, found)
    for family in FAMILIES:
        compare_forms(family, EVERY, library)
    return found


def test_golden_functions_compute_what_the_stand_in_does(judged: Judged):
    assert judged.differences == []
    assert len(judged.calls) >= JUDGED
    assert {name: why for name, why in judged.declined.items() if name not in DECLINED} == {}


CHOICES = """func.func @chosen(%q: tensor<1x2x32x64xbf16>, %k: tensor<1x2x32x64xbf16>, %v: tensor<1x2x32x64xbf16>,
    %sink: tensor<1x2x1x1xbf16>, %x: tensor<4x8xf32>) -> (tensor<1x2x32x64xbf16>, tensor<4x8xui16>) {
  %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v, %sink) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>, is_causal = true}
    : (tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x2x1x1xbf16>) -> tensor<1x2x32x64xbf16>
  %1 = "ttir.typecast"(%x) : (tensor<4x8xf32>) -> tensor<4x8xui16>
  return %0, %1 : tensor<1x2x32x64xbf16>, tensor<4x8xui16>
}"""
"""An attention sink, which the library's kernel multiplies by the scale, and integers to which it rounds."""


def test_what_the_library_scales_and_rounds_is_as_the_runtime_has_it(goldens: dict[str, Golden]):
    judged = Judged()
    program = ttstack.compile(CHOICES)
    inputs = {name: np.abs(x) for name, x in random_inputs(program.function(), 0).items()}
    found = compare(program, inputs=inputs, ttnn=judge(goldens, judged))
    assert (found.differences, judged.differences) == ([], [])
    assert judged.calls["transformer.scaled_dot_product_attention"]
    assert judged.calls["typecast"]
