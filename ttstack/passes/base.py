"""Passes, pipelines, and their textual form `name{key=value ...},name2`."""

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
from ttstack.passes.rewrite_log import current_log
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
    """A named rewrite of a module. Its fields are its options, in kebab case in textual form."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=_kebab, populate_by_name=True, defer_build=True
    )
    name: ClassVar[str]
    optional: ClassVar[bool] = False
    """Whether `--without NAME` can skip the pass: programs compute the same values without it."""
    stages: ClassVar[tuple[Stage, ...]] = ()
    """The stages of `simplify` and `lower` that run the pass."""
    before: ClassVar[Mapping[str, str]] = {}
    """Passes of the same stage that must run later, and why."""
    after: ClassVar[Mapping[str, str]] = {}
    """Passes of the same stage that must run earlier, and why."""
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
        """Create the pass from the compile options with the same names."""
        return cls(**{name: getattr(options, name) for name in cls.model_fields if hasattr(options, name)})

    @property
    def stage(self) -> Stage | None:
        """The stage that the pass runs in; None if its place in a pipeline is fixed."""
        return self._stage

    def in_stage(self, stage: Stage) -> Self:
        """Return a copy of the pass that runs in a stage."""
        same = self.model_copy()
        same._stage = stage
        return same

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Create the pass from options by name.

        Raises:
            PassOptionError: an option is unknown, or its value does not fit.
        """
        with _as_option_error(cls.name, map(_kebab, cls.model_fields)):
            return cls.model_validate(dict(options))

    def with_weights(self, weights: Weights) -> "Pass":  # noqa: ARG002  (most passes read no values)
        """Return the pass with access to the values of parameters."""
        return self

    def run(self, module: ir.Module) -> None:
        """Rewrite the module in place."""
        raise NotImplementedError

    def run_named(self, module: ir.Module) -> None:
        """Rewrite the module in place; errors of MLIR or of a user's pass name the pass."""
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
    """A pass that reads the values of parameters, and may add parameters."""

    _weights: Weights = PrivateAttr(default_factory=Weights)

    def with_weights(self, weights: Weights) -> Self:
        """Return a copy of the pass that reads from `weights` and adds to it."""
        same = self.model_copy()
        same._weights = weights
        return same


class Builtin(Pass):
    """A pass of MLIR, by its textual name."""

    pipeline: str

    def run(self, module: ir.Module) -> None:
        """Run the pass in MLIR's pass manager, with its verifier disabled, as pipelines verify themselves."""
        manager = PassManager.parse(f"builtin.module({self.pipeline})")
        manager.enable_verifier(False)
        manager.run(module.operation)

    @property
    def title(self) -> str:
        """The name of the MLIR pass."""
        return re.sub(r"\W+", "-", self.pipeline)

    def __str__(self) -> str:
        return self.pipeline


@dataclass(frozen=True)
class PassRun:
    """The run of one pass of a pipeline."""

    index: int
    step: Pass
    seconds: float
    outcomes: Outcomes
    stage: Stage | None = None
    """The stage of the run; None outside of stages."""


Hook = Callable[[PassRun, ir.Module], None]


@dataclass(frozen=True)
class Pipeline:
    """A sequence of passes."""

    passes: tuple[Pass, ...]

    def with_weights(self, weights: Weights) -> "Pipeline":
        """Return the same passes with access to the values of parameters."""
        return Pipeline(tuple(step.with_weights(weights) for step in self.passes))

    def run(
        self, module: ir.Module, *, after: Iterable[Hook] = (), before: Callable[[str], None] | None = None
    ) -> None:
        """Run all passes, verify after the first and after each that changed an op, and call the hooks.

        `before` is called with the title of each pass before it runs. MLIR's own passes between others are not verified
        separately.

        Raises:
            InvalidIRError: verification failed after a pass; errors of ttstack pass unchanged.
        """
        with shared_answers():
            self._run(module, tuple(after), before)

    def _run(self, module: ir.Module, hooks: Iterable[Hook], before: Callable[[str], None] | None) -> None:
        verified, stages = b"", self._stages()
        for i, step in enumerate(self.passes):
            if before:
                before(step.title)
            start = time.perf_counter()
            log = current_log()
            with count_outcomes() as outcomes:
                if log is None or log.begin(step.title, optional=step.optional):
                    step.run_named(module)
            with as_diagnostics(f"pass '{step}' left invalid IR"):
                trusted = isinstance(step, Builtin) and 0 < i < len(self.passes) - 1
                last, verified = verified, digest(module) if trusted else _verify(module, verified)
            if log is not None:
                log.end(changed=last not in (b"", verified))
            record = PassRun(i, step, time.perf_counter() - start, outcomes, stages[i])
            for hook in hooks:
                hook(record, module)

    def _stages(self) -> list[Stage | None]:
        """Return the stage of each pass; a pass inserted between two passes of a stage runs in that stage."""
        stages = [step.stage for step in self.passes]
        known = [i for i, stage in enumerate(stages) if stage]
        for first, last in pairwise(known):
            if stages[first] is stages[last]:
                stages[first:last] = [stages[first]] * (last - first)
        return stages

    def __str__(self) -> str:
        return ",".join(map(str, self.passes))


class _Digest:
    """A writable file object that keeps only a digest."""

    def __init__(self) -> None:
        self._hash = blake2b()

    def write(self, data: bytes) -> None:
        """Add data to the digest; MLIR calls it."""
        self._hash.update(data)

    def digest(self) -> bytes:
        """Return the digest of all written data."""
        return self._hash.digest()


def digest(module: ir.Module) -> bytes:
    """Return the digest of all ops of a module, without the module's own attributes.

    These were checked when they were set, and the device description is longer than all ops.
    """
    written = _Digest()
    for op in module.body.operations:
        op.operation.write_bytecode(written)
    return written.digest()


def _verify(module: ir.Module, verified: bytes) -> bytes:
    """Verify a module unless its digest is `verified`, and return its digest, which takes 2 % of the time."""
    if (found := digest(module)) != verified:
        module.operation.verify()
    return found


class _NoOptions(BaseModel):
    """The empty options of a pipeline without options."""

    model_config = ConfigDict(extra="forbid")


_STEP = re.compile(r"\s*(?P<name>[\w.-]+)(?:\([\w\s,.-]*\))?\s*(?:\{(?P<options>[^}]*)\})?\s*(?:,|$)")


def parse_pipeline(text: str, named: Mapping[str, Callable[..., Pipeline]]) -> Pipeline:
    """Parse a pipeline; a name in `named` stands for the passes of that pipeline.

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
    """Build a named pipeline from its textual options, the fields of the model that its function takes."""
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
"""MLIR passes that error messages suggest; MLIR's bindings list none."""


def _builtin(name: str, text: str, known: list[str]) -> Pass:
    try:
        PassManager.parse(f"builtin.module({text})")
    except (ValueError, ir.MLIRError) as e:
        if "failed to add" in str(e):
            raise PassOptionError(f"bad options for MLIR's '{name}': {text}") from e
        hint = did_you_mean(name, [*known, *OF_MLIR]) or f"passes and pipelines: {', '.join(sorted(known))}"
        raise PassOptionError(f"there is no pass or pipeline '{name}'", hint=hint) from e
    return Builtin(pipeline=text)
