"""Export of a PyTorch model, with torch's error if it fails."""

import traceback
import warnings
from contextlib import suppress
from pathlib import Path
from textwrap import shorten

import torch
from torch import nn
from torch.export import ExportedProgram
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from torch.utils import _pytree as pytree

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.alone import alone
from ttstack.frontends.torch.archive import load_archive
from ttstack.frontends.torch.factory import Example, load_factory
from ttstack.frontends.torch.flex_attention import on_any_device
from ttstack.frontends.torch.graph import find_lost_updates
from ttstack.frontends.torch.inputs import split_inputs
from ttstack.frontends.torch.source_lines import line_of_error, spell


def export(source: nn.Module | ExportedProgram | str | Path, example_inputs: object = None) -> ExportedProgram:
    """Return the exported program of `source`, traced with `example_inputs` at their shapes.

    Args:
        source: A module, an exported program, the path of one, or `package.module:factory`.
        example_inputs: A tensor, a tuple or list of positional arguments, or a mapping of arguments by name, in place
        of those from the factory; or their shapes, as in `split_inputs`.

    Raises:
        SourceError: there are no inputs to trace with, a shape is invalid, torch.export rejects the model, or a file
        contains no program.
    """
    example = load_factory(source) if isinstance(source, str) else Example(source)
    if isinstance(example.model, Path | ExportedProgram):
        if example_inputs is not None:
            raise SourceError("an exported program has its shapes", hint="leave out `inputs`, or export it with them")
        return load_archive(example.model) if isinstance(example.model, Path) else example.model
    if example_inputs is not None:
        example = Example(example.model, *split_inputs(example_inputs))
    if not isinstance(example.model, nn.Module):
        raise SourceError(f"cannot export a {type(example.model).__name__}", hint="pass a torch.nn.Module")
    if example.args is None:
        raise SourceError(
            f"`{type(example.model).__name__}` needs example inputs to be exported",
            hint="pass `inputs`, examples or shapes such as [(32, 256)], or let the factory return (module, inputs)",
        )
    return trace_forward(example.model, example, gradients=False)


def trace_forward(model: nn.Module, example: Example, *, gradients: bool) -> ExportedProgram:
    """Return the exported program of a model in its current mode; `gradients` keeps `requires_grad`.

    Raises:
        SourceError: torch.export rejects the model.
    """
    try:
        with alone(), on_any_device(), torch.set_grad_enabled(gradients):
            return _export(model, example)
    except Exception as e:
        raise SourceError(
            f"`{type(model).__name__}` cannot be exported: {_reason(e)}",
            loc=spell(line_of_error(e)),
            notes=(f"{type(e).__name__} raised by torch.export",),
            hint=_way_out(e),
        ) from e


def _export(model: nn.Module, example: Example) -> ExportedProgram:
    """Export as torch.export does by default; in strict mode if that would lose writes to the model's state.

    Inputs of a model on the meta device are used only for their shapes.
    """
    args, kwargs = example.args or (), dict(example.kwargs)
    if any(parameter.is_meta for parameter in model.parameters()):
        args, kwargs = pytree.tree_map_only(torch.Tensor, lambda t: t.to("meta"), (args, kwargs))
    program = torch.export.export(model, args, kwargs)
    if not find_lost_updates(program):
        return program
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        return torch.export.export(model, args, kwargs, strict=True)
    return program


def _reason(error: Exception) -> str:
    if isinstance(error, GuardOnDataDependentSymNode):
        return "it branches on the value of a tensor"
    if _trains(error):
        return "its forward computes gradients, which is training"
    return shorten((str(error).strip() or "no reason given").splitlines()[0], 240, placeholder=" ...")


def _way_out(error: Exception) -> str:
    if isinstance(error, GuardOnDataDependentSymNode):
        return "select with torch.where, or take the decision before the export"
    if _trains(error):
        return "leave out backward() and the optimizer's step: ttstack.compile_step adds them to the forward pass"
    return "torch.export.draft_export(model, args) lists all obstacles"


def _trains(error: Exception) -> bool:
    """Return True if autograd raised the error, as torch.export does not record it."""
    frames = traceback.extract_tb(error.__traceback__)
    return any(frame.name in ("backward", "grad") and "/torch/autograd/" in frame.filename for frame in frames)
