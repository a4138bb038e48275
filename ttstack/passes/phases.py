"""Phases of a compilation: where the pipeline can stop, and the record from which it can resume."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from itertools import takewhile

from ttstack.diagnostics import PassOptionError, SourceError
from ttstack.dialects.signature import read_arguments, read_given_weights
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType
from ttstack.options.choices import Phase
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import Pipeline
from ttstack.passes.functions import functions
from ttstack.program.records import TensorKind
from ttstack.support.suggestion import did_you_mean

PATTERNS_COME_AFTER = "version-buffers"
"""The pass after which users' patterns are applied."""
_ENDS = {
    Phase.SOURCE: ("check-mesh", True),
    Phase.SIMPLIFIED: ("record-trains", False),
    Phase.DISPATCHED: ("place", False),
    Phase.PLACED: ("place", True),
}
"""The first pass that ends a phase, and whether the phase includes it."""


def end_of(phase: Phase, pipeline: Pipeline) -> int:
    """Return the number of passes of a pipeline up to the end of a phase.

    Raises:
        PassOptionError: the pipeline is a user's own, and has no pass that ends this phase.
    """
    if phase is Phase.TTNN:
        return len(pipeline.passes)
    name, included = _ENDS[phase]
    titles = [step.title for step in pipeline.passes]
    if name not in titles:
        raise PassOptionError(
            f"the pipeline has no phase '{phase}', for it has no pass '{name}'",
            hint=f"there are {', '.join(p for p in Phase if p not in _ENDS or _ENDS[p][0] in titles)}",
        )
    return titles.index(name) + included


def parameters(module: ir.Module) -> dict[str, TensorType]:
    """Return the types of all parameters by name."""
    found = dict[str, TensorType]()
    for function in functions(module):
        given = read_given_weights(function)
        for signature, value in zip(read_arguments(function), function.regions[0].blocks[0].arguments, strict=True):
            if signature.kind is TensorKind.PARAMETER:
                t, weight = read_type(value.type), given.get(signature.name)
                name = signature.name if weight is None else weight.held.weight
                found[name] = t if weight is None else t.with_shape(weight.shape)
    return found


@dataclass(frozen=True)
class PhaseRecord:
    """The progress and options of a compilation, stored as module attributes."""

    phase: Phase
    passes: str
    """The passes that have run, in textual form."""
    options: str
    """The JSON of `CompileOptions.to_json`."""
    values: tuple[str, ...]
    """Parameters whose values are compile-time constants."""

    @property
    def steps(self) -> list[str]:
        """Each pass that has run, in textual form."""
        return _STEPS.split(self.passes)

    @property
    def patterns(self) -> dict[str, list[str]]:
        """The option with files of patterns, if they have been applied: files are not read again."""
        _, _, after = self.passes.partition(f"{PATTERNS_COME_AFTER},")
        ran = list(takewhile(bool, map(_PATTERNS.fullmatch, _STEPS.split(after))))
        return {"patterns": [match["file"] for match in ran if match]} if ran else {}

    def write(self, module: ir.Module) -> None:
        """Write the record into the module."""
        said = asdict(self) | {"values": json.dumps(self.values)}
        for name, text in zip(_NAMES, said.values(), strict=True):
            module.operation.attributes[name] = ir.StringAttr.get(str(text))

    @staticmethod
    def take(module: ir.Module, source: str) -> "PhaseRecord":
        """Remove the record from a module and return it.

        Raises:
            SourceError: the module has no record.
        """
        attributes = module.operation.attributes
        found = [attributes[name] for name in _NAMES if name in attributes]
        texts = [ir.StringAttr(said).value for said in found if isinstance(said, ir.StringAttr)]
        if len(texts) != len(_NAMES):
            raise SourceError(
                f"{source} does not record its phase",
                hint="give a file that `ttstack compile --compile-to` wrote, or compile it as a model",
            )
        phase, passes, options, values = texts
        names = _names(values)
        if phase not in list(Phase) or names is None:
            raise SourceError(
                f"{source} was altered: {_NAMES[0]} or {_NAMES[3]} is none",
                hint=did_you_mean(phase, list(Phase)) or f"phases are {', '.join(Phase)}; compile to one again",
            )
        for name in _NAMES:
            del attributes[name]
        return PhaseRecord(Phase(phase), passes, options, names)


def check_ran(record: PhaseRecord, pipeline: Pipeline, same_device: bool) -> None:
    """Check that the passes that have run are the first ones of the pipeline, for the same device.

    Raises:
        PassOptionError: they are not, because options that select them have changed.
    """
    ran = _by_options(record.steps)
    wanted = _by_options(map(str, pipeline.passes[: end_of(record.phase, pipeline)]))
    if ran != wanted or not same_device:
        more, less = ((Counter(a) - Counter(b)).elements() for a, b in ((wanted, ran), (ran, wanted)))
        raise PassOptionError(
            f"options were changed that decide about passes before the phase '{record.phase}'",
            notes=(
                *(() if same_device else ("the module is for another device",)),
                *(f"{step} has not run" for step in more),
                *(f"{step} has run" for step in less),
            ),
            hint="compile from an earlier phase, or from the model",
        )


def _names(text: str) -> tuple[str, ...] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return tuple(found) if isinstance(found, list) and all(isinstance(name, str) for name in found) else None


def _by_options(steps: Iterable[str]) -> list[str]:
    return [step for step in steps if step and not step.startswith(AttachSystemDesc.name)]


_STEPS = re.compile(r",(?![^{]*\})")
_PATTERNS = re.compile(r"apply-patterns\{file=(?P<file>\S+?)( verify=True)?\}")
_NAMES = tuple(f"tt.{field.name}" for field in fields(PhaseRecord))
