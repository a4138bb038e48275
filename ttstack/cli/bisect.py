"""`ttstack bisect`: the pass and the rewrite that change values, or make a program slower."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from ttstack.cli.compile_options import with_choices
from ttstack.cli.console import stderr, write, write_json
from ttstack.cli.shared_options import JsonOption, ShapesOption
from ttstack.options.choices import Choices

if TYPE_CHECKING:
    from ttstack.debugging.bisect import Culprit
    from ttstack.debugging.bisect_time import TimeBisection
    from ttstack.frontends.readers.kind import SourceModel
    from ttstack.options.model import CompileOptions

_FILES = "Input and output"
_PLACES = 5
"""Places that take longer than before, of those that are printed."""


@partial(with_choices, described=False)
def bisect_model(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model, as in `ttstack compile`.", show_default=False)],
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="none|pass|FILE",
            help="Compare with the model (none, default), with the module before each pass (pass), with outputs in an "
            ".npz file, or with the predicted time of a .ttb.",
            show_default=False,
        ),
    ] = "none",
    atol: Annotated[
        float | None,
        typer.Option("--atol", min=0.0, metavar="X", help="Largest absolute difference of values that counts as none."),
    ] = None,
    values: Annotated[
        Path | None,
        typer.Option("--inputs", metavar="FILE", help="Inputs of the run, .npz or .safetensors (default: drawn ones)."),
    ] = None,
    inputs: ShapesOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File for the small module (default: MODEL.bisect.mlir).",
            rich_help_panel=_FILES,
        ),
    ] = None,
    reduce: Annotated[
        bool, typer.Option("--reduce/--no-reduce", help="Make the module smaller (default), or leave it as it is.")
    ] = True,
    as_json: JsonOption = False,
    **choices: Unpack[Choices],
) -> None:
    """Find the first pass and rewrite that change the values of a model, and the smallest module that they change.

    The model is executed in float64 before and after passes, on random inputs, on ties and ends of ranges, and on
    infinities. Against a .ttb, the pass without which the program is faster is searched for. The exit code is 1 if
    something is found; an interrupt leaves the smallest module so far.
    """
    from ttstack.cli.compile import program_stem, read_shapes
    from ttstack.cli.outputs import check_targets
    from ttstack.frontends.source import import_model
    from ttstack.options.model import CompileOptions

    target = output or Path(f"{program_stem(model)}.bisect.mlir")
    check_targets(target, sources=(model, values, against))
    shapes = read_shapes(inputs) if inputs else None
    options = CompileOptions.of({**choices, "inputs": shapes}).for_source(model)
    with import_model(model, shapes, options.function) as found:
        if Path(against).suffix == ".ttb":
            _end_time(_slower(found, options, Path(against)), as_json=as_json)
            return
        culprit = _wrong(found, options, against, atol, values)
        if culprit is None:
            write_json({"found": False}) if as_json else write("no pass changes values")
            return
        small = _small(culprit, target, reduce=reduce)
    _print_culprit(culprit, target, small, as_json=as_json)
    raise typer.Exit(1)


def _say(step: str) -> None:
    stderr().print(f"bisect: {step}", soft_wrap=True)


def _wrong(
    found: "SourceModel", options: "CompileOptions", against: str, atol: float | None, values: Path | None
) -> "Culprit | None":
    from ttstack.debugging.bisect import bisect_values
    from ttstack.debugging.snapshot import with_random_weights
    from ttstack.executable import executable
    from ttstack.passes.pipelines import ttir_to_ttnn
    from ttstack_runtime.inputs import load_inputs
    from ttstack_runtime.inputs.files import read_arrays

    weights = with_random_weights(found.module, found.weights)
    golden: Any = against
    if against not in ("none", "pass"):
        golden = dict(read_arrays(against, lambda _: None))
    given: Mapping[str, Any] | None = None
    if values is not None:
        given = load_inputs(values, executable(found.module, weights).functions[0])
    pipeline = ttir_to_ttnn(options)
    return bisect_values(found.module, pipeline, weights, against=golden, atol=atol, inputs=given, on_step=_say)


def _slower(found: "SourceModel", options: "CompileOptions", before: Path) -> "TimeBisection":
    from ttstack.api import load
    from ttstack.debugging.bisect_time import bisect_time
    from ttstack.passes.weights import Weights

    return bisect_time(found.module, options, Weights.of(found.weights), load(before), _say)


def _small(culprit: "Culprit", target: Path, *, reduce: bool) -> int | None:
    """Write the module before the application, then smaller ones; return the ops of the last, None if not reduced."""
    from ttstack.cli.progress import interrupts, show_reduction
    from ttstack.debugging.bisect import changes_values
    from ttstack.frontends.readers.text import read_string
    from ttstack.reduce import ReductionState, reduce_module
    from ttstack.support.files import write_whole

    text = culprit.module()
    write_whole(target, text)

    def holds(smaller: str) -> bool:
        return changes_values(smaller, culprit.step, lambda t: read_string(t, "<text>").module)

    if not reduce or not holds(text):
        return None
    ops: list[int] = []
    with interrupts(), show_reduction() as show:

        def keep(now: ReductionState) -> None:
            if ops[-1:] != [now.ops]:
                write_whole(target, now.text)
                ops.append(now.ops)
            show(now.ops, now.tries)

        reduce_module(text, holds, keep)
    return ops[-1] if ops else None


def _print_culprit(culprit: "Culprit", target: Path, ops: int | None, *, as_json: bool) -> None:
    import shlex

    from ttstack.debugging.value_check import describe
    from ttstack.report.formatting import count

    found = culprit.attempt
    command = f"ttstack opt {shlex.quote(str(target))} -p {shlex.quote(str(culprit.step))} --check-values -o /dev/null"
    if as_json:
        write_json(
            {
                "found": True,
                "step": str(culprit.step),
                "application": culprit.number,
                "rewrite": found.rewrite if found else None,
                "op": found.op if found else None,
                "location": found.location if found else None,
                "difference": str(culprit.change),
                "file": str(target),
                "ops": ops,
                "command": command,
            }
        )
        return
    write(f"pass '{culprit.step}' changes values: {culprit.change}")
    if found is not None:
        where = f" at {found.location}" if found.location else ""
        write(f"application {culprit.number} of {culprit.applications}: {describe(found)}{where}")
    size = "" if ops is None else f", {count(ops, 'op')}"
    write(f"wrote {target}{size}; it fails alike: {command}")


def _end_time(found: "TimeBisection", *, as_json: bool) -> None:
    from dataclasses import asdict

    from ttstack.cli.rewrites import attempts_dict, print_attempts
    from ttstack.debugging.value_check import describe
    from ttstack.report.formatting import duration

    if as_json:
        slower = found.slower
        write_json(
            {
                "found": found.is_slower,
                "before_ns": found.before_ns,
                "now_ns": found.now_ns,
                "step": slower.step if slower else None,
                "without_ns": slower.without_ns if slower else None,
                "rewrite": attempts_dict([slower.attempt])[0] if slower and slower.attempt else None,
                "declined": attempts_dict(found.declined),
                "longer": [asdict(place) for place in found.longer],
            }
        )
        raise typer.Exit(1 if found.is_slower else 0)
    write(f"{duration(found.before_ns)} before, {duration(found.now_ns)} now")
    if not found.is_slower:
        write("the program is not slower by 1 % or more")
        return
    if found.slower is not None:
        write(f"without {found.slower.step}: {duration(found.slower.without_ns)}")
        if (attempt := found.slower.attempt) is not None:
            write(f"application {attempt.number}: {describe(attempt)} at {attempt.location or 'an unknown place'}")
    else:
        write("no single pass makes it slower: a rewrite of before may not match any more. Places that take longer:")
        for place in found.longer[:_PLACES]:
            ops = f"{', '.join(place.before) or 'nothing'} -> {', '.join(place.now)}"
            write(f"  {duration(place.before_ns)} -> {duration(place.now_ns)} at {place.location}: {ops}")
        if found.declined:
            write("rewrites that were declined there:")
            print_attempts(found.declined, "all")
    raise typer.Exit(1)
