"""Writes the files beside it: run it with JAX installed (written with 0.10.2) to make them anew.

Each is the StableHLO text of attention of two heads of 64 tokens: spelled out, or JAX's own function.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import export

FOLDER = Path(__file__).parent
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")  # locations without folders
LENGTH, WINDOW = 64, 12


def _places() -> tuple[Any, Any]:
    return jnp.arange(LENGTH)[:, None], jnp.arange(LENGTH)[None, :]


def spelled_documents(q: Any, k: Any, v: Any) -> Any:
    """Two documents of 32 tokens, hidden from one another by minus infinity."""
    i, j = _places()
    scores = jnp.where(i // 32 == j // 32, jnp.einsum("bhqd,bhkd->bhqk", q, k) * 0.25, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


def spelled_bias(q: Any, k: Any, v: Any) -> Any:
    """Causal by an addition."""
    i, j = _places()
    scores = q @ k.swapaxes(-1, -2) / 4 + jnp.where(j <= i, 0.0, -1e9)
    return jax.nn.softmax(scores) @ v


def spelled_grouped(q: Any, k: Any, v: Any) -> Any:
    """Causal, two heads of queries for each of keys, which XLA has first in both products."""
    i, j = _places()
    apart = q.swapaxes(1, 2).reshape(q.shape[0], LENGTH, k.shape[1], -1, q.shape[-1]) * 0.25
    scores = jnp.where(j <= i, jnp.einsum("btkgd,bskd->bkgts", apart, k.swapaxes(1, 2)), -jnp.inf)
    mixed = jnp.einsum("bkgts,bskd->btkgd", jax.nn.softmax(scores), v.swapaxes(1, 2))
    return mixed.reshape(q.shape[0], LENGTH, -1, q.shape[-1]).swapaxes(1, 2)


def spelled_bf16(q: Any, k: Any, v: Any) -> Any:
    """Causal in bf16 with a softmax that adds up in float32, and queries that are divided, as Flax has it."""
    i, j = _places()
    scores = jnp.einsum("bhqd,bhkd->bhqk", q / jnp.sqrt(16).astype(q.dtype), k)
    scores = jnp.where(j <= i, scores, jnp.finfo(q.dtype).min)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


def library_documents(q: Any, k: Any, v: Any) -> Any:
    """The same by JAX's own function."""
    i, j = _places()
    return _heads_last(q, k, v, mask=(i // 32 == j // 32)[None, None])


def library_window(q: Any, k: Any, v: Any) -> Any:
    """The last tokens up to each."""
    return _heads_last(q, k, v, is_causal=True, local_window_size=(WINDOW - 1, 0))


def library_all(q: Any, k: Any, v: Any) -> Any:
    """Without a mask."""
    return _heads_last(q, k, v)


def library_alibi(q: Any, k: Any, v: Any) -> Any:
    """Causal, with slopes of eight heads beside it."""
    at, slopes = jnp.arange(q.shape[2]), 2.0 ** -jnp.arange(1.0, 9.0)
    bias = slopes[:, None, None] * (at[None, :] - at[:, None])
    return _heads_last(q, k, v, bias=bias[None], is_causal=True)


def library_causal_bf16(q: Any, k: Any, v: Any) -> Any:
    """Causal in bf16, whose scores are in float32."""
    return _heads_last(q, k, v, is_causal=True)


def library_grouped(q: Any, k: Any, v: Any) -> Any:
    """Two heads of queries for each of keys, in bf16, of which each query sees the last."""
    return _heads_last(q, k, v, is_causal=True, local_window_size=(WINDOW - 1, 0))


def library_grouped_documents(q: Any, k: Any, v: Any) -> Any:
    """Two documents of 512 tokens, whose mask is too large to be made as a whole."""
    at = jnp.arange(q.shape[2]) // 512
    return _heads_last(q, k, v, mask=(at[:, None] == at[None, :])[None, None])


def library_grouped_bias(q: Any, k: Any, v: Any, bias: Any) -> Any:
    """What is added to scores of each head, in bf16."""
    return _heads_last(q, k, v, bias=bias)


def library_lengths(q: Any, k: Any, v: Any) -> Any:
    """Keys up to a length of each of the batch, causal, two heads of queries for each of keys."""
    return _heads_last(q, k, v, is_causal=True, key_value_seq_lengths=jnp.array([20, 50]))


def update(params: Any, x: Any, y: Any) -> Any:
    """A step of gradient descent of attention with two heads of queries for each of keys."""

    def loss(params: Any) -> Any:
        heads = [(x @ params[name]).reshape(*x.shape[:2], -1, 16) for name in ("q", "k", "v")]
        mixed = jax.nn.dot_product_attention(*heads, is_causal=True).reshape(*x.shape[:2], -1)
        return ((mixed @ params["out"] - y) ** 2).mean()

    value, gradients = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, g: p - 0.5 * g, params, gradients), {"loss": value}


def _heads_last(q: Any, k: Any, v: Any, **options: Any) -> Any:
    turned = [x.swapaxes(1, 2) for x in (q, k, v)]
    return jax.nn.dot_product_attention(*turned, **options).swapaxes(1, 2)


def write(function: Callable[..., Any], *shapes: tuple[int, ...], dtype: str = "float32") -> None:
    """The file of one function, of queries, keys, and what else has a shape; values are as keys."""
    query, key, *others = shapes
    heads = [jax.ShapeDtypeStruct(shape, dtype) for shape in (query, key, key, *others)]
    text = export.export(jax.jit(function))(*heads).mlir_module()
    (FOLDER / function.__name__).with_suffix(".mlir").write_text(text)


if __name__ == "__main__":
    for program in (spelled_documents, spelled_bias, library_documents, library_window, library_all):
        write(program, *[(1, 2, LENGTH, 16)] * 2)
    write(library_alibi, *[(1, 8, 1024, 64)] * 2)
    for program in (library_causal_bf16, spelled_bf16):
        write(program, *[(2, 4, LENGTH, 16)] * 2, dtype="bfloat16")
    grouped = (2, 4, LENGTH, 16), (2, 2, LENGTH, 16)
    write(library_grouped, *grouped, dtype="bfloat16")
    write(library_grouped_bias, *grouped, (2, 4, LENGTH, LENGTH), dtype="bfloat16")
    write(library_grouped_documents, (2, 8, 1024, 16), (2, 4, 1024, 16))
    write(library_lengths, *grouped)
    write(spelled_grouped, *grouped)
    shapes = {"q": (32, 64), "k": (32, 32), "v": (32, 32), "out": (64, 32)}
    weights = {name: jax.ShapeDtypeStruct(shape, "float32") for name, shape in shapes.items()}
    rows = jax.ShapeDtypeStruct((2, LENGTH, 32), "float32")
    text = export.export(jax.jit(update, donate_argnums=0))(weights, rows, rows).mlir_module()
    (FOLDER / "update.mlir").write_text(text)
