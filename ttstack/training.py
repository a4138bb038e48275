"""A step of training as one program: forward, loss, backward and the optimizer's update."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ttstack import api
from ttstack.compiled_program import Program
from ttstack.frontends.readers.extra import frontend
from ttstack.options.choices import Choices

if TYPE_CHECKING:
    from ttstack.passes.instrumented import Instruments


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
    """Compile a step of training; the program gives `loss` and writes to parameters, buffers and optimizer's state.

    Every run is one step. The next begins where the last one ended: `program.run(inputs | last.updated)`.

    Args:
        module: An `nn.Module` in the mode that it is to be trained in, or `package.module:factory` of a function that
            returns all of these arguments by name, options aside, as a dictionary.
        example_inputs: What its `forward` takes, as `compile` has it: examples or shapes.
        optimizer: A `torch.optim.Optimizer` of the module's parameters, which goes on from the state that it has, or
            what makes one: `partial(torch.optim.SGD, lr=0.1)`. Neither it nor the module is changed.
        loss: A function of the module's output and the targets that gives one number; None where the module gives it.
        targets: An example, or the shape, of what `loss` takes beside the output; a tuple of them where it takes
            several. The program takes them as `target`, or `target.0` and so on.
        max_norm: To which norm all gradients together are scaled down where they are above it.
        schedule: What the optimizer's rates are multiplied by in a step, as a function on tensors of the number of
            steps before it, such as `lambda step: torch.clamp((step + 1) / 100, max=1)`.
        micro_batches: How many batches a step takes, 1 by default: inputs and targets have a dimension for them before
            those of the examples. Gradients and loss are means over them.
        autocast: `bf16` or `f16`, where the forward pass computes in that type as PyTorch's autocast does; parameters,
            their gradients and the optimizer's state keep theirs. `half_dtype="bfp8_b"` beside it makes bfp8 of it.
        loss_scale: What the loss is multiplied by for the backward pass, and gradients are divided by; 1 by default.
            `dynamic` keeps it in the state, halves it where a gradient is no finite number, which also leaves out that
            step's update, and doubles it after 2,000 steps without one.
        seed: Of dropout's masks, 0 by default; it is state of the program, and each step makes other masks of it.
        dump_ir: As in `compile`.
        keep_ir: As in `compile`.
        progress: As in `compile`.
        instruments: As in `compile`.
        options: As in `compile`.

    Raises:
        TTStackError: whatever is wrong with model, loss, optimizer or options; ops without a conversion, all of them.
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
