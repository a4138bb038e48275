"""PyTorch's own results of a model, for comparisons."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from ttstack.diagnostics import InputError
from ttstack.frontends.torch.export import export
from ttstack.support.tensors import to_array, to_torch


def run_torch(
    source: nn.Module | ExportedProgram | str | Path,
    inputs: Sequence[np.ndarray[Any, Any]],
    weights: Mapping[str, np.ndarray[Any, Any]],
) -> tuple[list[np.ndarray[Any, Any]], list[str]]:
    """Return the outputs of a model for inputs in order, and the names of parameters that differ from `weights`.

    Raises:
        SourceError: the model cannot be exported.
        InputError: the model has other inputs.
    """
    program = export(source)
    leaves, tree = pytree.tree_flatten(program.example_inputs)
    places = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    shapes = [tuple(leaves[n].shape) for n in places]
    if shapes != [array.shape for array in inputs]:
        given = [tuple(array.shape) for array in inputs]
        raise InputError(f"the model has inputs of shapes {shapes}, the program {given}", hint="give its own model")
    for n, array in zip(places, inputs, strict=True):
        leaves[n] = to_torch(array).to(leaves[n].dtype)
    args, kwargs = pytree.tree_unflatten(leaves, tree)
    with torch.no_grad():
        found = program.module()(*args, **kwargs)
    outputs = [leaf for leaf in pytree.tree_leaves(found) if isinstance(leaf, torch.Tensor)]
    others = [name for name, tensor in program.state_dict.items() if _differs(tensor, weights.get(name))]
    return [to_array(leaf) for leaf in outputs], others


def _differs(tensor: torch.Tensor, weight: np.ndarray[Any, Any] | None) -> bool:
    """Return True if a program has a different parameter of this name."""
    if weight is None or tensor.is_meta or weight.size != tensor.numel():
        return False
    own = to_array(tensor)
    return not np.array_equal(own.ravel(), weight.astype(own.dtype).ravel(), equal_nan=False)
