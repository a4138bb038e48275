"""Reproducers of failing passes: the module before the pass, and the passes to run."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from ttstack.diagnostics import CapacityError, InvalidIRError, PlugInError, SourceError, TTStackError
from ttstack.dialects.bytecode import bytecode
from ttstack.dialects.text import print_module
from ttstack.mlir import ir
from ttstack.ops.shapes import TooLargeError
from ttstack.passes.base import Pipeline
from ttstack.support.plugins import LOADED


@contextmanager
def write_reproducer(module: ir.Module, pipeline: Pipeline) -> Iterator[None]:
    """If a pass fails inside the block, write a reproducer for `ttstack opt`, and name it in the error.

    Errors of the input model write no file. Values of weights are not in the file.
    """
    before = bytecode(module)
    try:
        yield
    except (InvalidIRError, PlugInError) as e:
        if isinstance(e, InvalidIRError) and not isinstance(e.__cause__, ir.MLIRError):
            raise
        found = e.diagnostic
        notes = (*found.notes, _note(before, pipeline))
        raise type(e)(found.message, loc=found.loc, notes=notes, hint=found.hint) from e
    except TTStackError:
        raise
    except TooLargeError as e:
        raise CapacityError(f"the model is too large to be compiled: {e}", hint="give it smaller inputs") from e
    except Exception as e:
        e.add_note(_note(before, pipeline))
        raise


_PIPELINE = re.compile(r'^// ttstack .*?opt \S+ -p "(?P<passes>.*)"$')
_EXECUTES = "apply-patterns"
"""The pass that executes the code of a file."""


def reproducer_pipeline(text: str, name: str) -> str:
    """Return the passes in the first line of a reproducer.

    Raises:
        SourceError: the text is not a reproducer, or one of its passes executes code.
    """
    found = _PIPELINE.match(text.partition("\n")[0])
    if found is None:
        raise SourceError(f"'{name}' is not a reproducer", hint="its first line has the command that failed")
    if _EXECUTES in found["passes"]:
        raise SourceError(
            f"the passes of '{name}' execute the code of a file of patterns",
            hint="run the command in its first line if you trust it",
        )
    return found["passes"]


def _note(before: bytes, pipeline: Pipeline) -> str:
    text = print_module(ir.Module.parse(before), locations=True)
    with tempfile.NamedTemporaryFile("w", prefix="ttstack-", suffix=".mlir", delete=False, encoding="utf-8") as file:
        loads = "".join(f"--load {quote(_from_anywhere(name))} " for name in LOADED.values())
        file.write(f'// ttstack {loads}opt {file.name} -p "{pipeline}"\n{text}')
    if _EXECUTES in str(pipeline):
        return f"the first line of {file.name} has the command that fails alike; the module follows"
    return f"run it again with: ttstack {loads}opt --run-reproducer {file.name}"


def _from_anywhere(name: str) -> str:
    """Return a file of a plug-in with its folder; the name of a module unchanged."""
    return str(Path(name).absolute()) if Path(name).is_file() else name
