"""Write the module's text after every pass that changed it, with an index."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import OutputError
from ttstack.dialects.text.parts import diff_texts, function_texts
from ttstack.flatbuffer import safetensors
from ttstack.mlir import ir
from ttstack.passes.base import Hook, PassRun, digest
from ttstack.passes.outcomes import APPLIED
from ttstack.passes.printing import Printing
from ttstack.support.files import replace_file, write_whole

_USE = "a folder of --dump-ir"
_COLUMNS = "| file | stage | ms | rewrites | lines |\n|---|---|---:|---:|---:|\n"


def dump_hook(folder: Path, module: ir.Module, printing: Printing, *, diff: bool = False) -> Hook:
    """Return a hook that writes `NNN-pass.mlir` for each pass after which the text differs, and `index.md`.

    Before that, `000-input.mlir` is written. Functions that do not call each other have a file each, with the name of
    the function before the ending.

    Args:
        folder: Where to write; it is made.
        module: The module before the first pass.
        printing: How modules are printed.
        diff: Whether to write what changed, as `NNN-pass.diff`, in place of whole texts.

    Raises:
        OutputError: the folder cannot be made, or a file in it not written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise OutputError(f"cannot make the folder '{folder}': {e.strerror}", hint="give a folder to --dump-ir") from e
    last, seen = _texts(module, printing), _state(module)
    rows = [_write(folder, "000-input", last, {}, diff=False)]

    def dump(step: PassRun, module: ir.Module) -> None:
        nonlocal last, seen
        if (state := _state(module)) == seen:
            return
        seen, texts = state, _texts(module, printing)
        if texts == last:
            return
        files = _write(folder, f"{step.index + 1:03d}-{step.step.title}", texts, last, diff=diff)
        rows.append(_row(step, files, texts, last))
        write_whole(folder / "index.md", _COLUMNS + "\n".join(rows) + "\n")
        last = texts

    rows[0] = f"| {rows[0]} | | | | |"
    write_whole(folder / "index.md", _COLUMNS + rows[0] + "\n")
    return dump


def dump_weights(folder: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write the values of parameters, those that passes computed too, for `ttstack run FILE.mlir --weights`.

    Raises:
        OutputError: the file cannot be written, or another program's weights are there.
    """
    target = folder / "weights.safetensors"
    safetensors.check_use(target, _USE)
    with replace_file(target) as file:
        safetensors.write_arrays(file, arrays, _USE)


def _state(module: ir.Module) -> tuple[bytes, tuple[str, ...]]:
    """What is compared before a module is printed, which takes longer: its ops, and the names of its attributes."""
    return digest(module), tuple(module.operation.attributes)


def _texts(module: ir.Module, printing: Printing) -> Mapping[str, str]:
    return function_texts(printing.text(module))


def _write(folder: Path, stem: str, texts: Mapping[str, str], last: Mapping[str, str], *, diff: bool) -> str:
    """Write the texts that differ; return links to the files."""
    links: list[str] = []
    for function, text in texts.items():
        if text == last.get(function):
            continue
        name = f"{stem}.{function}" if len(texts) > 1 else stem
        file = f"{name}.{'diff' if diff else 'mlir'}"
        write_whole(folder / file, "\n".join(diff_texts(last.get(function, ""), text, stem)) + "\n" if diff else text)
        links.append(f"[{file}]({file})")
    return ", ".join(links)


def _row(step: PassRun, files: str, texts: Mapping[str, str], last: Mapping[str, str]) -> str:
    changed = [line for name, text in texts.items() for line in diff_texts(last.get(name, ""), text)[2:]]
    added, removed = (sum(line.startswith(sign) for line in changed) for sign in "+-")
    stage = step.stage.title if step.stage else ""
    return f"| {files} | {stage} | {1000 * step.seconds:.1f} | {step.outcomes[APPLIED] or ''} | +{added} -{removed} |"
