"""Writes the files beside it: run it with JAX installed (written with 0.10.2) to make them anew.

For each program, `NAME.mlir` is its StableHLO text, `NAME.stablehlo` the portable artifact, `NAME.jax` the serialized
export, and `NAME.npz` the inputs by name and the outputs in order that JAX computed on a CPU.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

FOLDER = Path(__file__).parent
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # locations without folders
_RNG = np.random.default_rng(0)


def _normal(*shape: int) -> Any:
    return _RNG.standard_normal(shape).astype(np.float32)


def mlp(params: Any, x: Any) -> Any:
    for layer in params:
        x = jax.nn.gelu(x @ layer["w"] + layer["b"], approximate=False)
    return {"probabilities": jax.nn.softmax(x), "best": lax.top_k(x, 3)}


_TABLE = _normal(40, 16)


def attention(ids: Any, w: Any) -> Any:
    x = jnp.asarray(_TABLE)[ids]
    batch, length, width = x.shape
    q, k, v = jnp.split(x @ w, 3, axis=-1)
    q, k, v = (t.reshape(batch, length, 4, width // 4).transpose(0, 2, 1, 3) for t in (q, k, v))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 2
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)
    mixed = mixed.transpose(0, 2, 1, 3).reshape(x.shape) + x
    mean = mixed.mean(-1, keepdims=True)
    return (mixed - mean) * lax.rsqrt(mixed.var(-1, keepdims=True) + 1e-5)


def convolution(x: Any, w: Any, depthwise: Any) -> Any:
    layout = ("NHWC", "HWIO", "NHWC")
    y = jax.nn.relu(lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=layout))
    y = lax.conv_general_dilated(y, depthwise, (1, 1), "VALID", dimension_numbers=layout, feature_group_count=6)
    y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    up = lax.conv_transpose(y, w.transpose(0, 1, 3, 2), (2, 2), "SAME", dimension_numbers=layout)
    return up, y.mean((1, 2))


def scan(x: Any, w: Any) -> Any:
    def step(state: Any, inputs: Any) -> Any:
        state = jnp.tanh(state @ w + inputs)
        return state, state.sum(-1)

    state, sums = lax.scan(step, jnp.zeros_like(x[0]), x)
    powers = lax.fori_loop(0, 3, lambda i, v: v * (i + 1), jnp.arange(4))
    return state, sums, powers


def sort(x: Any, keys: Any) -> Any:
    order = jnp.lexsort((x[:, 0], keys))
    return jnp.sort(x, axis=0), jnp.argsort(-x, axis=1), order, jnp.argmax(x, 1), jnp.argmin(x), jnp.median(x, 0)


def indexing(x: Any, at: Any, updates: Any) -> Any:
    picked = x[at, 1:3]
    added = x.at[at].add(updates)
    row = lax.dynamic_slice(x, (at[0], 0), (2, 4))
    cache = lax.dynamic_update_slice(x, updates[:2], (at[1], 0))
    return picked, added, row, cache, jnp.cumsum(x, 0), jnp.take_along_axis(x, at[:, None], 0)


def training(w: Any, x: Any, y: Any) -> Any:
    def loss(w: Any) -> Any:
        return ((jax.nn.sigmoid(x @ w) - y) ** 2).mean()

    value, gradient = jax.value_and_grad(loss)(w)
    return value, w - 0.1 * gradient


def dropout(x: Any) -> Any:
    return jnp.where(jax.random.bernoulli(jax.random.key(1), 0.5, x.shape), x, 0)


def fft(x: Any) -> Any:
    return jnp.abs(jnp.fft.fft(x))


def until(x: Any) -> Any:
    return lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, x)


def solve(a: Any, b: Any) -> Any:
    return lax.linalg.triangular_solve(a, b, left_side=True)


def update(params: Any, state: Any, x: Any, y: Any) -> Any:
    """A step of Adam as `optax.adam(0.01)` takes it, whose parameters and state are donated."""

    def loss(params: Any) -> Any:
        hidden = jnp.tanh(x @ params["hidden"]["w"] + params["hidden"]["b"])
        found = jax.nn.log_softmax(hidden @ params["out"])
        return -jnp.take_along_axis(found, y[:, None], 1).mean()

    value, gradients = jax.value_and_grad(loss)(params)
    count = state["count"] + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], gradients)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state["square"], gradients)
    rate = 0.01 / (1 - 0.9 ** count.astype(jnp.float32))
    scale = jnp.sqrt(1 - 0.999 ** count.astype(jnp.float32))
    new = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) / scale + 1e-8), params, mean, square)
    return new, {"mean": mean, "square": square, "count": count}, {"loss": value}


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    mlp: ([{"w": _normal(8, 12), "b": _normal(12)}, {"w": _normal(12, 6), "b": _normal(6)}], _normal(4, 8)),
    attention: (_RNG.integers(0, 40, (2, 5)).astype(np.int32), _normal(16, 48)),
    convolution: (_normal(1, 12, 10, 3), _normal(3, 3, 3, 6), _normal(2, 2, 1, 6)),
    scan: (_normal(5, 2, 4), _normal(4, 4)),
    sort: (_normal(6, 5), np.array([2, 0, 1, 2, 0, 1], np.int32)),
    indexing: (_normal(6, 4), np.array([3, 5, 3], np.int32), _normal(3, 4)),
    training: (_normal(6, 2), _normal(5, 6), _normal(5, 2)),
    dropout: (_normal(4, 3),),
    fft: (_normal(8),),
    until: (np.abs(_normal(3)),),
    solve: (_normal(3, 3), _normal(3, 3)),
}
_PARAMS = {"hidden": {"w": _normal(8, 16), "b": _normal(16)}, "out": _normal(16, 4)}
_ZEROS = jax.tree.map(np.zeros_like, _PARAMS)
PROGRAMS[update] = (
    _PARAMS,
    {"mean": _ZEROS, "square": _ZEROS, "count": np.int32(0)},
    _normal(6, 8),
    _RNG.integers(0, 4, 6).astype(np.int32),
)
DONATED = {update: (0, 1)}
"""Arguments whose memory their results take."""


def write(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """All files of one program."""
    exported = export.export(jax.jit(function, donate_argnums=DONATED.get(function, ())))(*arguments)
    path = FOLDER / function.__name__
    path.with_suffix(".mlir").write_text(exported.mlir_module())
    path.with_suffix(".stablehlo").write_bytes(exported.mlir_module_serialized)
    path.with_suffix(".jax").write_bytes(exported.serialize())
    inputs = {f"input{i}": x for i, x in enumerate(jax.tree.leaves(arguments))}
    outputs = {f"output{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(jax.jit(function)(*arguments)))}
    np.savez_compressed(path.with_suffix(".npz"), **inputs, **outputs)


if __name__ == "__main__":
    for program, given in PROGRAMS.items():
        write(program, given)
