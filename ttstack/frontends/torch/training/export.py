"""Export of a model, a loss and an optimizer as one program."""

import math
from typing import Any

import torch
from torch import nn
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.alone import alone
from ttstack.frontends.torch.export import trace_forward
from ttstack.frontends.torch.factory import Example
from ttstack.frontends.torch.flex_attention import without_flex_attention
from ttstack.frontends.torch.inputs import split_inputs
from ttstack.frontends.torch.training.dropout import drops
from ttstack.frontends.torch.training.joint import Loss, Schedule, TrainingStep, trace
from ttstack.frontends.torch.training.optimizer import NamedOptimizer, OptimizerLike
from ttstack.frontends.torch.training.program import build_program
from ttstack.frontends.torch.training.scaling import DYNAMIC


def export_step(
    module: nn.Module,
    example_inputs: object,
    *,
    optimizer: OptimizerLike,
    loss: Loss | None = None,
    targets: object = None,
    max_norm: float | None = None,
    schedule: Schedule | None = None,
    micro_batches: int = 1,
    autocast: str | torch.dtype | None = None,
    loss_scale: float | str = 1.0,
    seed: int = 0,
) -> ExportedProgram:
    """Return the program of one step, which returns the loss and updates parameters, buffers and optimizer state.

    Args:
        module: The model, in training mode or not; it and the optimizer are unchanged.
        example_inputs: The inputs of its `forward`, as for `ttstack.compile`.
        optimizer: An optimizer of the model's parameters, or a function that creates one: `partial(torch.optim.SGD,
        lr=0.1)`.
        loss: A function of the model's output and the targets that returns one number; None if the model returns the
        loss.
        targets: An example of the loss's other arguments, or a tuple of them; shapes are possible too.
        max_norm: The total norm to which gradients are clipped.
        schedule: The factor of the optimizer's rates in a step: a function of the number of earlier steps, a tensor.
        micro_batches: Number of batches of a step, along a new first dimension of inputs and targets.
        autocast: The type of PyTorch's autocast in the forward pass, such as `bf16`.
        loss_scale: The factor of the loss for the backward pass, by which gradients are divided; `dynamic` adapts it
        during training, as PyTorch's GradScaler does.
        seed: The seed of dropout masks, which differ in each step.

    Raises:
        SourceError: torch.export rejects the model, a table has sparse gradients, the loss is not a number, or the
        optimizer is of another model.
    """
    if not isinstance(module, nn.Module):
        raise SourceError(f"cannot train a {type(module).__name__}", hint="pass a torch.nn.Module")
    _check_gradients(module)
    named = NamedOptimizer(optimizer, module)
    _check(max_norm, micro_batches, loss_scale, seed)
    example = Example(module, *split_inputs(example_inputs))
    forward = without_flex_attention(trace_forward(module, example, gradients=True))
    dtype, drawn = _float_type(autocast), seed if drops(forward) else None
    scale = None if isinstance(loss_scale, str) else loss_scale
    step = TrainingStep(loss, named, max_norm, schedule, micro_batches, dtype, scale, drawn)
    wanted = _targets(targets)
    tied = _tied_names(module)
    kept = {name: value for name, value in _kept(forward).items() if tied.get(name, name) == name} | step.state()
    with alone():
        graph = trace(forward, step, kept, tied, _inputs(forward), wanted)
    return build_program(forward, graph, kept, wanted)


def _check_gradients(module: nn.Module) -> None:
    for name, table in module.named_modules():
        if isinstance(table, nn.Embedding | nn.EmbeddingBag) and table.sparse:
            raise SourceError(
                f"the gradient of '{name}.weight' is a sparse tensor, which no program holds",
                hint="make the table with sparse=False: SGD's and Adagrad's updates are the same; "
                "SparseAdam takes no dense gradient, use Adam",
            )


def _check(max_norm: object, micro_batches: object, loss_scale: object, seed: object) -> None:
    for name, given in {"max_norm": max_norm, "micro_batches": micro_batches, "loss_scale": loss_scale}.items():
        if isinstance(given, bool):
            raise SourceError(f"{name} is {given!r}", hint="give a number, or leave it out")
    if max_norm is not None and not (isinstance(max_norm, int | float) and max_norm > 0):
        raise SourceError(f"max_norm is {max_norm!r}", hint="give a number above 0, such as 1.0")
    if not isinstance(micro_batches, int) or micro_batches < 1:
        raise SourceError(f"micro_batches is {micro_batches!r}", hint="give a whole number from 1 on")
    if loss_scale != DYNAMIC and (not isinstance(loss_scale, int | float) or not 0 < loss_scale < math.inf):
        raise SourceError(f"loss_scale is {loss_scale!r}", hint=f"give a number above 0, such as 1024, or {DYNAMIC!r}")
    if not isinstance(seed, int) or not 0 <= seed < _SEEDS:
        raise SourceError(f"seed is {seed!r}", hint=f"give a whole number from 0 to {_SEEDS - 1}")


_SEEDS = 2**31
"""Number of seeds that a signed 32-bit input can represent."""

_AUTOCAST = {"bf16": torch.bfloat16, "f16": torch.float16, None: None}


def _float_type(given: object) -> torch.dtype | None:
    """Return the type of autocast."""
    for name, dtype in _AUTOCAST.items():
        if given is dtype or given == name:
            return dtype
    hint = "give 'bf16', or 'f16' with a loss_scale; for bfp8, 'bf16' and half_dtype='bfp8_b'"
    raise SourceError(f"autocast is {given!r}", hint=hint)


def _tied_names(module: nn.Module) -> dict[str, str]:
    """Return the first name of each parameter, by all its names."""
    first = {id(parameter): name for name, parameter in module.named_parameters()}
    return {name: first[id(parameter)] for name, parameter in module.named_parameters(remove_duplicate=False)}


def _targets(given: object) -> list[torch.Tensor]:
    """Return tensors for an example or a shape, or for a tuple of them."""
    if given is None:
        return []
    args, _ = split_inputs(given if isinstance(given, tuple) else (given,))
    for value in args:
        if not isinstance(value, torch.Tensor):
            raise SourceError(
                f"`targets` holds a value of type {type(value).__name__}",
                hint="give a tensor, an array or a shape, or a tuple of them where the loss takes several",
            )
    return list(args)


def _kept(forward: ExportedProgram) -> dict[str, Any]:
    """Return parameters, buffers and constants by name."""
    names = (str(s.target) for s in forward.graph_signature.input_specs if s.kind != InputKind.USER_INPUT)
    return {name: forward.state_dict[name] if name in forward.state_dict else forward.constants[name] for name in names}


def _inputs(forward: ExportedProgram) -> list[torch.Tensor]:
    """Return the tensors among the inputs, without their values."""
    specs, nodes = forward.graph_signature.input_specs, forward.graph.find_nodes(op="placeholder")
    given = (n.meta["val"] for spec, n in zip(specs, nodes, strict=True) if spec.kind == InputKind.USER_INPUT)
    return [value for value in given if isinstance(value, torch.Tensor)]
