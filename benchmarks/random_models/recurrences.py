"""Random recurrences: modules of PyTorch, and steps written out over few tokens."""

from collections.abc import Callable, Mapping
from random import Random

import torch
from torch import Tensor, nn
from torch.nn import functional

Drawn = tuple[nn.Module, tuple[Tensor, ...]]


class Module(nn.Module):
    """A recurrent module, with its outputs and the last state of its first kind."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs of all steps, and the last state."""
        rows, state = self.module(x)
        return rows, state[0] if isinstance(state, tuple) else state


def _module(rng: Random) -> Drawn:
    kind = rng.choice((nn.LSTM, nn.GRU, nn.RNN))
    width, hidden, steps, users = (rng.choice(of) for of in ((8, 32, 40), (16, 32, 48), (1, 3, 5), (1, 2, 33)))
    first = rng.random() < 0.5
    made = kind(
        width,
        hidden,
        num_layers=rng.choice((1, 2)),
        batch_first=first,
        bidirectional=rng.random() < 0.4,
        bias=rng.random() < 0.7,
    )
    return Module(made), (torch.randn(*((users, steps) if first else (steps, users)), width),)


class Selective(nn.Module):
    """A state space whose step depends on the input, as Mamba has it."""

    def __init__(self, width: int, states: int) -> None:
        super().__init__()
        self.into, self.of = nn.Linear(width, 2 * width, bias=False), nn.Linear(width, 2 * states + 1)
        self.decay = nn.Parameter(torch.rand(width, states))
        self.skip, self.out = nn.Parameter(torch.rand(width)), nn.Linear(width, width)
        self.states = states

    def forward(self, x: Tensor) -> Tensor:
        """(users, steps, width) to the same."""
        rows, gate = self.into(x).chunk(2, -1)
        step, b, c = self.of(rows).split((1, self.states, self.states), -1)
        step, state, found = functional.softplus(step), torch.zeros(x.shape[0], x.shape[2], self.states), list[Tensor]()
        keep = torch.exp(-step[..., None] * self.decay)
        add = (step * rows)[..., None] * b[:, :, None]
        for t in range(x.shape[1]):
            state = keep[:, t] * state + add[:, t]
            found.append((state * c[:, t, None]).sum(-1))
        return self.out((torch.stack(found, 1) + rows * self.skip) * functional.silu(gate))


class Linear(nn.Module):
    """Attention without softmax: a sum of outer products is the state, at once or step by step."""

    def __init__(self, width: int, heads: int, *, cumulative: bool) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads, self.cumulative = heads, cumulative

    def forward(self, x: Tensor) -> Tensor:
        """(users, steps, width) to the same."""
        parts = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        q, k, v = parts
        q, k = functional.elu(q) + 1, functional.elu(k) + 1
        if self.cumulative:
            states = (k[..., :, None] * v[..., None, :]).cumsum(2)
            found = (q[..., None, :] @ states)[..., 0, :]
        else:
            scores = (q @ k.mT).tril()
            found = scores @ v / (scores.sum(-1, keepdim=True) + 1e-6)
        return self.out(found.transpose(1, 2).flatten(2))


class Mixing(nn.Module):
    """Tokens mixed with the one before, and a decaying sum, as RWKV has it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix, self.decay = nn.Parameter(torch.rand(width)), nn.Parameter(torch.rand(width))
        self.key, self.value, self.gate, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        """(users, steps, width) to the same."""
        before = functional.pad(x, (0, 0, 1, 0))[:, :-1]
        mixed = x * self.mix + before * (1 - self.mix)
        k, v, gate = self.key(mixed).exp(), self.value(mixed), torch.sigmoid(self.gate(x))
        keep, above, below = torch.exp(-self.decay), torch.zeros_like(x[:, 0]), torch.zeros_like(x[:, 0])
        found = list[Tensor]()
        for t in range(x.shape[1]):
            above, below = keep * above + k[:, t] * v[:, t], keep * below + k[:, t]
            found.append(above / below)
        return self.out(gate * torch.stack(found, 1))


def _selective(rng: Random) -> Drawn:
    width = rng.choice((16, 32, 48, 128))
    return Selective(width, rng.choice((4, 8, 16))), (torch.randn(rng.choice((1, 2)), rng.choice((1, 4, 7)), width),)


def _linear(rng: Random) -> Drawn:
    heads, depth = rng.choice((1, 2, 4)), rng.choice((8, 32))
    model = Linear(heads * depth, heads, cumulative=rng.random() < 0.5)
    return model, (torch.randn(rng.choice((1, 2)), rng.choice((5, 32, 33)), heads * depth),)


def _mixing(rng: Random) -> Drawn:
    width = rng.choice((16, 32, 40))
    return Mixing(width), (torch.randn(rng.choice((1, 3)), rng.choice((1, 4, 6)), width) / 2,)


KINDS: Mapping[str, Callable[[Random], Drawn]] = {
    "module": _module,
    "selective": _selective,
    "linear": _linear,
    "mixing": _mixing,
}
