"""PyTorch's op database: float32 entries on the CPU, each with the first sample that exports, compared with PyTorch.

Entries without one among the first samples are not tests. It needs the package `expecttest`.
"""

from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree

import ttstack
from benchmarks.op_suites.outcome import Outcome, difference, outcome
from ttstack.support.tensors import to_array, to_torch

_RTOL, _ATOL = 1e-3, 1e-4
_SAMPLES = 8
"""Samples of an entry that are tried until one exports."""
_UNDEFINED = ("empty", "new_empty")
"""Entries whose elements are undefined, of which shapes are compared."""
NOT_EXPORTED = "not exported"


@cache
def _entries() -> dict[str, Any]:
    from torch.testing._internal.common_methods_invocations import op_db

    return {entry.formatted_name: entry for entry in op_db if entry.supports_dtype(torch.float32, "cpu")}


def names() -> list[str]:
    """Return the names of all entries that have float32."""
    return list(_entries())


class _Call(nn.Module):
    """A call of a function on tensors; all other arguments are constants."""

    def __init__(self, function: Any, leaves: list[Any], tree: Any) -> None:
        super().__init__()
        self._function, self._leaves, self._tree = function, leaves, tree

    def forward(self, *tensors: torch.Tensor) -> Any:
        """Return the result."""
        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self._leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self._tree)
        return self._function(*args, **kwargs)


def run(name: str) -> Outcome:
    """Return the outcome of an entry."""
    torch.manual_seed(0)
    np.random.seed(0)
    failure: Exception | None = None
    for sample in _samples(_entries()[name]):
        leaves, tree = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        leaves = [leaf.detach().clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        tensors = tuple(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))
        call = _Call(_entries()[name].op, leaves, tree).eval()
        try:
            with torch.no_grad():
                program = torch.export.export(call, tensors)
                wanted = call(*(tensor.clone() for tensor in tensors))
        except Exception as error:  # PyTorch raises whatever it likes
            failure = failure or error
            continue
        return outcome(partial(_compare, name, program, tensors, wanted, sample.output_process_fn_grad))
    return Outcome(NOT_EXPORTED, f"{type(failure).__name__}: {str(failure)[:200]}")


def _samples(entry: Any) -> list[Any]:
    """Return the first samples of an entry."""
    samples = entry.sample_inputs("cpu", torch.float32, requires_grad=False)
    return list(islice(samples, _SAMPLES))


def _compare(name: str, program: Any, tensors: tuple[torch.Tensor, ...], wanted: Any, process: Any) -> str:
    """Return the first difference of results, after the entry's own function for what is not unique in them."""
    compiled = ttstack.compile(program)
    inputs = {f"tensors_{i}": to_array(tensor) for i, tensor in enumerate(tensors)}
    found = compiled.run({name: inputs[name] for name in compiled.inputs()}).outputs
    leaves, tree = pytree.tree_flatten(wanted)
    given = iter(found.values())
    got = [to_torch(np.array(next(given))) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    if name.startswith(_UNDEFINED):
        got = [torch.zeros_like(leaf) for leaf in got]
        wanted = pytree.tree_map_only(torch.Tensor, torch.zeros_like, wanted)
    pairs = zip(*(_tensors(process(x)) for x in (pytree.tree_unflatten(got, tree), wanted)), strict=True)
    for i, (mine, want) in enumerate(pairs):
        if why := difference(to_array(mine), to_array(want), _RTOL, _ATOL):
            return f"output {i} {why}"
    return ""


def _tensors(result: Any) -> list[torch.Tensor]:
    """Return the tensors of a result; NumPy has no complex numbers of 32 bits."""
    leaves = [leaf.resolve_conj() for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]
    return [leaf.to(torch.complex64) if leaf.dtype == torch.complex32 else leaf for leaf in leaves]
