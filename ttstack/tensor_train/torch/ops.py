"""Lookups as two operators that torch.export keeps whole, and their gradients as a third for torch.compile.

Cores are index-major: core `k` is `(n_k, r_{k-1}, m_k * r_k)`. Row factors and ranks follow from their shapes.
"""
# Not all of PyTorch says its types.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ttstack.tensor_train.torch.lookup import distinct_rows

_TABLE = "Tensor indices, Tensor[] cores, int rows, int[] col_factors"
_BAGS = """Tensor? offsets=None, Tensor? per_sample_weights=None, str mode="sum", bool include_last_offset=False,
int? padding_idx=None"""


def _bags(
    indices: Tensor,
    cores: Sequence[Tensor],
    rows: int,
    col_factors: Sequence[int],
    offsets: Tensor | None = None,
    per_sample_weights: Tensor | None = None,
    mode: str = "sum",
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    once, table, places = distinct_rows(indices, cores, rows, prod(col_factors))
    padding = None if padding_idx is None else (once == padding_idx).nonzero()
    return functional.embedding_bag(
        places,
        table,
        offsets,
        mode=mode,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=int(padding[0]) if padding is not None and len(padding) else None,
    )


@torch.library.custom_op("ttstack::tensor_train_embedding", mutates_args=(), schema=f"({_TABLE}) -> Tensor")
def tensor_train_embedding(indices: Tensor, cores: Sequence[Tensor], rows: int, col_factors: Sequence[int]) -> Tensor:
    """Return rows of a table, `(*indices.shape, cols)`."""
    _, table, places = distinct_rows(indices, cores, rows, prod(col_factors))
    return table[places]


tensor_train_embedding_bag = torch.library.custom_op(
    "ttstack::tensor_train_embedding_bag", _bags, mutates_args=(), schema=f"({_TABLE}, {_BAGS}) -> Tensor"
)


@tensor_train_embedding.register_fake
def _(indices: Tensor, cores: Sequence[Tensor], rows: int, col_factors: Sequence[int]) -> Tensor:
    return cores[0].new_empty((*indices.shape, prod(col_factors)))


@tensor_train_embedding_bag.register_fake
def _(*arguments: Any) -> Tensor:
    given = _named(arguments)
    indices, offsets = given["indices"], given["offsets"]
    bags = indices.shape[0] if offsets is None else offsets.shape[0] - int(given["include_last_offset"])
    return given["cores"][0].new_empty((bags, prod(given["col_factors"])))


def _named(arguments: Sequence[Any]) -> dict[str, Any]:
    """Return arguments of a bag lookup by name, with PyTorch's defaults."""
    bound = signature(_bags).bind(*arguments)
    bound.apply_defaults()
    return bound.arguments


def _gradients(gradient: Tensor, *arguments: Any) -> list[Tensor]:
    """Return gradients of the cores, and of the weights if present, by running the lookup again."""
    given = _named(arguments)
    given["cores"] = wanted = [core.detach().requires_grad_() for core in given["cores"]]
    if given["per_sample_weights"] is not None:
        given["per_sample_weights"] = given["per_sample_weights"].detach().requires_grad_()
        wanted = [*wanted, given["per_sample_weights"]]

    def found() -> list[Tensor]:
        pooled = _bags(**given)
        return list(torch.autograd.grad(pooled, wanted, gradient.contiguous(), materialize_grads=True))

    with ThreadPoolExecutor(1) as thread:  # PyTorch records nothing in the one that runs an operator
        return thread.submit(found).result()


_backward = torch.library.custom_op(
    "ttstack::tensor_train_embedding_bag_backward",
    _gradients,
    mutates_args=(),
    schema=f"(Tensor gradient, {_TABLE}, {_BAGS}) -> Tensor[]",
)


@_backward.register_fake
def _(gradient: Tensor, *arguments: Any) -> list[Tensor]:
    given = _named(arguments)
    weights = given["per_sample_weights"]
    return [torch.empty_like(t) for t in (*given["cores"], *(() if weights is None else (weights,)))]


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.inputs = inputs


def _rows_backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    indices, cores, rows, col_factors = ctx.inputs
    flat = gradient.reshape(-1, prod(col_factors))
    return None, _backward(flat, indices.reshape(-1, 1), cores, rows, col_factors), None, None


def _bags_backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    count = len(ctx.inputs[1])
    found = _backward(gradient, *ctx.inputs)
    weights = found[count] if len(found) > count else None
    grads = (None, found[:count], None, None, None, weights, None, None, None)
    return grads[: len(ctx.needs_input_grad)]  # arguments left at their defaults at the end have none


tensor_train_embedding.register_autograd(_rows_backward, setup_context=_save)
tensor_train_embedding_bag.register_autograd(_bags_backward, setup_context=_save)
