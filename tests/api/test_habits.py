"""What users of PyTorch, JAX and ONNX Runtime type first: it works, or says what to type."""

import inspect
import pydoc
from typing import Any, get_args

import numpy as np
import pytest
import torch

import ttstack
from ttstack.options.choices import (
    CHOICES,
    FormatName,
    Policy,
    PolicyName,
    Precision,
    PrecisionName,
    RealFormat,
    Recompute,
    RecomputeName,
)

X = torch.arange(16.0).reshape(2, 8)


class Two(torch.nn.Module):
    """Two inputs, two outputs."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sum and the difference."""
        return x + y, x - y


@pytest.fixture(scope="module")
def linear() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Linear(8, 4).eval()


@pytest.fixture(scope="module")
def program(linear: torch.nn.Module) -> ttstack.Program:
    return ttstack.compile(linear, X)


@pytest.fixture(scope="module")
def two() -> ttstack.Program:
    return ttstack.compile(Two(), (X, X))


@pytest.fixture(scope="module")
def want(linear: torch.nn.Module) -> np.ndarray[Any, Any]:
    return linear(X).detach().numpy()


class TestCalls:
    def test_a_tensor_gives_a_tensor(self, program: ttstack.Program, want: np.ndarray[Any, Any]):
        found = program(X)
        assert isinstance(found, torch.Tensor)
        np.testing.assert_allclose(found.numpy(), want, rtol=1e-5)

    def test_a_tensor_with_a_gradient(self, program: ttstack.Program):
        assert isinstance(program(X.clone().requires_grad_()), torch.Tensor)

    def test_an_array_gives_an_array(self, program: ttstack.Program, want: np.ndarray[Any, Any]):
        found = program(X.numpy())
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, want, rtol=1e-5)

    def test_lists_give_an_array(self, program: ttstack.Program, want: np.ndarray[Any, Any]):
        np.testing.assert_allclose(program(X.tolist()), want, rtol=1e-5)

    def test_a_mapping_gives_a_mapping(self, program: ttstack.Program, want: np.ndarray[Any, Any]):
        found = program({"input": X})
        assert list(found) == list(program.outputs())
        np.testing.assert_allclose(found["output"].numpy(), want, rtol=1e-5)

    def test_values_by_name(self, two: ttstack.Program):
        np.testing.assert_array_equal(two(X, y=X)[0], 2 * X)

    def test_several_outputs_are_a_tuple(self, two: ttstack.Program):
        total, difference = two(X, 2 * X)
        np.testing.assert_array_equal(total, 3 * X)
        np.testing.assert_array_equal(difference, -X)

    def test_run_takes_what_a_call_takes(self, two: ttstack.Program):
        done = two.run(X, X)
        assert isinstance(done.values[0], torch.Tensor)
        np.testing.assert_array_equal(done.values[0], 2 * X)
        np.testing.assert_array_equal(two.run({"x": X.numpy(), "y": X.numpy()}).values[0], 2 * X)

    def test_bfloat16_comes_back(self):
        program = ttstack.compile(torch.nn.ReLU(), X.bfloat16())
        assert program(X.bfloat16()).dtype == torch.bfloat16

    def test_random_inputs_where_none_are_given(self, program: ttstack.Program):
        assert program.run().outputs["output"].shape == (2, 4)
        assert program.run(None).outputs["output"].shape == (2, 4)


class TestRefusals:
    def test_onnx_runtime_gives_output_names_first(self, program: ttstack.Program):
        with pytest.raises(ttstack.TTStackError) as e:
            program.run(None, {"input": X})
        assert "give the mapping alone" in (e.value.diagnostic.hint or "")

    def test_too_many_values(self, program: ttstack.Program):
        with pytest.raises(ttstack.TTStackError, match="2 values are given for 1 input"):
            program(X, X)

    def test_one_input_twice(self, program: ttstack.Program):
        with pytest.raises(ttstack.TTStackError, match="'input' is given by position and by name"):
            program(X, input=X)

    def test_too_few_values(self, two: ttstack.Program):
        with pytest.raises(ttstack.TTStackError) as e:
            two(X)
        assert "'y' is missing: tensor<2x8xf32>" in str(e.value)

    def test_ragged_lists(self, two: ttstack.Program):
        with pytest.raises(ttstack.TTStackError, match="inputs are not arrays") as e:
            two([[1.0], [1.0, 2.0]], [[1.0], [1.0, 2.0]])
        assert [note.partition(" is ")[0] for note in e.value.diagnostic.notes] == ["'x'", "'y'"]

    @pytest.mark.parametrize(
        ("name", "instead"),
        [("cost_analysis", "program.cost()"), ("memory_analysis", "program.cost().memory"), ("get_inputs", "inputs()")],
    )
    def test_names_of_others(self, program: ttstack.Program, name: str, instead: str):
        with pytest.raises(AttributeError) as e:
            getattr(program, name)
        assert instead in str(e.value)
        assert not hasattr(program, "nothing_like_it")

    @pytest.mark.parametrize(
        ("option", "meant"), [("device", "system_desc"), ("example_inputs", "inputs"), ("placment", "placement")]
    )
    def test_options_of_others(self, linear: torch.nn.Module, option: str, meant: str):
        with pytest.raises(ttstack.TTStackError) as e:
            ttstack.compile(linear, X, **{option: "n150"})  # pyright: ignore[reportArgumentType]
        assert f"{option}: no such option; did you mean '{meant}'?" in e.value.diagnostic.notes


class TestOptions:
    @pytest.mark.parametrize("dtype", ["bfloat16", torch.bfloat16, "bf16"])
    def test_formats_by_the_names_of_frameworks(self, linear: torch.nn.Module, dtype: Any):
        assert "bf16" in ttstack.compile(linear, X, dtype=dtype).cost().heading

    @pytest.mark.parametrize(
        ("names", "enum"),
        [(PolicyName, Policy), (FormatName, RealFormat), (PrecisionName, Precision), (RecomputeName, Recompute)],
    )
    def test_literals_are_the_values_that_there_are(self, names: Any, enum: Any):
        of_enum, literals, _ = get_args(names)
        assert of_enum is enum
        assert get_args(literals) == tuple(enum)

    def test_help_lists_each_option(self):
        found = inspect.signature(ttstack.compile).parameters
        assert set(CHOICES) <= set(found)
        assert found["placement"].default == "greedy"
        assert "optimal" in pydoc.render_doc(ttstack.compile)
