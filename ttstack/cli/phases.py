"""`ttstack compile --compile-to` and `--compile-from`: partial compilations."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ttstack.options.choices import Choices, Phase

if TYPE_CHECKING:
    from ttstack.compiled_program import Program
    from ttstack.partial import PartialProgram


def check_options(
    model: str | None, start: Path | None, end: Phase | None, choices: Choices, *, train: bool, of_programs: bool
) -> str:
    """Return the input: the model, or the text of a phase.

    Raises:
        BadParameter: there is neither or both, or options cannot be combined.
        SourceError: the file cannot be read.
    """
    from ttstack.frontends.readers import kind_of

    if (model is None) == (start is None):
        raise typer.BadParameter("give a MODEL, or --compile-from FILE")
    if train and start:
        raise typer.BadParameter("--train is for a model: leave it out with --compile-from")
    if end and of_programs:
        raise typer.BadParameter("--keep-ir, --effects and --decisions are for programs; --compile-to writes text")
    if choices.get("verify_patterns") and "patterns" not in choices:
        raise typer.BadParameter("--verify-patterns goes with --patterns")
    source = str(model or start)
    if Path(source).is_file():
        kind_of(Path(source))  # what is not a model is told so before the name that its program would have
    return source


def lower(
    source: str,
    start: Path | None,
    end: Phase,
    shapes: Mapping[str, str] | None,
    choices: Choices,
    *,
    train: bool,
    **how: Any,
) -> "PartialProgram":
    """Compile from a model, or the text of a phase, to a later phase."""
    from ttstack.partial import PartialProgram, compile_to

    if start is not None:
        return PartialProgram.load(start).compile_to(end, **how, **choices)
    if train:
        return compile_to(end, load_step(source, shapes), **how, **choices)
    return compile_to(end, source, shapes, **how, **choices)


def load_step(factory: str, shapes: Mapping[str, str] | None) -> object:
    """Return the training step of a factory, as Python functions use it."""
    from ttstack.frontends.readers.extra import frontend

    return frontend("torch", "PyTorch").load_step(factory, {"example_inputs": shapes})


def program_maker(
    source: str, start: Path | None, shapes: Mapping[str, str] | None, choices: Choices, *, train: bool
) -> Callable[..., "Program"]:
    """Return the function that compiles the program, and accepts all options that do not change it."""
    from ttstack.api import compile as compile_source
    from ttstack.partial import PartialProgram
    from ttstack.training import compile_step

    if start is not None:
        return partial(PartialProgram.load(start).compile, **choices)
    return partial(compile_step if train else compile_source, source, shapes, **choices)
