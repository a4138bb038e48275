"""The graph of a step: PyTorch's autograd and optimizers, traced on tensors without values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from torch import fx, nn
from torch._decomp import decomposition_table
from torch._functorch._aot_autograd.logging_utils import setup_stacktrace_preservation_hooks
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx import traceback as fx_traceback
from torch.fx.experimental.proxy_tensor import make_fx

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.source_lines import as_source_error
from ttstack.frontends.torch.training import gradients, likelihood, scaling, tensor_train
from ttstack.frontends.torch.training.dropout import Dropouts, new_state
from ttstack.frontends.torch.training.forward import ForwardPass
from ttstack.frontends.torch.training.optimizer import NamedOptimizer
from ttstack.frontends.torch.training.phases import PHASE, name_phases
from ttstack.program.step_parts import StepPart

Loss = Callable[..., torch.Tensor]
Schedule = Callable[[torch.Tensor], torch.Tensor]
Scale = float | torch.Tensor


@dataclass(frozen=True)
class TrainingStep:
    """The parts of a step other than the model's forward pass."""

    loss: Loss | None
    """A function of the model's output and the targets; None if the model returns the loss."""
    optimizer: NamedOptimizer
    max_norm: float | None = None
    """The total norm to which larger gradients are clipped."""
    schedule: Schedule | None = None
    """The factor of the rates in a step, a function of the number of earlier steps."""
    micro_batches: int = 1
    """Number of batches of a step, over which gradients are averaged."""
    autocast: torch.dtype | None = None
    """The type of PyTorch's autocast in the forward pass; parameters keep theirs."""
    loss_scale: float | None = 1.0
    """The factor of the loss for the backward pass, by which gradients are divided; None if adaptive."""
    seed: int | None = None
    """The seed of dropout masks; None without dropout."""

    @property
    def stacked(self) -> tuple[int, ...]:
        """The dimension of micro-batches before those of inputs and targets; empty for one."""
        return () if self.micro_batches == 1 else (self.micro_batches,)

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state between steps, except parameters and buffers, by name."""
        counted = {} if self.schedule is None else {STEPS: torch.zeros(())}
        drawn = {} if self.seed is None else new_state(self.seed)
        scaled = {} if self.loss_scale is not None else scaling.new_state()
        return {**self.optimizer.state(), **counted, **drawn, **scaled}


_aten = torch.ops.aten
_DECOMPOSITIONS = {
    **{op: decomposition_table[op] for op in (_aten.native_batch_norm.default, _aten._native_batch_norm_legit.default)},
    **gradients.DECOMPOSITIONS,
    **likelihood.DECOMPOSITIONS,
    **tensor_train.DECOMPOSITIONS,
}
"""Decompositions of ops in their training form, by PyTorch or by ttstack."""

STEPS = "schedule.steps"
"""The number of earlier steps, if rates follow a schedule."""


def trace(
    forward: ExportedProgram,
    step: TrainingStep,
    state: Mapping[str, torch.Tensor],
    tied: Mapping[str, str],
    inputs: Sequence[torch.Tensor],
    targets: Sequence[torch.Tensor],
) -> fx.GraphModule:
    """Trace the step, which updates `state` in place and returns the loss.

    Placeholders are the values of `state`, then inputs, then targets, each with an additional dimension of
    micro-batches if there are several. `tied` maps other names of a parameter to its name in `state`.
    """

    def run(values: list[torch.Tensor], given: list[torch.Tensor], wanted: list[torch.Tensor]) -> torch.Tensor:
        return _step(forward, step, dict(zip(state, values, strict=True)), tied, given, wanted)

    with FakeTensorMode() as mode, torch.compiler._compile_session_context():
        kept = [_without_values(mode, tensor) for tensor in state.values()]
        given = [[_without_values(mode, tensor, *step.stacked) for tensor in group] for group in (inputs, targets)]
        fakes = kept, *given
        with _known_layers():
            found = make_fx(run, _DECOMPOSITIONS)(*fakes)
    found.graph.eliminate_dead_code()
    name_phases(found.graph)
    return found


@contextmanager
def _known_layers() -> Iterator[None]:
    """Use PyTorch's portable decomposition of recurrent layers, not oneDNN's op."""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


def _without_values(mode: FakeTensorMode, tensor: torch.Tensor, *stacked: int) -> torch.Tensor:
    """Return a tensor of the same type without values, for tracing; inputs may have had none."""
    with mode:
        if stacked:
            return torch.empty((*stacked, *tensor.shape), dtype=tensor.dtype, device=tensor.device)
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)


def _step(
    forward: ExportedProgram,
    step: TrainingStep,
    values: dict[str, torch.Tensor],
    tied: Mapping[str, str],
    inputs: list[torch.Tensor],
    targets: list[torch.Tensor],
) -> torch.Tensor:
    trained = {name: values[name].detach().requires_grad_() for name in step.optimizer.trained}
    model = ForwardPass(forward, tied, None if step.seed is None else Dropouts.of_step(values))
    dynamic = None if step.loss_scale else scaling.DynamicScale.of_step(values)
    scale = dynamic.scale if dynamic else step.loss_scale or 1.0
    with fx_traceback.preserve_node_meta(), torch.enable_grad():
        batches = _micro_batches(step, inputs, targets)
        found = [_gradients(model, step, scale, values, trained, *batch) for batch in batches]
        with _part(StepPart.OPTIMIZER), torch.no_grad():
            written = [*trained, *step.optimizer.state()] if dynamic else []
            before = {name: values[name].clone() for name in written}
            for i, value in enumerate(trained.values()):
                value.grad = _mean([gradients[i] for _, gradients in found], scale)
            if step.max_norm is not None:
                nn.utils.clip_grad_norm_(trained.values(), step.max_norm, foreach=False)
            step.optimizer.update(trained, values, _factor(step, values))
            if dynamic:
                there = [value.grad for value in trained.values() if value.grad is not None]
                dynamic.finish(there, before, {**values, **trained})
        with _part(StepPart.LOSS), torch.no_grad():
            loss = _mean([loss for loss, _ in found])
    assert loss is not None
    return loss


def _micro_batches(
    step: TrainingStep, inputs: list[torch.Tensor], targets: list[torch.Tensor]
) -> list[tuple[list[torch.Tensor], list[torch.Tensor]]]:
    """Return the inputs and targets of each micro-batch."""
    if not step.stacked:
        return [(inputs, targets)]
    return [([x[i] for x in inputs], [x[i] for x in targets]) for i in range(step.micro_batches)]


def _gradients(
    model: ForwardPass,
    step: TrainingStep,
    scale: Scale,
    values: dict[str, torch.Tensor],
    trained: dict[str, torch.Tensor],
    inputs: list[torch.Tensor],
    targets: list[torch.Tensor],
) -> tuple[torch.Tensor, tuple[torch.Tensor | None, ...]]:
    """Return the loss, and the gradients of trained parameters, multiplied by the loss scale."""
    with _computing_in(step.autocast):
        output = model.run(values | trained, inputs)
        with _part(StepPart.LOSS):
            loss = _loss(step, output, targets)
            scaled = loss if _is_one(scale) else loss * scale
    if loss.grad_fn is None or scaled.grad_fn is None:
        raise SourceError("the loss depends on no trained parameter", hint="give the optimizer some of them")
    setup_stacktrace_preservation_hooks([scaled.grad_fn])
    with _part(StepPart.BACKWARD):
        return loss.detach(), torch.autograd.grad(scaled, list(trained.values()), allow_unused=True)


def _computing_in(dtype: torch.dtype | None) -> AbstractContextManager[object]:
    """Return PyTorch's autocast without its cache, so that the trace has every cast."""
    return nullcontext() if dtype is None else torch.autocast("cpu", dtype, cache_enabled=False)


def _is_one(scale: Scale) -> bool:
    return isinstance(scale, int | float) and scale == 1


def _mean(found: Sequence[torch.Tensor | None], scale: Scale = 1.0) -> torch.Tensor | None:
    """Return the mean over micro-batches, divided by the scale; None without a gradient."""
    there = [value for value in found if value is not None]
    if not there:
        return None
    total, count = reduce(torch.add, there), scale * len(found)
    return total if _is_one(count) else total / count


def _part(part: StepPart) -> AbstractContextManager[None]:
    return fx_traceback.annotate({PHASE: part})


def _factor(step: TrainingStep, values: Mapping[str, torch.Tensor]) -> torch.Tensor | None:
    if step.schedule is None:
        return None
    form = "it takes the number of steps before as a tensor, whose value is not known yet, and gives one number"
    with as_source_error("the schedule", form):
        factor = step.schedule(values[STEPS].clone())
    if not isinstance(factor, int | float | torch.Tensor) or torch.numel(torch.as_tensor(factor)) != 1:
        shape = f"a tensor of shape {list(factor.shape)}" if isinstance(factor, torch.Tensor) else type(factor).__name__
        raise SourceError(f"the schedule gives no single number but {shape}", hint=form)
    values[STEPS].add_(1)
    return torch.as_tensor(factor, dtype=torch.float32).reshape(())


def _loss(step: TrainingStep, output: Any, targets: list[torch.Tensor]) -> torch.Tensor:
    with as_source_error("the loss", f"its arguments are the model's output and {len(targets)} `targets`"):
        loss = output if step.loss is None else step.loss(output, *targets)
    found = loss if isinstance(loss, torch.Tensor) else getattr(loss, "loss", None)
    if not isinstance(found, torch.Tensor) or found.dim():
        what = "the model returns" if step.loss is None else "the loss gives"
        kind = f"a tensor of shape {list(found.shape)}" if isinstance(found, torch.Tensor) else type(loss).__name__
        raise SourceError(
            f"{what} no single number but {kind}",
            hint="give `loss`, a function of the model's output and the targets that returns one number",
        )
    return found
