"""State in parts along its first dimension: held apart where every part is read and written by itself."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack

LAYERS, USERS, HEADS, LENGTH, DEPTH = 3, 2, 2, 64, 32


class Layers(nn.Module):
    """Layers of attention, whose keys and values stand in one tensor each, layer after layer."""

    def __init__(self, read: str = "apart", written: int = LAYERS) -> None:
        super().__init__()
        self.read, self.written = read, written
        self.projections = nn.ModuleList(nn.Linear(64, 3 * 64) for _ in range(LAYERS))
        self.keys, self.values = (nn.Buffer(torch.randn(LAYERS, USERS, HEADS, LENGTH, DEPTH)) for _ in range(2))

    def forward(self, x: Tensor, at: Tensor) -> Tensor:
        seen = torch.arange(LENGTH) <= at
        for i, projection in enumerate(self.projections):
            q, k, v = projection(x).view(USERS, 1, 3, HEADS, DEPTH).permute(2, 0, 3, 1, 4)
            if i < self.written:
                self.keys[i].index_copy_(2, at, k)
                self.values[i].index_copy_(2, at, v)
            out = nn.functional.scaled_dot_product_attention(q, self.keys[i], self.values[i], seen[None, None, None])
            x = x + out.transpose(1, 2).flatten(2)
        return x + self.keys.sum() if self.read == "whole" else x


def compare(model: Layers) -> ttstack.Program:
    inputs = torch.randn(USERS, 1, 64), torch.tensor([40])
    program = ttstack.compile(model, inputs)
    done = program.run(dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True)))
    want = model(*inputs)
    (got,) = done.outputs.values()
    np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
    for name in ("keys", "values"):
        np.testing.assert_allclose(done.updated[name], model.get_buffer(name).numpy(), atol=1e-5)
    return program


def test_caches_of_layers_are_written_and_read_where_they_lie():
    torch.manual_seed(0)
    program = compare(Layers().eval().requires_grad_(False))
    ops = [op.name for op in program.cost().ops]
    assert ops.count("paged_update_cache") == 2 * LAYERS
    assert {"concat", "scatter", "assign"}.isdisjoint(ops)
    parts = {name for name, t in program.function().parameters.items() if t.held}
    assert parts == {f"{name}.{i}" for name in ("keys", "values") for i in range(LAYERS)}
    assert {"keys", "values"} <= program.binary.weights.keys()


@pytest.mark.parametrize("model", [Layers(read="whole"), Layers(written=2)], ids=["read as a whole", "not all written"])
def test_what_is_no_state_in_parts_stays_whole(model: Layers):
    """Its sum reads all of it at once, or one layer's cache never changes."""
    program = compare(model.eval().requires_grad_(False))
    assert program.function().parameters["keys"].held is None
