"""A command that fails on a module, and whether it does so on another."""

import re
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from ttstack.diagnostics import InputError

_CODE = re.compile(r"error\[(\w+)\]")
_PATIENCE, _LEAST_SECONDS = 4.0, 10.0
"""A command may take this many times as long as on the whole module, and never less than some seconds."""


class FailingCommand:
    """A command, `{}` in which stands for a module's file, and how it ends on one module.

    Raises:
        InputError: it has no `{}`, is not a command line, cannot be run, does not fail on that module, or fails on an
            empty one too.
    """

    def __init__(self, command: str, module: str) -> None:
        if "{}" not in command:
            raise InputError("--keeps has no place for the module", hint="write {} there: 'ttstack compile {}'")
        try:
            self._words = shlex.split(command)
        except ValueError as e:
            raise InputError(f"--keeps is not a command line: {str(e).lower()}", hint="end each quotation") from e
        self._seconds: float | None = None
        start = time.monotonic()
        self._wanted = self._outcome(module)
        if self._wanted[0] == 0:
            raise InputError("the command does not fail on the module", hint="give --keeps a command that does")
        if self._outcome("module {\n}\n") == self._wanted:
            hint = "give --keeps a command that fails because of the module's content"
            raise InputError("the command fails on an empty module in the same way", hint=hint)
        self._seconds = max(_PATIENCE * (time.monotonic() - start), _LEAST_SECONDS)

    def fails_alike(self, module: str) -> bool:
        """Whether it ends on this module with the same exit code and the same code of an error, if it prints one."""
        return self._outcome(module) == self._wanted

    def _outcome(self, module: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "module.mlir"
            file.write_text(module, "utf-8")
            words = [word.replace("{}", str(file)) for word in self._words]
            try:
                done = subprocess.run(words, capture_output=True, text=True, timeout=self._seconds, check=False)
            except subprocess.TimeoutExpired:
                return 0, "takes too long"
            except OSError as e:
                hint = "give a command, as in 'ttstack compile {}'"
                raise InputError(f"--keeps cannot be run: '{words[0]}': {e.strerror or e}", hint=hint) from e
        found = _CODE.search(done.stderr)
        return done.returncode, found[1] if found else ""
