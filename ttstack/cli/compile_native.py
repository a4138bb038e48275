"""`ttstack compile --target cpu`: compiles a model to an object file with a C interface."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ttstack.cli.compile_options import option_name
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
    """Compile, write the object and its companion files, and print their sizes.

    `ways` are options of `cpu.compile` for matmuls and loops.
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
    """Raise `InputError` for options of the other target."""
    if made_for is Target.CPU:
        others, other = "devices", Target.DEVICE
        given = [n for n, value in choices.items() if n != "function" and value != CHOICES[n].default]
        spelled = [option_name(n) for n in given]
        spelled += [name for name, value in of_devices.items() if value]
    else:
        others, other = "processors", Target.CPU
        spelled = [f"--{name}" for name, value in ways.items() if value]
    if spelled:
        hint = f"leave it out, or compile for one: --target {other}"
        raise InputError(f"for {others} alone: {', '.join(spelled)}", hint=hint)


def refuse_instruments(flags: Mapping[str, object]) -> None:
    """Raise `InputError` for options that inspect passes, some of which run in a child process."""
    if given := [name for name, value in flags.items() if value]:
        raise InputError(
            f"{' and '.join(given)} tell nothing of passes in a child of the process, where a processor's run",
            hint="`ttstack opt MODEL -p ttir-to-llvm` runs them in one process, and has these options",
        )
