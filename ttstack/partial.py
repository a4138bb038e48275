"""Compilations that stop at a phase and resume from its text."""

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ttstack.compiled_program import Program, program_of
from ttstack.diagnostics import InvalidIRError, PassOptionError, SourceError
from ttstack.ops.types import TensorType
from ttstack.options.choices import Choices, Phase
from ttstack.options.spelled_options import spell_options
from ttstack.support.collector import rare_collections
from ttstack.support.files import why_unread
from ttstack.support.suggestion import file_meant

if TYPE_CHECKING:
    from ttstack.compiler import Start
    from ttstack.mlir import ir
    from ttstack.options.model import CompileOptions
    from ttstack.passes.instrumented import Instruments
    from ttstack.passes.pass_log import PassSummary

Array = np.ndarray[Any, Any]
OnPhase = Callable[[str], None]

_VALUES = ".safetensors"
_USE = "a phase's text"
"""The owner that is recorded in the weights file."""


@dataclass(frozen=True)
class PartialProgram:
    """A model compiled up to a phase: MLIR text, and the values of its parameters."""

    text: str
    """The module, with its progress and compile options."""
    weights: Mapping[str, Array]
    """By name; without parameters that have no values."""
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds of each pass; empty if loaded."""
    passes: "Sequence[PassSummary]" = ()
    """Each pass that has run, with its stage, seconds and rewrites; empty if loaded."""
    file: Path | None = None
    """The file that it was loaded from."""

    @staticmethod
    def load(path: str | Path) -> "PartialProgram":
        """Load the files of `save`.

        Raises:
            SourceError: the text does not exist.
            BinaryFormatError: the values next to it cannot be read.
        """
        from ttstack.flatbuffer import safetensors

        file, values = Path(path), values_beside(Path(path))
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as e:
            hint = file_meant(file) or "give a file that --compile-to wrote"
            raise SourceError(f"cannot read '{path}': {why_unread(e)}", hint=hint) from e
        return PartialProgram(text, safetensors.read_arrays(values) if values.exists() else {}, file=file)

    def save(self, path: str | Path) -> None:
        """Write the text, and the values of parameters, if any, next to it: `model.placed.safetensors`.

        Raises:
            OutputError: a file cannot be written, or the file of values exists with other content.
        """
        from ttstack.flatbuffer import safetensors
        from ttstack.support.files import replace_files

        beside = [values_beside(Path(path))] if self.weights else []
        for file in beside:
            safetensors.check_use(file, _USE)
        with replace_files(path, *beside) as (text, *values):
            text.write(self.text.encode())
            for file in values:
                safetensors.write_arrays(file, self.weights, _USE)

    @rare_collections()
    def compile(
        self,
        *,
        dump_ir: str | Path | None = None,
        keep_ir: bool = False,
        keep_effects: bool = False,
        keep_decisions: bool = False,
        progress: OnPhase | None = None,
        instruments: "Instruments | None" = None,
        **changes: Unpack[Choices],
    ) -> Program:
        """Compile to the program.

        Args:
            dump_ir: As in `ttstack.compile`, for the remaining passes.
            keep_ir: As in `ttstack.compile`.
            keep_effects: As in `ttstack.compile`.
            keep_decisions: As in `ttstack.compile`, if placement is among the remaining passes.
            progress: As in `ttstack.compile`.
            instruments: As in `ttstack.compile`.
            changes: Options that replace the earlier ones, as for `ttstack.compile`.

        Raises:
            TTStackError: the text is not of a phase, values are missing, or an option affects passes that have run.
        """
        from ttstack.compiler import compile_module
        from ttstack.program.validate import validate_binary

        with self._module(changes) as (module, start, options), _as_altered(start):
            compiled = compile_module(
                module,
                options,
                weights=self.weights,
                start=start,
                dump_ir=None if dump_ir is None else Path(dump_ir),
                keep_ir=keep_ir,
                keep_effects=keep_effects,
                keep_decisions=keep_decisions,
                progress=progress,
                instruments=instruments,
            )
            validate_binary(compiled.binary, origin=str(self.file or "the text"))
        return program_of(compiled)

    @rare_collections()
    def compile_to(
        self,
        phase: str,
        *,
        dump_ir: str | Path | None = None,
        progress: OnPhase | None = None,
        instruments: "Instruments | None" = None,
        **changes: Unpack[Choices],
    ) -> "PartialProgram":
        """Compile to a later phase; arguments and errors are those of `compile`."""
        with self._module(changes) as (module, start, options), _as_altered(start):
            return _lowered(module, options, phase, self.weights, start, dump_ir, progress, instruments)

    @contextmanager
    def _module(self, changes: Mapping[str, Any]) -> "Generator[tuple[ir.Module, Start, CompileOptions]]":
        """Yield the module of the text, its progress, and the options with changes."""
        from ttstack.compiler import Start
        from ttstack.frontends.source import import_model
        from ttstack.options.model import CompileOptions
        from ttstack.passes.functions import system_desc
        from ttstack.passes.phases import PhaseRecord, check_ran, parameters
        from ttstack.passes.pipelines import ttir_to_ttnn

        with import_model(self.file or self.text) as found:
            module = found.module
            record = PhaseRecord.take(module, found.name)
            self._check_values(record.values, parameters(module))
            options = CompileOptions.from_saved(record.options, system_desc(module), {**record.patterns, **changes})
            check_ran(record, ttir_to_ttnn(options), options.device == system_desc(module))
            yield module, Start(record.phase, record.passes), options

    def _check_values(self, wanted: Collection[str], types: Mapping[str, TensorType]) -> None:
        missing = [name for name in wanted if name in types and name not in self.weights]
        if missing:
            beside = values_beside(self.file) if self.file else "the file with the values"
            raise SourceError(
                f"values of {len(missing)} parameters are missing, the first is '{missing[0]}'",
                hint=f"copy '{beside}' to the folder of the text",
            )
        for name, t in types.items():
            found = self.weights.get(name)
            if found is not None and (found.shape, found.dtype) != (t.shape, t.dtype.numpy):
                raise SourceError(
                    f"parameter '{name}' is {t}, its values are {found.dtype}{list(found.shape)}",
                    hint="keep a text and its values file together",
                )


@spell_options
@rare_collections()
def compile_to(
    phase: str,
    source: object,
    inputs: object = None,
    *,
    dump_ir: str | Path | None = None,
    progress: OnPhase | None = None,
    instruments: "Instruments | None" = None,
    **options: Unpack[Choices],
) -> PartialProgram:
    """Compile a model up to a phase.

    Args:
        phase: `source`, `simplified`, `dispatched`, `placed` or `ttnn`.
        source: As for `compile`.
        inputs: As for `compile`.
        dump_ir: As in `compile`.
        progress: As in `compile`.
        instruments: As in `compile`.
        options: As in `compile`.

    Raises:
        TTStackError: the phase is unknown, or the source or the options are invalid.
    """
    from ttstack.compiler import Start
    from ttstack.frontends.source import import_model
    from ttstack.options.model import CompileOptions
    from ttstack.passes.pipelines import check_left_out

    chosen = CompileOptions.of({**options, "inputs": inputs}).for_source(source)
    check_left_out(chosen)
    if progress:
        progress("read")
    with import_model(source, inputs, chosen.function) as found:
        return _lowered(found.module, chosen, phase, found.weights, Start(), dump_ir, progress, instruments)


@spell_options
def compile_from(path: str | Path, **options: Unpack[Choices]) -> Program:
    """Return the program of a file of `PartialProgram.save`.

    Args:
        path: The path of the text; the values of parameters are next to it.
        options: Options that replace the earlier ones, as for `compile`.

    Raises:
        TTStackError: the file is not such a text, values are missing, or an option affects passes that have run.
    """
    return PartialProgram.load(path).compile(**options)


@contextmanager
def _as_altered(start: "Start") -> Generator[None]:
    """Turn failures on a text with layouts and addresses, which is not meant for editing, into errors of the text."""
    try:
        yield
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError) as e:
        if start.phase not in (Phase.PLACED, Phase.TTNN):
            raise
        raise InvalidIRError(
            f"the module is not as the phase '{start.phase}' leaves it: {type(e).__name__}: {e}",
            hint="compile to that phase again; texts before placement are the ones to edit",
        ) from e


def values_beside(path: Path) -> Path:
    """Return the path of the values of a text's parameters."""
    return path.with_suffix(_VALUES)


def _lowered(
    module: "ir.Module",
    options: "CompileOptions",
    phase: str,
    weights: Mapping[str, Array],
    start: "Start",
    dump_ir: str | Path | None,
    progress: OnPhase | None,
    instruments: "Instruments | None",
) -> PartialProgram:
    from ttstack.compiler import lower_module

    if phase not in list(Phase):
        raise PassOptionError(f"there is no phase {phase!r}", hint=f"give one of {', '.join(Phase)}")
    dumps = None if dump_ir is None else Path(dump_ir)
    lowered = lower_module(
        module,
        options,
        Phase(phase),
        weights=weights,
        start=start,
        dump_ir=dumps,
        progress=progress,
        instruments=instruments,
    )
    return PartialProgram(lowered.text, lowered.weights, lowered.phases, lowered.passes)
