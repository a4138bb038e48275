"""Steps of decoding over the static caches of transformers, and over full ones of a window."""

import warnings

import numpy as np
import pytest
import torch
import transformers
from torch import Tensor, nn
from transformers.cache_utils import EncoderDecoderCache, StaticCache

import ttstack

ATTENTION = "scaled_dot_product_attention_decode"


def hold(module: nn.Module, cache: StaticCache, name: str) -> None:
    """Make a cache's tensors buffers of the module."""
    for i, layer in enumerate(cache.layers):
        for kind in ("keys", "values", "cumulative_length"):
            held: Tensor = getattr(layer, kind)
            module.register_buffer(f"{name}{i}_{kind}", held)
            if held.is_floating_point():
                held.normal_()


def make_cache(config: transformers.PreTrainedConfig, users: int, heads: int, width: int, room: int) -> StaticCache:
    cache = StaticCache(config=config, max_cache_len=room)
    cache.early_initialization(users, heads, width, torch.float32, torch.device("cpu"))
    return cache


class GPTJ(nn.Module):
    """Neighbours of the first 32 of 64 elements are turned; angles are looked up."""

    def __init__(self, users: int, room: int) -> None:
        super().__init__()
        config = transformers.GPTJConfig(
            n_layer=1,
            n_embd=128,
            n_head=2,
            rotary_dim=32,
            vocab_size=96,
            n_positions=128,
            bos_token_id=0,
            eos_token_id=0,
        )
        self.model = transformers.GPTJForCausalLM(config)
        self.cache = make_cache(config, users, 2, 64, room)
        hold(self, self.cache, "cache")

    def forward(self, tokens: Tensor, at: Tensor) -> Tensor:
        return self.model(input_ids=tokens, position_ids=at[None], past_key_values=self.cache, use_cache=True).logits


class Whisper(nn.Module):
    """A decoder's step: keys and values of what the encoder gave stand in a cache, where a first step left them."""

    def __init__(self, users: int, sounds: int) -> None:
        super().__init__()
        config = transformers.WhisperConfig(
            vocab_size=96,
            d_model=128,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            decoder_ffn_dim=128,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            decoder_start_token_id=1,
        )
        self.model = transformers.WhisperForConditionalGeneration(config)
        own, other = (make_cache(config, users, 2, 64, room) for room in (64, sounds))
        hold(self, own, "own")
        hold(self, other, "other")
        self.cache = EncoderDecoderCache(own, other)
        self.cache.is_updated[0] = True
        self.sounds = nn.Buffer(torch.randn(users, sounds, 128), persistent=False)

    def forward(self, tokens: Tensor, at: Tensor) -> Tensor:
        decoder = self.model.model.decoder
        return decoder(
            input_ids=tokens,
            encoder_hidden_states=self.sounds,
            past_key_values=self.cache,
            position_ids=at[None],
            use_cache=True,
        ).last_hidden_state


class Window(nn.Module):
    """A full cache of a window: the oldest token leaves it, and the query sees all others."""

    def __init__(self, users: int, groups: int, room: int, *, rolls: bool = False) -> None:
        super().__init__()
        self.rolls = rolls
        self.query, self.key, self.value = (nn.Linear(64, 32 * n) for n in (groups * 4, groups, groups))
        self.keys, self.values = (nn.Buffer(torch.randn(users, groups, room, 32)) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (p(x).unflatten(-1, (-1, 32)).transpose(1, 2) for p in (self.query, self.key, self.value))
        for cache, rows in ((self.keys, k), (self.values, v)):
            cache.copy_(self.rolled(cache, rows) if self.rolls else torch.cat((cache[:, :, 1:], rows), 2))
        return nn.functional.scaled_dot_product_attention(q, self.keys, self.values, enable_gqa=True).flatten(1)

    def rolled(self, cache: Tensor, rows: Tensor) -> Tensor:
        """As transformers has it."""
        found = cache.roll(-1, dims=-2)
        found[:, :, torch.tensor([-1])] = rows
        return found


def check(model: nn.Module, inputs: tuple[Tensor, ...], without: str | tuple[()] = ()) -> list[str]:
    """Compile and run a step, and compare its values; gives the names of its ops."""
    model.eval().requires_grad_(False)
    with warnings.catch_warnings(action="ignore"):
        program = ttstack.compile(model, inputs, without=without)
        done = program.run(dict(zip(program.inputs(), (x.numpy() for x in inputs), strict=True)))
        want = model(*inputs)
    (got,) = done.outputs.values()
    np.testing.assert_allclose(got, want.numpy(), atol=1e-4 * float(want.abs().max()))
    for name, cache in done.updated.items():
        np.testing.assert_allclose(cache, model.get_buffer(name).numpy(), atol=1e-4)
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize("room", [64, 50])
def test_a_step_of_gptj_turns_neighbours_by_one_op(room: int):
    """Caches of whole tiles and such whose last tile is not full."""
    torch.manual_seed(0)
    ops = check(GPTJ(32, room), (torch.randint(96, (32, 1)), torch.tensor([17])))
    assert ops.count("rotary_embedding") == ops.count("paged_update_cache") == 2
    assert {"concat", "neg"}.isdisjoint(ops)


def test_keys_of_an_encoder_are_computed_once():
    torch.manual_seed(0)
    ops = check(Whisper(2, 150), (torch.randint(96, (2, 1)), torch.tensor([5])))
    products = [op for op in ops if op in ("matmul", "linear")]
    assert len(products) == len(("query, key and value", "out", "query", "out", "up", "down"))
    assert ops.count("paged_update_cache") == 2


@pytest.mark.parametrize(("without", "scatters"), [((), 0), ("fold-identities", 2)])
def test_a_row_takes_the_place_of_the_one_that_was_rolled_there(without: str | tuple[()], scatters: int):
    torch.manual_seed(0)
    ops = check(Window(4, 2, 64, rolls=True), (torch.randn(4, 1, 64),), without=without)
    assert ops.count("scatter") == scatters


@pytest.mark.parametrize(("users", "groups", "room"), [(32, 2, 96), (32, 8, 100), (8, 1, 1024)])
def test_full_caches_are_read_by_the_op_for_single_tokens(users: int, groups: int, room: int):
    torch.manual_seed(0)
    x = torch.randn(users, 1, 64)
    assert ATTENTION in check(Window(users, groups, room), (x,))
    assert ATTENTION not in check(Window(users, groups, room), (x,), without="decode-attention")
