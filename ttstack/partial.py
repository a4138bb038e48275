"""Compilations that stop at a phase and go on from the text that they have come to."""

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
"""Whose values they are, in their file."""


@dataclass(frozen=True)
class PartialProgram:
    """A model that was compiled as far as a phase: text that MLIR reads, and the values of its parameters."""

    text: str
    """The module, which says how far it has come and how it was compiled."""
    weights: Mapping[str, Array]
    """By name; none of parameters that were only described."""
    phases: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds that each pass took; empty for a loaded one."""
    passes: "Sequence[PassSummary]" = ()
    """Each pass that has run, with its stage, seconds and rewrites; empty for a loaded one."""
    file: Path | None = None
    """What it was loaded from."""

    @staticmethod
    def load(path: str | Path) -> "PartialProgram":
        """What `save` wrote.

        Raises:
            SourceError: there is no such text.
            BinaryFormatError: the values beside it cannot be read.
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
        """Write the text, and the values of parameters beside it, where there are any: `model.placed.safetensors`.

        Raises:
            OutputError: a file cannot be written, or one that is not a text's values is where they go.
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
        """Go on to the program.

        Args:
            dump_ir: As in `ttstack.compile`, for the passes that are left.
            keep_ir: As in `ttstack.compile`.
            keep_effects: As in `ttstack.compile`.
            keep_decisions: As in `ttstack.compile`, where placement is among the passes that are left.
            progress: As in `ttstack.compile`.
            instruments: As in `ttstack.compile`.
            changes: Options in place of those of before, as `ttstack.compile` takes them.

        Raises:
            TTStackError: the text is of no phase, values are missing, or an option decides about passes that have run.
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
        """Go on to a later phase; arguments and errors are those of `compile`."""
        with self._module(changes) as (module, start, options), _as_altered(start):
            return _lowered(module, options, phase, self.weights, start, dump_ir, progress, instruments)

    @contextmanager
    def _module(self, changes: Mapping[str, Any]) -> "Generator[tuple[ir.Module, Start, CompileOptions]]":
        """The module of the text, how far it has come, and the options with changes."""
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
                f"values of {len(missing)} parameters are missing, of '{missing[0]}' first",
                hint=f"copy '{beside}' beside the text",
            )
        for name, t in types.items():
            found = self.weights.get(name)
            if found is not None and (found.shape, found.dtype) != (t.shape, t.dtype.numpy):
                raise SourceError(
                    f"parameter '{name}' is {t}, its values are {found.dtype}{list(found.shape)}",
                    hint="keep a text and the values beside it together",
                )


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
    """Compile a model as far as a phase.

    Args:
        phase: `source`, `simplified`, `dispatched`, `placed` or `ttnn`.
        source: As `compile` takes it.
        inputs: As `compile` takes them.
        dump_ir: As in `compile`.
        progress: As in `compile`.
        instruments: As in `compile`.
        options: As in `compile`.

    Raises:
        TTStackError: there is no such phase, or whatever is wrong with the source or the options.
    """
    from ttstack.compiler import Start
    from ttstack.frontends.source import import_model
    from ttstack.options.model import CompileOptions
    from ttstack.passes.pipelines import check_left_out

    chosen = CompileOptions.of({**options, "inputs": inputs})
    check_left_out(chosen)
    if progress:
        progress("read")
    with import_model(source, inputs, chosen.function) as found:
        return _lowered(found.module, chosen, phase, found.weights, Start(), dump_ir, progress, instruments)


def compile_from(path: str | Path, **options: Unpack[Choices]) -> Program:
    """The program of a file that `PartialProgram.save` wrote.

    Args:
        path: Of the text; the values of parameters lie beside it.
        options: In place of those that the compilation began with, as `compile` takes them.

    Raises:
        TTStackError: the file is no such text, values are missing, or an option decides about passes that have run.
    """
    return PartialProgram.load(path).compile(**options)


@contextmanager
def _as_altered(start: "Start") -> Generator[None]:
    """What fails on a text of layouts and addresses, which are not for writing by hand, is the text's fault."""
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
    """Where the values of parameters of a text lie."""
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
