"""Buffers and inputs that a PyTorch model writes to: compiled, run, and handed from one run to the next."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import nn
from transformers.integrations.executorch import TorchExportableModuleWithStaticCache

import ttstack

Arrays = Mapping[str, np.ndarray[Any, Any]]


class Cached(nn.Module):
    """Attends over a cache that a function writes a row to."""

    cache: torch.Tensor
    steps: torch.Tensor

    def __init__(self, write: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], object], heads: int = 2) -> None:
        super().__init__()
        self.write = write
        self.register_buffer("cache", torch.zeros(2, heads, 8, 4), persistent=False)
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def forward(self, x: torch.Tensor, at: torch.Tensor) -> dict[str, torch.Tensor]:
        before = self.cache.sum()
        self.write(self.cache, at, x)
        self.steps += 1
        return {"y": x @ self.cache.mT, "before": before, "steps": self.steps}


WRITES: dict[str, tuple[Callable[[torch.Tensor, torch.Tensor, torch.Tensor], object], str]] = {
    "index_copy_": (lambda cache, at, x: cache.index_copy_(2, at, x), "paged_update_cache"),
    "assignment": (lambda cache, at, x: cache.__setitem__((slice(None), slice(None), at), x), "paged_update_cache"),
    "known slice": (
        lambda cache, at, x: cache.__setitem__((slice(None), slice(None), slice(3, 4)), x),
        "paged_update_cache",
    ),
    "first rows": (lambda cache, at, x: cache.__setitem__((slice(None), slice(None), slice(1)), x), "fill_cache"),
    "known positions": (lambda cache, at, x: cache.index_copy_(2, torch.arange(4, 5), x), "paged_update_cache"),
    "choice": (lambda cache, at, x: cache.copy_(torch.where((torch.arange(8) == at)[:, None], x, cache)), "assign"),
    "masked": (lambda cache, at, x: cache.masked_fill_(torch.arange(8)[:, None] <= at, 2.0), "assign"),
    "scatter_": (lambda cache, at, x: cache.scatter_(2, at.expand(2, 2, 1, 4), x), "assign"),
    "accumulation": (lambda cache, at, x: cache.index_add_(2, at, x), "assign"),
}


def state_of(model: nn.Module) -> Arrays:
    return {name: buffer.numpy() for name, buffer in model.named_buffers()}


def assert_close(got: Arrays, want: Mapping[str, Any]) -> None:
    assert got.keys() == want.keys()
    for name, value in want.items():
        np.testing.assert_allclose(got[name], value, 1e-5, err_msg=name)


@pytest.mark.parametrize("how", WRITES)
def test_runs_that_follow_one_another_agree_with_pytorch(how: str):
    write, op = WRITES[how]
    model, generator = Cached(write), torch.Generator().manual_seed(0)
    x, at = torch.randn(2, 2, 1, 4, generator=generator), torch.tensor([5])
    program = ttstack.compile(model, (x, at))
    assert op in [o.name for o in program.function().operations]
    state: Arrays = {}
    for step in range(3):
        x = torch.randn(2, 2, 1, 4, generator=generator)
        run = program.run({"x": x.numpy(), "at": np.array([step])} | dict(state))
        assert_close(run.outputs, model(x, torch.tensor([step])))
        assert_close(run.updated, state_of(model))
        state = run.updated


def test_a_saved_program_goes_on_from_the_state_that_it_is_given(tmp_path):
    model = Cached(WRITES["index_copy_"][0])
    x, at = np.ones((2, 2, 1, 4), np.float32), np.array([5])
    ttstack.compile(model, (torch.from_numpy(x), torch.from_numpy(at))).save(tmp_path / "cached.ttb")
    program = ttstack.load(tmp_path / "cached.ttb")
    first = program.run({"x": x, "at": at}).updated
    assert program.run({"x": x, "at": at - 1} | dict(first)).updated["cache"].sum() == 2 * first["cache"].sum()
    assert program.run({"x": x, "at": at}).updated["steps"] == 1


class Swapping(nn.Module):
    """State that other state becomes, that is given out as it was, and of which views are given out."""

    a: torch.Tensor
    b: torch.Tensor
    same: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("a", torch.arange(64.0 * 32).reshape(64, 32))
        self.register_buffer("b", torch.zeros(64, 32))
        self.register_buffer("same", torch.ones(3))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        a, view = self.a.clone(), self.a.clone().view(2, 32, 32)
        self.a.copy_(self.b)
        self.b.copy_(a)
        self.same.copy_(self.same)
        x.add_(1)
        return a, view, self.a, x * 2


def test_old_values_are_given_out_and_swapped():
    model, x = Swapping(), torch.zeros(4)
    program = ttstack.compile(model, (x.clone(),))
    assert [op.name for op in program.cost().ops].count("clone") == 2  # of a and b, for all that read them
    run = program.run({"x": x.numpy()})
    wanted = model(x)
    assert_close(run.outputs, {f"output.{i}": y for i, y in enumerate(wanted)})
    assert_close(run.updated, {"a": model.a, "b": model.b, "x": np.ones(4)})


class OnlyState(nn.Module):
    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> None:
        self.seen.mul_(0.5).add_(x)


def test_a_model_may_give_nothing_but_its_state():
    run = ttstack.compile(OnlyState(), (torch.ones(4),)).run({"x": np.ones(4, np.float32)})
    assert (dict(run.outputs), run.updated["seen"].tolist()) == ({}, [1.0] * 4)


class Hidden(nn.Module):
    """State where torch.export finds it by looking at the code alone, or not at all."""

    def __init__(self, *, registered: bool) -> None:
        super().__init__()
        self.states = [torch.zeros(2)]
        if registered:
            self.register_buffer("state", self.states[0])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.states[0].add_(x) * 2


def test_a_buffer_that_is_reached_by_another_way_is_found():
    program = ttstack.compile(Hidden(registered=True), (torch.ones(2),))
    assert program.run({"x": np.ones(2, np.float32)}).updated["state"].tolist() == [1, 1]


def test_state_that_is_no_buffer_is_refused_at_its_line():
    with pytest.raises(ttstack.TTStackError, match="neither a buffer nor an input") as e:
        ttstack.compile(Hidden(registered=False), (torch.ones(2),))
    assert "test_torch_updates.py" in (e.value.diagnostic.loc or "")
    assert "register_buffer" in (e.value.diagnostic.hint or "")


def llama() -> TorchExportableModuleWithStaticCache:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        vocab_size=50,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    model.generation_config = transformers.GenerationConfig(use_cache=True, cache_implementation="static")
    return TorchExportableModuleWithStaticCache(model, batch_size=1, max_cache_len=16, device=torch.device("cpu"))


def test_tokens_decoded_over_a_static_cache_are_pytorchs():
    model = llama()
    token, at = torch.tensor([[3]]), torch.tensor([0])
    program = ttstack.compile(model, {"input_ids": token, "cache_position": at})
    names = [o.name for o in program.function().operations]
    assert (names.count("paged_update_cache"), names.count("scatter")) == (4, 0)
    state: Arrays = {}
    for step in range(6):
        inputs = {"input_ids": token.numpy(), "cache_position": np.array([step])}
        run = program.run(inputs | dict(state))
        with torch.no_grad():
            want = model(input_ids=token, cache_position=torch.tensor([step]))
        np.testing.assert_allclose(run.outputs["output"], want, 1e-4, 1e-5)
        state, token = run.updated, want[:, -1:].argmax(-1)
    assert state["cumulative_length_0"] == 6
