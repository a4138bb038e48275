"""What a failed pass leaves for those who mend it: the module as it was, with the passes that it went through."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from shlex import quote

from ttstack.diagnostics import CapacityError, InvalidIRError, PlugInError, TTStackError
from ttstack.dialects.text import print_module
from ttstack.mlir import ir
from ttstack.ops.shapes import TooLargeError
from ttstack.passes.base import Pipeline
from ttstack.support.plugins import LOADED


@contextmanager
def write_reproducer(module: ir.Module, pipeline: Pipeline) -> Iterator[None]:
    """Where a pass breaks inside the block, write a file that `ttstack opt` fails on alike, and name it in the error.

    Errors that the input is at fault for leave no file. Values of weights are not in it.
    """
    before = BytesIO()
    module.operation.write_bytecode(before)
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


def _note(before: BytesIO, pipeline: Pipeline) -> str:
    text = print_module(ir.Module.parse(before.getvalue()), locations=True)
    with tempfile.NamedTemporaryFile("w", prefix="ttstack-", suffix=".mlir", delete=False, encoding="utf-8") as file:
        loads = "".join(f"--load {quote(name)} " for name in LOADED.values())
        file.write(f'// ttstack {loads}opt {file.name} -p "{pipeline}"\n{text}')
    return f"{file.name} has the module, and the command that fails on it alike; `ttstack reduce` makes it smaller"
