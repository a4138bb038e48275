"""Compilation of a model to a program, and loading of a program's file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ttstack.compiled_program import Program, program_of
from ttstack.options.choices import Choices
from ttstack.options.spelled_options import spell_options
from ttstack.support.collector import rare_collections

if TYPE_CHECKING:
    from ttstack.passes.instrumented import Instruments


def load(path: str | Path) -> Program:
    """Load the program of a `.ttb` file; needs neither MLIR nor the model's framework.

    Raises:
        BinaryFormatError: the file is truncated, altered, or of an unknown version.
    """
    from ttstack.flatbuffer import load as load_binary

    return Program(load_binary(path))


@spell_options
@rare_collections()
def compile(  # noqa: A001  (the name users expect, beside re.compile and torch.compile)
    source: Any,
    inputs: Any = None,
    *,
    dump_ir: str | Path | None = None,
    keep_ir: bool = False,
    keep_effects: bool = False,
    keep_decisions: bool = False,
    progress: Callable[[str], None] | None = None,
    instruments: "Instruments | None" = None,
    **options: Unpack[Choices],
) -> Program:
    """Compile a model for a device.

    Args:
        source: A path, MLIR text, an MLIR module, `package.module:factory`, an `nn.Module` or an `ExportedProgram`.
        inputs: Example inputs if the source is an `nn.Module`, or their shapes: `[(32, 256)]`, `{"x": (32, 256), "ids":
        "32x128xi64"}`; the default element type is float32.
        dump_ir: A folder for the module's text after every pass that changed it.
        keep_ir: Whether the program contains the text of its IR stages.
        keep_effects: Whether `Program.effects` has the ops, bytes and nanoseconds after each pass.
        keep_decisions: Whether `Program.decisions` has all candidates of each op, their prices, and the reason for the
        choice.
        progress: Called with the name of each phase when it begins; `Program.phases` has their seconds.
        instruments: Diagnostic output on standard error, see `ttstack.passes.instrumented`.
        options: `system_desc`, `placement`, `dtype` and the others of `ttstack.options.choices.Choices`, which `ttstack
        compile` has under the same names; `passes` is its `--insert-pass`.

    Raises:
        TTStackError: the source, the description or the options are invalid.
    """
    from ttstack.compiler import compile_source
    from ttstack.options.model import CompileOptions

    chosen = CompileOptions.of({**options, "inputs": inputs})
    return program_of(
        compile_source(
            source,
            inputs,
            chosen,
            dump_ir=None if dump_ir is None else Path(dump_ir),
            keep_ir=keep_ir,
            keep_effects=keep_effects,
            keep_decisions=keep_decisions,
            progress=progress,
            instruments=instruments,
        )
    )
