"""Write the module's text after every pass that changed it."""

from pathlib import Path

from ttstack.diagnostics import OutputError
from ttstack.dialects.text.printer import print_verbatim, without_segments
from ttstack.mlir import ir
from ttstack.passes.base import Hook, PassRun
from ttstack.support.files import write_whole


def dump_hook(folder: Path, module: ir.Module) -> Hook:
    """A hook that writes `000-input.mlir`, then `NNN-pass.mlir` for each pass after which the text differs.

    Raises:
        OutputError: the folder cannot be made, or a file in it not written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise OutputError(f"cannot make the folder '{folder}': {e.strerror}", hint="give a folder to --dump-ir") from e
    last = print_verbatim(module, locations=True)
    write_whole(folder / "000-input.mlir", without_segments(last))

    def dump(step: PassRun, module: ir.Module) -> None:
        nonlocal last
        text = print_verbatim(module, locations=True)
        if text != last:
            write_whole(folder / f"{step.index + 1:03d}-{step.step.title}.mlir", without_segments(text))
        last = text

    return dump
