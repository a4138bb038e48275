"""Values of programs against golden ones; the command's own tests are in `tests/cli/test_golden.py`."""

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.diagnostics import InputError
from ttstack.golden import compare_ops, compare_outputs, golden_values
from ttstack_runtime.numerics import difference


class Two(nn.Module):
    """Two outputs, and a parameter."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.linear = nn.Linear(64, 32)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.linear(x).relu(), y + 1


EXAMPLE = (torch.randn(8, 64, generator=torch.Generator().manual_seed(1)), torch.ones(3))


def exported(seed: int = 0) -> torch.export.ExportedProgram:
    return torch.export.export(Two(seed).eval(), EXAMPLE)


@pytest.fixture(scope="module")
def program() -> ttstack.Program:
    return ttstack.compile(exported())


@pytest.fixture(scope="module")
def inputs() -> dict[str, np.ndarray]:
    return {"x": EXAMPLE[0].numpy(), "y": EXAMPLE[1].numpy()}


def test_pytorch_computes_golden_values(program: ttstack.Program, inputs: dict[str, np.ndarray]):
    golden = golden_values(program, exported(), inputs)
    found = compare_outputs(program.run(inputs), golden)
    assert list(found) == list(program.outputs())
    assert min(d.pcc for d in found.values()) > 0.999999
    rounded = compare_outputs(program.run(inputs, numerics="device"), golden)
    assert max(d.relative for d in rounded.values()) > max(d.relative for d in found.values())


def test_other_parameters_are_named(program: ttstack.Program, inputs: dict[str, np.ndarray]):
    with pytest.raises(InputError, match="other parameters") as error:
        golden_values(program, exported(seed=1), inputs)
    assert error.value.diagnostic.notes == ("'linear.weight' differs", "'linear.bias' differs")


def test_all_faults_of_golden_values_are_named(program: ttstack.Program, inputs: dict[str, np.ndarray]):
    first, second = program.outputs()
    with pytest.raises(InputError) as error:
        compare_outputs(program.run(inputs), {second: np.ones(4), "other": np.ones(1)})
    assert error.value.diagnostic.notes == (
        f"'{first}' is missing",
        "'other' is not an output of the program",
        f"'{second}' has shape 4, the output of the program 3",
    )


def test_each_op_is_compared_with_the_same_program_computed_exactly(inputs: dict[str, np.ndarray]):
    program = ttstack.compile(exported(), dtype="bf16")
    found = compare_ops(program, inputs)
    assert [op.index for op in found] == [op.index for op in program.cost().ops for _ in op.results]
    assert [op.name for op in found] == [op.name for op in program.cost().ops for _ in op.results]
    assert all(0.999 < op.values.pcc <= 1 for op in found)
    assert any(op.values.largest > 0 for op in found)


def test_a_model_of_another_framework_is_compiled_without_rewrites():
    text = """
func.func @forward(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = "ttir.exp"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""
    program = ttstack.compile(text)
    inputs = {name: np.ones(t.shape, np.float32) for name, t in program.inputs().items()}
    ((_, found),) = compare_outputs(program.run(inputs), golden_values(program, text, inputs)).items()
    assert found.largest == 0


def test_the_largest_difference_has_an_index():
    expected = np.zeros((2, 3), np.float32)
    expected[0, 0], values = 4.0, expected.copy()
    values[0, 0] = 4.0
    values[1, 2] = -1.0
    found = difference(values, expected)
    assert (found.largest, found.relative, found.index, found.value, found.expected) == (1.0, 0.25, (1, 2), -1.0, 0.0)


def test_numbers_that_are_not_finite_differ_from_others():
    both = difference([np.inf, np.nan, 1.0], [np.inf, np.nan, 1.0])
    assert (both.pcc, both.largest) == (1.0, 0.0)
    one = difference([np.nan, 1.0], [2.0, 1.0])
    assert (one.pcc, one.largest, one.index) == (0.0, np.inf, (0,))
    assert difference(np.zeros(2), np.zeros(2)).relative == 0.0
    assert difference(np.zeros((0, 3)), np.zeros((0, 3))).largest == 0.0
