"""`ttstack compile --target cpu`: a model becomes an object file that C calls."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ttstack.cli.console import note, write, write_json
from ttstack.cli.pass_tables import print_timings
from ttstack.diagnostics import InputError
from ttstack.options.choices import CHOICES, Target


def compile_native(
    model: str,
    target: Path,
    inputs: Mapping[str, str] | None,
    dump_ir: Path | None,
    function: str | None,
    ways: Mapping[str, Any],
    *,
    train: bool,
    timings: bool,
    as_json: bool,
) -> None:
    """Compile, write the object and what stands beside it, and say how large each file is.

    `ways` is how products and loops are computed, as `cpu.compile` takes it.
    """
    from ttstack.cli.outputs import check_targets
    from ttstack.cli.phases import load_step
    from ttstack.cli.progress import show_phases
    from ttstack.targets import cpu
    from ttstack.targets.cpu.compile import check_ending, files_of

    check_ending(target)
    check_targets(*files_of(target), sources=(model,))
    with show_phases() as progress:
        program = cpu.compile(
            *((load_step(model, inputs),) if train else (model, inputs)),
            name=target.name.partition(".")[0],
            function=function,
            **ways,
            dump_ir=dump_ir,
            progress=progress,
        )
        start = time.perf_counter()
        files = program.save(target)
    phases = {**program.phases, "save": time.perf_counter() - start}
    if timings:
        print_timings(phases)
    if ways["openmp"] and not program.openmp:
        note("the code runs on one thread: libomp is not installed (pip install 'ttstack[openmp]')")
    sizes = {str(file): file.stat().st_size for file in files}
    if as_json:
        write_json({"files": sizes, "phases": phases})
        return
    from ttstack.report.formatting import size

    for file, nbytes in sizes.items():
        write(f"{file}: {size(nbytes)}")


def check_target(
    made_for: Target, choices: Mapping[str, Any], of_devices: Mapping[str, object], ways: Mapping[str, object]
) -> None:
    """Raise `InputError` where an option was given that only the other target knows."""
    if made_for is Target.CPU:
        others, other = "devices", Target.DEVICE
        given = [n for n, value in choices.items() if n != "function" and value != CHOICES[n].default]
        spelled = [CHOICES[n].option or f"--{n.replace('_', '-')}" for n in given]
        spelled += [name for name, value in of_devices.items() if value]
    else:
        others, other = "processors", Target.CPU
        spelled = [f"--{name}" for name, value in ways.items() if value]
    if spelled:
        hint = f"leave it out, or compile for one: --target {other}"
        raise InputError(f"for {others} alone: {', '.join(spelled)}", hint=hint)


def refuse_instruments(flags: Mapping[str, object]) -> None:
    """Raise `InputError` where it shall be told what passes do: some of them run in a child of the process."""
    if given := [name for name, value in flags.items() if value]:
        raise InputError(
            f"{' and '.join(given)} tell nothing of passes in a child of the process, where a processor's run",
            hint="`ttstack opt MODEL -p ttir-to-llvm` runs them in one process, and has these options",
        )
