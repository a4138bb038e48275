"""Write the module's text after every pass that changed it."""

from pathlib import Path

from ttstack.diagnostics import SourceError
from ttstack.frontends.text import print_module
from ttstack.mlir import ir
from ttstack.passes.base import Hook, Step


def dump_hook(folder: Path, module: ir.Module) -> Hook:
    """A hook that writes `00-input.mlir`, then `NN-pass.mlir` for each pass after which the text differs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise SourceError(f"cannot write to '{folder}': {e.strerror}") from e
    last = print_module(module, locations=True)
    (folder / "00-input.mlir").write_text(last)

    def dump(step: Step, module: ir.Module) -> None:
        nonlocal last
        text = print_module(module, locations=True)
        if text != last:
            (folder / f"{step.index + 1:02d}-{step.step.title}.mlir").write_text(text)
        last = text

    return dump
