"""The options themselves. What a path names is read, so that a saved program holds its content."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

from pydantic import BeforeValidator, Field, ValidationError

from ttstack.diagnostics import BinaryFormatError, PassOptionError, SystemDescError, TTStackError
from ttstack.options.choices import CHOICES, Approximation
from ttstack.options.tensor_train import Rules, read_rules
from ttstack.placement.options import PlacementOptions
from ttstack.placement.precision import APPROXIMATED
from ttstack.program.title import model_name
from ttstack.support.plugins import PLUG_INS
from ttstack.support.suggestion import did_you_mean
from ttstack.support.validation import validation_faults
from ttstack.system_desc import SystemDesc, load
from ttstack.system_desc.at_release import at_release
from ttstack.system_desc.releases import Release

if TYPE_CHECKING:
    from ttstack.program.records import Binary


def _read_tables(given: object) -> Rules | None:
    return None if given is None else read_rules(given)


def _device(given: object) -> object:
    path: object = os.fspath(cast(os.PathLike[Any], given)) if isinstance(given, os.PathLike) else given
    if isinstance(path, str | SystemDesc):
        return path
    what = f"system_desc is a {type(cast(object, given)).__name__}"
    raise SystemDescError(what, hint="give the name of a preset, a path, or a SystemDesc")


def _names(given: object) -> object:
    """Names, one or several, as text or in a sequence."""
    return given.split(",") if isinstance(given, str) else given


def _passes(given: object) -> object:
    """Return passes by name; None if there are none."""
    return _names(given) or None


def _functions(given: object) -> object:
    """Functions by name; `none` of them."""
    names = _names(given)
    return () if names in (["none"], ("none",)) else names


def _shapes(given: object) -> dict[str, str] | None:
    """Shapes that are spelled, by name; nothing of values, which a program does not hold."""
    values: Mapping[Any, Any] = cast(Mapping[Any, Any], given) if isinstance(given, Mapping) else {}
    spelled = {k: v for k, v in values.items() if isinstance(k, str) and isinstance(v, str)}
    return spelled if spelled and len(spelled) == len(values) else None


def _paths(given: object) -> object:
    """One path or several."""
    return tuple(_several(given)) if given else None


def _insertions(given: object) -> object:
    """Passes by place: of a mapping, or of texts such as `after:fuse=my-pass`."""
    if isinstance(given, Mapping) or not given:
        named = cast(Mapping[str, object], given or {})
        return {place: _several(passes) for place, passes in named.items()} or None
    found: dict[str, list[object]] = {}
    for text in _several(given):
        place, separator, passes = str(text).partition("=")
        if not separator:
            raise ValueError(f"{text} names no pass; write after:fuse=my-pass")
        found.setdefault(place, []).append(passes)
    return found


def _several(given: object) -> list[object]:
    return list(cast(Sequence[object], given)) if isinstance(given, list | tuple) else [given]


def _saved(text: str) -> dict[str, Any]:
    """Decode the result of `CompileOptions.to_json`.

    Raise `ValueError` if it has files, which programs may not read.
    """
    loaded = json.loads(text)
    if not isinstance(loaded, dict):
        raise ValueError("it is not a JSON object")
    values = cast(dict[str, Any], loaded)
    for name in ("overrides", "tensor_train"):
        if isinstance(values.get(name), str):
            raise ValueError(f"{name} is not the content of a file: {values[name][:60]!r}")
    values.pop("source", None)  # where the model was, which older files say
    values.pop(PLUG_INS, None)
    return values


def _reasons(error: Exception) -> tuple[str, ...]:
    return (error.diagnostic.message, *error.diagnostic.notes) if isinstance(error, TTStackError) else (str(error),)


def _spelling(name: str) -> str:
    """Return an option as Python and as the command line have it."""
    return f"{name}= ({CHOICES[name].option or f'--{name}'})"


_OWN = ("patterns", "passes", "pipeline")
"""Options that name files and code of the user."""
_NO_OPTION = "no such option"
_LEFT_OUT = "left_out"


_OTHER_NAMES = {"device": "system_desc", "target": "system_desc", "args": "inputs", "example_inputs": "inputs"}
"""Names of options in other libraries."""


def _meant(name: str, reason: str) -> str:
    """Return a reason, with a suggestion if the option's name is unknown."""
    if reason != _NO_OPTION:
        return reason
    other = _OTHER_NAMES.get(name)
    meant = f"did you mean '{other}'?" if other else did_you_mean(name, (*CHOICES, "inputs"))
    return f"{reason}; {meant}" if meant else reason


class CompileOptions(PlacementOptions):
    """Everything that a compilation depends on, next to the model; `ttstack.options.choices` documents each option."""

    system_desc: Annotated[str | SystemDesc, BeforeValidator(_device)] = CHOICES["system_desc"].default
    ttnn: Release | None = None
    """Release of ttnn, as text, whose kernels run on the device; that of the description if None."""
    approximate: Annotated[tuple[Approximation, ...] | None, BeforeValidator(_functions)] = None
    max_iterations: Annotated[int, Field(ge=1)] | None = None
    """The largest number of iterations of loops that end by a condition."""
    tensor_train: Annotated[Rules | None, BeforeValidator(_read_tables)] = None
    without: Annotated[tuple[str, ...] | None, BeforeValidator(_passes)] = None
    """Optional passes by name, or `all`; `ttstack.passes.pipelines.check_left_out` knows the names."""
    patterns: Annotated[tuple[Path, ...] | None, BeforeValidator(_paths)] = None
    verify_patterns: bool = False
    passes: Annotated[dict[str, list[Any]] | None, BeforeValidator(_insertions)] = None
    """Passes, or their texts, by location, such as `after:fuse`."""
    pipeline: str | None = None
    inputs: Annotated[dict[str, str] | None, BeforeValidator(_shapes)] = None
    """Shapes of inputs that the model leaves open, by name."""
    function: str | None = None
    model: str = ""
    """Name of the model for titles, see `ttstack.program.title`."""

    @property
    def approximated(self) -> tuple[Approximation, ...]:
        """Functions in the device's fast form: the requested ones, otherwise those of the precision."""
        if self.approximate is not None:
            return self.approximate
        return APPROXIMATED.get(self.precision, ()) if self.precision else ()

    @property
    def device(self) -> SystemDesc:
        """The description that `system_desc` means, with the figures of the release `ttnn`."""
        desc = load(self.system_desc) if isinstance(self.system_desc, str) else self.system_desc
        return desc if self.ttnn is None else at_release(desc, self.ttnn)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Return the options of these names.

        Raises:
            PassOptionError: an option is unknown, or its value does not fit; all of them.
            TTStackError: a file that an option names cannot be read.
        """
        try:
            return cls.model_validate(dict(given))
        except ValidationError as error:
            found = list(validation_faults(error, _NO_OPTION))
            named = any(reason == _NO_OPTION for _, reason in found)
            faults = tuple(": ".join(filter(None, (name, _meant(name, reason)))) for name, reason in found)
            raise PassOptionError(
                "options of the compilation do not fit",
                notes=faults,
                hint=f"there are {', '.join(cls.model_fields)}" if named else "fix the options in the notes",
            ) from error

    def for_source(self, source: object) -> Self:
        """Return the options with the name of a model that is compiled with them, unless they have one."""
        return self if self.model else self.model_copy(update={"model": model_name(source)})

    def to_json(self, plug_ins: Mapping[str, str] | None = None) -> str:
        """Return JSON of all options except the device. For files and code, it only states that they were given.

        `plug_ins` are the modules of ops that are none of ours, by the op's name.
        """
        values = self.model_dump(mode="json", exclude={"system_desc", "ttnn", *_OWN})
        left_out = [name for name in _OWN if getattr(self, name)]
        return json.dumps(values | {_LEFT_OUT: left_out} | ({PLUG_INS: plug_ins} if plug_ins else {}))

    @classmethod
    def of_program(cls, binary: "Binary", given: Mapping[str, Any] | None = None) -> Self:
        """Return the options that a program was compiled with, with changes.

        Raises:
            BinaryFormatError: it was saved before programs held them, or holds what are not options, or was compiled
                with patterns or passes of a user's own, which are not `given`.
            PassOptionError: an option that is given is unknown, or its value does not fit.
        """
        if not binary.options:
            raise BinaryFormatError(
                "this program does not record its compile options",
                notes=(f"it was saved by ttstack {binary.version or 'of an unknown version'}, without its options",),
                hint="compile the model again with this ttstack, then recompile that program",
            )
        return cls.from_saved(binary.options, binary.system_desc, given, f"it was saved by ttstack {binary.version}")

    @classmethod
    def from_saved(
        cls, text: str, device: SystemDesc, given: Mapping[str, Any] | None = None, saved_by: str = "it was altered"
    ) -> Self:
        """Return the options that `to_json` wrote, for a device, with changes; raises as `of_program` does."""
        changes = given or {}
        try:
            saved = _saved(text)
            left_out = [name for name in saved.pop(_LEFT_OUT, ()) if name not in changes]
            found = cls.model_validate({**saved, "system_desc": device})
        except (ValueError, TypeError, RecursionError, TTStackError) as error:
            raise BinaryFormatError(
                "how this program was compiled cannot be read",
                notes=_reasons(error),
                hint=f"{saved_by}; compile the model again with this ttstack",
            ) from error
        if left_out:
            raise BinaryFormatError(
                f"this program was compiled with {' and '.join(left_out)} of a user's own, which it does not hold",
                hint=f"give {', '.join(map(_spelling, left_out))} again",
            )
        return cls.of({**dict(found), **changes}) if changes else found
