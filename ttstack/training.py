"""A training step as one program: forward, loss, backward and the optimizer's update."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ttstack import api
from ttstack.compiled_program import Program
from ttstack.frontends.readers.extra import frontend
from ttstack.options.choices import Choices
from ttstack.options.spelled_options import spell_options

if TYPE_CHECKING:
    from ttstack.passes.instrumented import Instruments


@spell_options
def compile_step(
    module: Any,
    example_inputs: Any = None,
    *,
    optimizer: Any = None,
    loss: Callable[..., Any] | None = None,
    targets: Any = None,
    max_norm: float | None = None,
    schedule: Callable[[Any], Any] | None = None,
    micro_batches: int | None = None,
    autocast: Any = None,
    loss_scale: float | str | None = None,
    seed: int | None = None,
    dump_ir: str | Path | None = None,
    keep_ir: bool = False,
    progress: Callable[[str], None] | None = None,
    instruments: "Instruments | None" = None,
    **options: Unpack[Choices],
) -> Program:
    """Compile a training step; the program returns `loss` and updates parameters, buffers and optimizer state.

    Every run is one step. The next one continues from the state of the last: `program.run(inputs | last.updated)`.

    Args:
        module: An `nn.Module` in the mode in which it is trained, or `package.module:factory` of a function that
        returns all of these arguments except options by name, as a dictionary.
        example_inputs: The inputs of its `forward`, as for `compile`: examples or shapes.
        optimizer: A `torch.optim.Optimizer` of the module's parameters, whose state is the initial one, or a function
        that creates one: `partial(torch.optim.SGD, lr=0.1)`. Neither it nor the module is changed.
        loss: A function of the module's output and the targets that returns one number; None if the module returns it.
        targets: An example, or the shape, of the loss's second argument; a tuple for several arguments. The program has
        them as inputs `target`, or `target.0` and so on.
        max_norm: The total norm to which gradients are clipped.
        schedule: The factor of the optimizer's rates in a step, as a function on tensors of the number of earlier
        steps, such as `lambda step: torch.clamp((step + 1) / 100, max=1)`.
        micro_batches: Number of batches per step, 1 by default: inputs and targets have an additional first dimension
        for them. Gradients and loss are averaged.
        autocast: `bf16` or `f16`, the type of the forward pass, as in PyTorch's autocast; parameters, their gradients
        and the optimizer's state keep theirs. With `half_dtype="bfp8_b"` it becomes bfp8.
        loss_scale: The factor of the loss for the backward pass, by which gradients are divided; 1 by default.
        `dynamic` keeps it in the state, halves it if a gradient is not finite, skipping that step's update, and doubles
        it after 2,000 steps without one.
        seed: The seed of dropout masks, 0 by default; it is state of the program, and each step has different masks.
        dump_ir: As in `compile`.
        keep_ir: As in `compile`.
        progress: As in `compile`.
        instruments: As in `compile`.
        options: As in `compile`.

    Raises:
        TTStackError: the model, loss, optimizer or options are invalid; lists all ops without a conversion.
    """
    start = time.perf_counter()
    if progress:
        progress("trace")
    torch = frontend("torch", "PyTorch")
    asked = {
        "optimizer": optimizer,
        "loss": loss,
        "targets": targets,
        "max_norm": max_norm,
        "schedule": schedule,
        "micro_batches": micro_batches,
        "autocast": autocast,
        "loss_scale": loss_scale,
        "seed": seed,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    if isinstance(module, str):
        step = torch.load_step(module, {"example_inputs": example_inputs, **given})
    else:
        step = torch.export_step(module, example_inputs, **{"optimizer": optimizer, **given})
    traced = time.perf_counter() - start
    program = api.compile(step, dump_ir=dump_ir, keep_ir=keep_ir, progress=progress, instruments=instruments, **options)
    return replace(program, phases={"trace": traced, **program.phases})
