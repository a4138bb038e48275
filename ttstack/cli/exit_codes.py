"""The end of a command: exit codes and error messages."""

import os
import signal
import sys
from collections.abc import Sequence

from ttstack.cli.run_line import INTERNAL_ERROR
from ttstack.cli.streams import prepare_streams, say
from ttstack.diagnostics import Diagnostic, OutputError, TTStackError
from ttstack.support.collector import rare_collections
from ttstack.support.environment import DEBUG

INPUT_FAULT = 1
WRONG_USAGE = 2
BROKEN_PIPE = 141
_INTERRUPTED = 128 + signal.SIGINT
"""The exit code of the command parser for an interrupt."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code.

    Exit codes: 0 success, 1 error in the input, 2 wrong usage, 70 internal error, 141 broken pipe.

    Raises:
        KeyboardInterrupt: the user interrupted it.
    """
    try:
        prepare_streams()
        code = _invoke(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except TTStackError as error:
        say(str(error))
        return INPUT_FAULT
    except OSError as error:
        _drop_output()
        say(str(OutputError(f"the system refused: {error.strerror or error}", loc=error.filename)))
        return INPUT_FAULT
    except Exception as error:
        return _wrong_usage(error, arguments) or _unexpected(error)
    return code


def _invoke(arguments: Sequence[str]) -> int:
    try:
        with rare_collections():
            from ttstack.cli.app import app

            code = app(list(arguments), prog_name="ttstack", standalone_mode=False, obj=run)
            if code == _INTERRUPTED:
                raise KeyboardInterrupt
    except SystemExit as end:
        if _caused_by(end, BrokenPipeError):
            _drop_output()
            return BROKEN_PIPE
        if _caused_by(end, KeyboardInterrupt):
            raise KeyboardInterrupt from end
        return end.code if isinstance(end.code, int) else 0
    return code if isinstance(code, int) else 0


def _caused_by(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def _drop_output() -> None:
    """Discard buffered output, to avoid errors at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _wrong_usage(error: Exception, arguments: Sequence[str]) -> int:
    """Print an error of the command line; return 0 for other errors."""
    from ttstack.cli.usage import is_wrong_usage, wrong_usage

    if not is_wrong_usage(error):
        return 0
    text = str(error) if type(error).__name__ == "NoArgsIsHelpError" else str(wrong_usage(error, arguments))
    say(text)
    return WRONG_USAGE


def _unexpected(error: Exception) -> int:
    if _caused_by(error, KeyboardInterrupt):  # while a native module started
        raise KeyboardInterrupt from error
    if _lacks_memory(error):
        say(str(OutputError("there is not enough memory", hint="free some, or raise the limit (ulimit -v)")))
        return INPUT_FAULT
    if DEBUG.value:
        import traceback

        traceback.print_exception(error)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    fault = Diagnostic(
        "TT9999",
        f"ttstack failed, and it is not your input's fault: {what[:300]}",
        notes=tuple(getattr(error, "__notes__", ())),
        hint=f"run the command again with {DEBUG.name}=1 and report what it prints, with the input if you can",
    )
    say(str(fault))
    return INTERNAL_ERROR


def _lacks_memory(error: Exception) -> bool:
    """Return True if an allocation, or loading of a native library, failed."""
    said = ("failed to map segment", "cannot allocate memory")
    return isinstance(error, MemoryError) or (isinstance(error, ImportError) and any(s in str(error) for s in said))
