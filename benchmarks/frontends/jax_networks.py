"""Networks of the zoo and of `plain`, written in Flax: `python jax_networks.py NAME FILE` writes StableHLO text.

It needs JAX and Flax (written with 0.10.2 and 0.12.8), and nothing of this package. Weights are drawn, and part of the
program; extents are those of the networks of these names.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import export

WIDTH, HEADS, INNER, LAYERS = 64, 4, 128, 2
_norm = partial(nn.LayerNorm, epsilon=1e-5)
_gelu = partial(nn.gelu, approximate=False)


class Feed(nn.Module):
    """Two layers of neurons."""

    inner: int
    activation: Callable[[Any], Any] = _gelu

    @nn.compact
    def __call__(self, x: Any) -> Any:
        """Rows to rows of the same width."""
        return nn.Dense(x.shape[-1])(self.activation(nn.Dense(self.inner)(x)))


class Encoder(nn.Module):
    """Attention and neurons, each with a norm behind it."""

    @nn.compact
    def __call__(self, x: Any) -> Any:
        """(users, length, width) to the same."""
        for _ in range(LAYERS):
            x = _norm()(x + nn.MultiHeadDotProductAttention(HEADS)(x))
            x = _norm()(x + Feed(INNER)(x))
        return x


class Bert(nn.Module):
    """Words, positions and segments, an encoder, and what the first token says; keys are hidden where there is none."""

    @nn.compact
    def __call__(self, ids: Any, mask: Any) -> Any:
        """(users, length) to (users, length, width) and (users, width)."""
        places, segments = jnp.arange(ids.shape[1])[None], jnp.zeros_like(ids)
        embed = partial(nn.Embed, features=WIDTH)
        x = _norm()(embed(100)(ids) + embed(2)(segments) + embed(512)(places))
        seen = nn.make_attention_mask(jnp.ones_like(mask), mask)
        for _ in range(LAYERS):
            x = _norm()(x + nn.MultiHeadDotProductAttention(HEADS)(x, mask=seen))
            x = _norm()(x + Feed(INNER)(x))
        return x, nn.tanh(nn.Dense(WIDTH)(x[:, 0]))


class Gpt2(nn.Module):
    """A decoder with norms before attention and neurons; the embedding is the head too."""

    @nn.compact
    def __call__(self, ids: Any) -> Any:
        """(users, length) to (users, length, words)."""
        words = nn.Embed(100, WIDTH)
        x = words(ids) + nn.Embed(64, WIDTH)(jnp.arange(ids.shape[1])[None])
        causal = nn.make_causal_mask(ids)
        for _ in range(LAYERS):
            x = x + nn.MultiHeadDotProductAttention(HEADS)(_norm()(x), mask=causal)
            x = x + Feed(4 * WIDTH, nn.gelu)(_norm()(x))
        return words.attend(_norm()(x))


class Llama(nn.Module):
    """A decoder with rotary positions, RMS norms, a gated MLP and groups of queries for each head of keys."""

    keys: int = 2
    width: int = WIDTH // HEADS
    gate: Callable[[Any], Any] = nn.silu
    scaled: bool = False
    """Whether the embedding is scaled, as Gemma's is."""

    @nn.compact
    def __call__(self, ids: Any) -> Any:
        """(users, length) to (users, length, words)."""
        norm, dense = partial(nn.RMSNorm, epsilon=1e-6), partial(nn.Dense, use_bias=False)
        words = nn.Embed(100, WIDTH)
        x = words(ids) * (WIDTH**0.5 if self.scaled else 1)
        for _ in range(LAYERS):
            rows = norm()(x)
            q, k, v = (
                dense(n * self.width)(rows).reshape(*ids.shape, n, self.width) for n in (HEADS, self.keys, self.keys)
            )
            mixed = jax.nn.dot_product_attention(_turn(q), _turn(k), v, is_causal=True)
            x = x + dense(WIDTH)(mixed.reshape(*ids.shape, -1))
            rows = norm()(x)
            x = x + dense(WIDTH)(self.gate(dense(INNER)(rows)) * dense(INNER)(rows))
        return words.attend(norm()(x)) if self.scaled else dense(100)(norm()(x))


def _turn(x: Any) -> Any:
    """Rotary embeddings of halves, as Gemma's reference has them."""
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[1])[:, None] / 10_000 ** (jnp.arange(half) / half)
    cos, sin = (f(angles)[None, :, None, :] for f in (jnp.cos, jnp.sin))
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


class Vit(nn.Module):
    """An encoder over patches of an image, channels last."""

    @nn.compact
    def __call__(self, image: Any) -> Any:
        """(users, rows, columns, channels) to (users, classes)."""
        x = nn.Conv(WIDTH, (8, 8), strides=(8, 8), padding="VALID")(image).reshape(image.shape[0], -1, WIDTH)
        first = self.param("first", nn.initializers.normal(), (1, 1, WIDTH))
        x = jnp.concatenate([jnp.tile(first, (x.shape[0], 1, 1)), x], axis=1)
        x = x + self.param("places", nn.initializers.normal(), (1, x.shape[1], WIDTH))
        for _ in range(LAYERS):
            x = x + nn.MultiHeadDotProductAttention(HEADS)(_norm()(x))
            x = x + Feed(INNER)(_norm()(x))
        return nn.Dense(2)(_norm()(x)[:, 0])


class ResNet(nn.Module):
    """Bottlenecks of three convolutions with batch norm, and shortcuts, channels last."""

    @nn.compact
    def __call__(self, image: Any) -> Any:
        """(users, rows, columns, channels) to (users, classes)."""
        x = nn.relu(self._convolution(image, 16, 7, 2))
        x = nn.max_pool(x, (3, 3), (2, 2), ((1, 1), (1, 1)))
        for width, depth, stride in ((32, 1, 1), (64, 2, 2)):
            for i in range(depth):
                step = stride if i == 0 else 1
                inner = nn.relu(self._convolution(x, width // 4, 1, 1))
                inner = nn.relu(self._convolution(inner, width // 4, 3, step))
                inner = self._convolution(inner, width, 1, 1)
                x = nn.relu(inner + (self._convolution(x, width, 1, step) if i == 0 else x))
        return nn.Dense(2)(x.mean((1, 2)))

    def _convolution(self, x: Any, width: int, size: int, stride: int) -> Any:
        pad = [(size // 2, size // 2)] * 2
        x = nn.Conv(width, (size, size), strides=(stride, stride), padding=pad, use_bias=False)(x)
        return nn.BatchNorm(use_running_average=True)(x)


class Recurrent(nn.Module):
    """Recurrent layers over steps, in one direction or in both, and scores of the last output."""

    cell: Callable[..., Any]
    both: bool = False

    @nn.compact
    def __call__(self, x: Any) -> Any:
        """(steps, users, width) to (users, classes)."""
        forward = nn.RNN(self.cell(32), time_major=True)
        layer = nn.Bidirectional(forward, nn.RNN(self.cell(32), time_major=True), time_major=True)
        return nn.Dense(10)((layer if self.both else forward)(x)[-1])


class Mixer(nn.Module):
    """Neurons over tokens and over channels."""

    @nn.compact
    def __call__(self, x: Any) -> Any:
        """(users, tokens, width) to the same."""
        for _ in range(LAYERS):
            x = x + Feed(2 * x.shape[1])(_norm()(x).swapaxes(1, 2)).swapaxes(1, 2)
            x = x + Feed(2 * x.shape[2])(_norm()(x))
        return x


_WORDS = jax.ShapeDtypeStruct((2, 32), "int32")
_ROWS = jax.ShapeDtypeStruct((2, 32, WIDTH), "float32")
_STEPS = jax.ShapeDtypeStruct((4, 2, 32), "float32")
_IMAGE = jax.ShapeDtypeStruct((2, 32, 32, 3), "float32")
NETWORKS: Mapping[str, tuple[nn.Module, tuple[jax.ShapeDtypeStruct, ...]]] = {
    "bert": (Bert(), (_WORDS, _WORDS)),
    "gpt2": (Gpt2(), (_WORDS,)),
    "llama": (Llama(), (_WORDS,)),
    "gemma": (Llama(keys=1, width=32, gate=nn.gelu, scaled=True), (_WORDS,)),
    "vit": (Vit(), (_IMAGE,)),
    "resnet": (ResNet(), (_IMAGE,)),
    "encoder": (Encoder(), (_ROWS,)),
    "gru": (Recurrent(nn.GRUCell), (_STEPS,)),
    "bidirectional": (Recurrent(nn.OptimizedLSTMCell, both=True), (_STEPS,)),
    "mixer": (Mixer(), (_ROWS,)),
}


def main(name: str, file: str) -> None:
    """Write one network."""
    network, shapes = NETWORKS[name]
    given = [
        jax.random.normal(jax.random.key(1), s.shape) if s.dtype == "float32" else jnp.ones(s.shape, s.dtype)
        for s in shapes
    ]
    variables = network.init(jax.random.key(0), *given)
    leaves, tree = jax.tree.flatten(variables)
    drawn = [jax.random.normal(jax.random.key(i), leaf.shape) * 0.1 + 0.5 for i, leaf in enumerate(leaves)]
    weights = jax.tree.unflatten(tree, drawn)
    Path(file).write_text(export.export(jax.jit(partial(network.apply, weights)))(*shapes).mlir_module())


if __name__ == "__main__":
    if sys.argv[1:]:
        main(*sys.argv[1:])
    else:
        print(*NETWORKS)
