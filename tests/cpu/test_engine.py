"""Programs for a device, executed by the processor: what the runtime gives."""

import pickle

import numpy as np
import pytest
import torch

import ttstack
from tests.models import vision
from ttstack.diagnostics import InputError


def test_a_network_gives_what_the_runtime_gives():
    module, inputs = vision.resnet()
    program = ttstack.compile(module, inputs)
    values = dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True))
    want = program.run(values).outputs
    for _ in range(2):
        have = program.run(values, engine="cpu").outputs
        assert have.keys() == want.keys()
        for name, w in want.items():
            assert np.abs(have[name] - w).max() < 1e-5 * np.abs(w).max()


@pytest.mark.parametrize("shape", [(2, 3), (32, 32, 3, 3)], ids=["as it is", "held as a matrix"])
def test_what_is_written_to_is_updated(shape: tuple[int, ...]):
    class Counter(torch.nn.Module):
        seen: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.zeros(shape))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen.add_(x)
            return self.seen * 2

    program = ttstack.compile(Counter().eval(), [shape])
    x = np.ones(shape, np.float32)
    want, have = program.run({"x": x}), program.run({"x": x}, engine="cpu")
    assert have.updated.keys() == want.updated.keys()
    for name, w in want.updated.items():
        np.testing.assert_array_equal(have.updated[name], w)


def test_numerics_of_the_device_are_refused():
    program = ttstack.compile("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    with pytest.raises(InputError, match="does not compute with numerics 'device'"):
        program.run(engine="cpu", numerics="device")


def test_an_engine_that_there_is_not_is_refused():
    program = ttstack.compile("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    with pytest.raises(InputError, match="no engine 'gpu'"):
        program.run(engine="gpu")  # pyright: ignore[reportArgumentType]


def test_a_program_that_ran_on_the_processor_can_be_sent_to_another_process():
    program = ttstack.compile("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    x = {"arg0": np.ones(2, np.float32)}
    program.run(x, engine="cpu")
    again = pickle.loads(pickle.dumps(program))
    assert again.function() == program.function()
    assert program.cost() is program.cost()
    assert again.cost() == program.cost()
    np.testing.assert_array_equal(again.run(x, engine="cpu").outputs["output"], x["arg0"])
