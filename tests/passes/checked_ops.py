"""What a model with one input compiles to, where its values are PyTorch's."""

import torch
from torch import nn

import ttstack


def checked_ops(
    model: nn.Module, shape: tuple[int, ...], *, atol: float, without: tuple[str, ...] = ()
) -> list[tuple[str, tuple[int, ...]]]:
    """The ops and shapes of the program for an input `x`, whose values are PyTorch's to 1e-4 and `atol`."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        x = torch.randn(shape)
    program = ttstack.compile(model.eval(), (x,), without=without)
    (result,) = program.run({"x": x.numpy()}).outputs.values()
    torch.testing.assert_close(torch.from_numpy(result), model(x), rtol=1e-4, atol=atol)
    return [(op.name, op.results[0].type.shape) for op in program.cost().ops]
