"""Pass, Pipeline, and the textual form `name{key=value ...},name2`."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from inspect import signature
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack, get_args

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from ttstack.diagnostics import PassOptionError
from ttstack.dialects.context import as_diagnostics
from ttstack.dialects.equal_ops import shared_answers
from ttstack.mlir import PassManager, ir
from ttstack.passes.outcomes import Outcomes, count_outcomes
from ttstack.passes.stages import PassOrder, Stage
from ttstack.passes.weights import Weights
from ttstack.support.plugins import PASSES as PLUGGED_IN
from ttstack.support.plugins import as_own_fault, load_entry_points
from ttstack.support.suggestion import did_you_mean
from ttstack.support.validation import validation_faults

if TYPE_CHECKING:
    from ttstack.placement import PlacementOptions

PASSES: dict[str, "type[Pass]"] = {}
"""Every pass by name."""


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class Pass(BaseModel):
    """A named rewrite of a module. Its fields are its options, in kebab case in text."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=_kebab, populate_by_name=True, defer_build=True
    )
    name: ClassVar[str]
    optional: ClassVar[bool] = False
    """Whether `--without NAME` leaves it out: a program computes the same without it."""
    stages: ClassVar[tuple[Stage, ...]] = ()
    """Those in which `simplify` and `lower` run it."""
    before: ClassVar[Mapping[str, str]] = {}
    """Passes of the same stage that it comes before, and why."""
    after: ClassVar[Mapping[str, str]] = {}
    """Passes of the same stage that it comes after, and why."""
    _stage: Stage | None = PrivateAttr(default=None)

    def __init_subclass__(cls, *, name: str | None = None, optional: bool = False, **order: Unpack[PassOrder]) -> None:
        super().__init_subclass__()
        if name is None:
            return
        if name in PASSES:
            raise ValueError(f"pass {name!r} is already defined by {PASSES[name].__module__}")
        stage = order.get("stage", ())
        cls.name, cls.optional, cls.stages = name, optional, (stage,) if isinstance(stage, Stage) else stage
        cls.before, cls.after = order.get("before", {}), order.get("after", {})
        PASSES[name] = cls

    @classmethod
    def from_options(cls, options: "PlacementOptions") -> Self:
        """The pass with the options of a compilation that it has too, by their names."""
        return cls(**{name: getattr(options, name) for name in cls.model_fields if hasattr(options, name)})

    @property
    def stage(self) -> Stage | None:
        """The stage that it is a part of; None of one that has a place of its own in a pipeline."""
        return self._stage

    def in_stage(self, stage: Stage) -> Self:
        """The same pass as a part of a stage."""
        same = self.model_copy()
        same._stage = stage
        return same

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """The pass with these options.

        Raises:
            PassOptionError: one is unknown, or its value does not fit.
        """
        with _as_option_error(cls.name, map(_kebab, cls.model_fields)):
            return cls.model_validate(dict(options))

    def with_weights(self, weights: Weights) -> "Pass":  # noqa: ARG002  (most passes read no values)
        """The same pass, knowing the values of parameters."""
        return self

    def run(self, module: ir.Module) -> None:
        """Rewrite the module in place."""
        raise NotImplementedError

    def run_named(self, module: ir.Module) -> None:
        """Rewrite the module in place; what MLIR or a pass of a user's own raises names the pass."""
        what = f"pass '{self}' failed"
        with as_own_fault(what, type(self)), as_diagnostics(what):
            self.run(module)

    @property
    def title(self) -> str:
        """A short name for timings and files."""
        return self.name

    def __str__(self) -> str:
        options = self.model_dump(by_alias=True, exclude_defaults=True, mode="json")
        return self.name + ("{" + " ".join(f"{k}={v}" for k, v in options.items()) + "}" if options else "")


class ParameterPass(Pass):
    """A pass that reads the values of parameters, and may add parameters of its own."""

    _weights: Weights = PrivateAttr(default_factory=Weights)

    def with_weights(self, weights: Weights) -> Self:
        """The same pass, which reads from `weights` and adds to them."""
        same = self.model_copy()
        same._weights = weights
        return same


class Builtin(Pass):
    """A pass that ships with MLIR, by its textual name."""

    pipeline: str

    def run(self, module: ir.Module) -> None:
        """Run it through MLIR's own pass manager, whose verifier would be a second one."""
        manager = PassManager.parse(f"builtin.module({self.pipeline})")
        manager.enable_verifier(False)
        manager.run(module.operation)

    @property
    def title(self) -> str:
        """The pass's own name."""
        return re.sub(r"\W+", "-", self.pipeline)

    def __str__(self) -> str:
        return self.pipeline


@dataclass(frozen=True)
class PassRun:
    """One pass of a pipeline that has run."""

    index: int
    step: Pass
    seconds: float
    outcomes: Outcomes
    stage: Stage | None = None
    """The stage that it ran in; None outside of stages."""


Hook = Callable[[PassRun, ir.Module], None]


@dataclass(frozen=True)
class Pipeline:
    """Passes in order."""

    passes: tuple[Pass, ...]

    def with_weights(self, weights: Weights) -> "Pipeline":
        """The same passes, knowing the values of parameters."""
        return Pipeline(tuple(step.with_weights(weights) for step in self.passes))

    def run(
        self, module: ir.Module, *, after: Iterable[Hook] = (), before: Callable[[str], None] | None = None
    ) -> None:
        """Run all passes, verify after the first and after each that changed an op, and call the hooks.

        `before` is called with the title of each pass before it runs. Passes that ship with MLIR, between others, leave
        valid what was valid before them.

        Raises:
            InvalidIRError: MLIR refused a pass's work; our own errors pass unchanged.
        """
        with shared_answers():
            self._run(module, tuple(after), before)

    def _run(self, module: ir.Module, hooks: Iterable[Hook], before: Callable[[str], None] | None) -> None:
        verified, stages = b"", self._stages()
        for i, step in enumerate(self.passes):
            if before:
                before(step.title)
            start = time.perf_counter()
            with count_outcomes() as outcomes:
                step.run_named(module)
            with as_diagnostics(f"pass '{step}' left invalid IR"):
                trusted = isinstance(step, Builtin) and 0 < i < len(self.passes) - 1
                verified = digest(module) if trusted else _verify(module, verified)
            record = PassRun(i, step, time.perf_counter() - start, outcomes, stages[i])
            for hook in hooks:
                hook(record, module)

    def _stages(self) -> list[Stage | None]:
        """The stage of each pass; one that was inserted between two of a stage runs in it too."""
        stages = [step.stage for step in self.passes]
        known = [i for i, stage in enumerate(stages) if stage]
        for first, last in pairwise(known):
            if stages[first] is stages[last]:
                stages[first:last] = [stages[first]] * (last - first)
        return stages

    def __str__(self) -> str:
        return ",".join(map(str, self.passes))


class _Digest:
    """A file of which nothing but a digest is kept."""

    def __init__(self) -> None:
        self._hash = blake2b()

    def write(self, data: bytes) -> None:
        """Called by MLIR."""
        self._hash.update(data)

    def digest(self) -> bytes:
        """The digest of all that was written."""
        return self._hash.digest()


def digest(module: ir.Module) -> bytes:
    """The digest of all ops of a module, without the module's own attributes.

    These were checked as they were made, and the description of the device is longer than all ops.
    """
    written = _Digest()
    for op in module.body.operations:
        op.operation.write_bytecode(written)
    return written.digest()


def _verify(module: ir.Module, verified: bytes) -> bytes:
    """Verify a module unless its digest is this one; gives its digest, which takes a fiftieth of the time."""
    if (found := digest(module)) != verified:
        module.operation.verify()
    return found


class _NoOptions(BaseModel):
    """Those of a pipeline that takes none."""

    model_config = ConfigDict(extra="forbid")


_STEP = re.compile(r"\s*(?P<name>[\w.-]+)(?:\([\w\s,.-]*\))?\s*(?:\{(?P<options>[^}]*)\})?\s*(?:,|$)")


def parse_pipeline(text: str, named: Mapping[str, Callable[..., Pipeline]]) -> Pipeline:
    """The passes of `text`; a name in `named` stands for the passes of that pipeline.

    Raises:
        PassOptionError: the text does not parse, or a pass or option is unknown.
    """
    load_entry_points(PLUGGED_IN)
    return Pipeline(tuple(_steps(text, named)))


def _steps(text: str, named: Mapping[str, Callable[..., Pipeline]]) -> Iterator[Pass]:
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if not match:
            raise PassOptionError(f"cannot read the pipeline at {text[at:]!r}", hint="write name{key=value ...},name2")
        at = match.end()
        name, options = match["name"], match["options"]
        if name in named:
            yield from _pipeline(name, named[name], options or "").passes
        elif name in PASSES:
            yield PASSES[name].of(dict(_options(options or "")))
        else:
            yield _builtin(name, match.group(0).strip().rstrip(","), [*PASSES, *named])


def _pipeline(name: str, build: Callable[..., Pipeline], text: str) -> Pipeline:
    """The pipeline of these options: the fields of the model that its function takes, if it takes one."""
    parts = [t for p in signature(build).parameters.values() for t in get_args(p.annotation)]
    model = next((t for t in parts if isinstance(t, type) and issubclass(t, BaseModel)), _NoOptions)
    with _as_option_error(name, map(_kebab, model.model_fields)):
        chosen = model.model_validate({key.replace("-", "_"): value for key, value in _options(text)})
    return build() if model is _NoOptions else build(chosen)


def _options(text: str) -> Iterator[tuple[str, str]]:
    return ((key, value) for key, _, value in (option.partition("=") for option in text.split()))


@contextmanager
def _as_option_error(name: str, known: Iterable[str]) -> Iterator[None]:
    try:
        yield
    except ValidationError as e:
        found = validation_faults(e, unknown="no such option")
        raise PassOptionError(
            f"bad options for '{name}'",
            notes=tuple(": ".join(filter(None, (_kebab(path), what))) for path, what in found),
            hint=f"its options: {', '.join(known) or 'none'}",
        ) from e


OF_MLIR = ("canonicalize", "cse", "sccp", "inline", "symbol-dce", "loop-invariant-code-motion", "remove-dead-values")
"""Passes of MLIR that a name can be meant for; its bindings list none."""


def _builtin(name: str, text: str, known: list[str]) -> Pass:
    try:
        PassManager.parse(f"builtin.module({text})")
    except (ValueError, ir.MLIRError) as e:
        if "failed to add" in str(e):
            raise PassOptionError(f"bad options for MLIR's '{name}': {text}") from e
        hint = did_you_mean(name, [*known, *OF_MLIR]) or f"passes and pipelines: {', '.join(sorted(known))}"
        raise PassOptionError(f"there is no pass or pipeline '{name}'", hint=hint) from e
    return Builtin(pipeline=text)
