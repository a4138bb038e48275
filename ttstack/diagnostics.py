"""One error family, one rendering: every failure that a user can cause has a code, a place and a way out."""

import copyreg
from dataclasses import dataclass
from typing import Any, ClassVar

from ttstack.escape import printable

_CONTINUED = "\n    "
"""Between the lines of one text: no name can begin a line of its own, and so forge an error."""


@dataclass(frozen=True)
class Diagnostic:
    """What went wrong, where, and what to do instead."""

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
    """Base of everything that ttstack raises on purpose; `str()` is the rendered diagnostic."""

    code: ClassVar[str] = "TT0000"

    def __init__(
        self, message: str, *, loc: object = None, notes: tuple[str, ...] = (), hint: str | None = None
    ) -> None:
        self.diagnostic = Diagnostic(self.code, message, None if loc is None else str(loc), notes, hint)
        super().__init__(str(self.diagnostic))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its diagnostic, for parents of processes."""
        new: Any = vars(copyreg)["__newobj__"]
        return new, (type(self), *self.args), self.__dict__


class TTStackWarning(UserWarning):
    """What a user should know of work that goes on."""


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
    """Overrides of the placement that cannot be read, name no op, or ask for what an op cannot have."""

    code = "TT0302"


class PatternError(TTStackError):
    """A rewrite of a user's own that cannot be read or applied, or changes values that it claims to keep."""

    code = "TT0303"


class PlugInError(TTStackError):
    """A plug-in that there is not, that cannot be imported, or whose pass fails."""

    code = "TT0304"


class CapacityError(TTStackError):
    """A tensor or an op that does not fit the device's memories."""

    code = "TT0401"


class SystemDescError(TTStackError):
    """A device description with a wrong, missing or unknown field."""

    code = "TT0501"


class BinaryFormatError(TTStackError):
    """A `.ttb` file that is truncated, altered, or of a version that this reader does not know."""

    code = "TT0601"


class InputError(TTStackError):
    """Values given to a program that do not fit its signature."""

    code = "TT0701"


class ExecutionError(TTStackError):
    """A program that cannot be executed: overlapping buffers, no reference semantics, not enough memory."""

    code = "TT0702"


class OutputError(TTStackError):
    """A result that cannot be written or given in the form asked for."""

    code = "TT0801"


class TensorTrainError(TTStackError):
    """A table, a plan, indices or a request that Tensor-Train compression cannot serve."""

    code = "TT0901"


class UsageError(TTStackError):
    """A command, an option, an argument or a choice that the command line does not have."""

    code = "TT1001"
