"""The errors of ttstack: each user-visible error has a code, a location and a hint."""

import copyreg
from dataclasses import dataclass
from typing import Any, ClassVar

from ttstack.escape import printable

_CONTINUED = "\n    "
"""The indentation of continued lines, so that untrusted names cannot forge an error line."""


@dataclass(frozen=True)
class Diagnostic:
    """An error message, its location, and hints."""

    code: str
    message: str
    loc: str | None = None
    notes: tuple[str, ...] = ()
    hint: str | None = None

    def __str__(self) -> str:
        lines = [f"error[{self.code}]: {self.message}"]
        if self.loc:
            lines.append(f"  --> {self.loc}")
        lines += [f"  = note: {note}" for note in self.notes]
        if self.hint:
            lines.append(f"  = help: {self.hint}")
        return "\n".join(printable(line).replace("\n", _CONTINUED) for line in lines)


class TTStackError(Exception):
    """Base of all errors that ttstack raises deliberately; `str()` is the formatted diagnostic."""

    code: ClassVar[str] = "TT0000"

    def __init__(
        self, message: str, *, loc: object = None, notes: tuple[str, ...] = (), hint: str | None = None
    ) -> None:
        self.diagnostic = Diagnostic(self.code, message, None if loc is None else str(loc), notes, hint)
        super().__init__(str(self.diagnostic))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the error with its diagnostic, for parent processes."""
        new: Any = vars(copyreg)["__newobj__"]
        return new, (type(self), *self.args), self.__dict__


class TTStackWarning(UserWarning):
    """A warning about a running operation."""


class InvalidIRError(TTStackError):
    """A module that does not parse, verify or infer."""

    code = "TT0101"


class UnsupportedOpError(TTStackError):
    """Ops of a source dialect that have no conversion."""

    code = "TT0201"


class SourceError(TTStackError):
    """A model that cannot be read: no such file or object, not exportable, an unknown format."""

    code = "TT0202"


class PassOptionError(TTStackError):
    """An unknown pass, pipeline or pass option."""

    code = "TT0301"


class OverrideError(TTStackError):
    """Placement overrides that cannot be read, name no op, or request an impossible placement."""

    code = "TT0302"


class PatternError(TTStackError):
    """A user's rewrite that cannot be read or applied, or changes values that it claims to keep."""

    code = "TT0303"


class PlugInError(TTStackError):
    """A plug-in that does not exist, cannot be imported, or whose pass fails."""

    code = "TT0304"


class ValueChangeError(TTStackError):
    """A pass or a rewrite that changes the values of a program."""

    code = "TT0305"


class CapacityError(TTStackError):
    """A tensor or an op that does not fit the device's memories."""

    code = "TT0401"


class SystemDescError(TTStackError):
    """A device description with a wrong, missing or unknown field."""

    code = "TT0501"


class BinaryFormatError(TTStackError):
    """A `.ttb` file that is truncated, altered, or of an unknown version."""

    code = "TT0601"


class InputError(TTStackError):
    """Values for a program that do not fit its signature."""

    code = "TT0701"


class ExecutionError(TTStackError):
    """A program that cannot be executed: overlapping buffers, no reference implementation, not enough memory."""

    code = "TT0702"


class OutputError(TTStackError):
    """A result that cannot be written or returned in the requested form."""

    code = "TT0801"


class TensorTrainError(TTStackError):
    """A table, a plan, indices or a request that Tensor-Train compression does not support."""

    code = "TT0901"


class UsageError(TTStackError):
    """An unknown command, option, argument or choice of the command line."""

    code = "TT1001"


class ConfigurationError(TTStackError):
    """A `ttstack.toml`, or a `pyproject.toml`, with wrong options for the command line."""

    code = "TT1002"
