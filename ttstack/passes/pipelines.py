"""The named pipelines: functions from options to passes."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import walk_packages

from ttstack import passes
from ttstack.diagnostics import PassOptionError
from ttstack.ops.types import DType
from ttstack.options.model import CompileOptions
from ttstack.options.tensor_train import Rules
from ttstack.passes.attach_formats import AttachFormats
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import OF_MLIR, PASSES, Builtin, Pipeline, parse_pipeline
from ttstack.passes.check_mesh import CheckMesh
from ttstack.passes.cpu.pipelines import bufferize, linalg_to_loops, loops_to_llvm, upstream
from ttstack.passes.insert import insert
from ttstack.passes.phases import PATTERNS_COME_AFTER
from ttstack.passes.rewriting.apply_patterns import ApplyPatterns
from ttstack.passes.scheduling import steps_of
from ttstack.passes.stages import LOWER, SIMPLIFY
from ttstack.passes.ttir.functional.convert_results import ConvertResults
from ttstack.passes.ttir.functional.drop_layouts import DropLayouts
from ttstack.passes.ttir.functional.drop_memory import DropMemory
from ttstack.passes.ttir.functional.inline_calls import InlineCalls
from ttstack.passes.ttir.functional.version_buffers import VersionBuffers
from ttstack.passes.ttir.images.fold_batch_norm import FoldBatchNorm
from ttstack.passes.ttir.matmuls.fourier_to_matmul import DecomposeFourier
from ttstack.passes.ttir.simplify.approximate import Approximate
from ttstack.passes.ttir.simplify.bound_loops import BoundLoops
from ttstack.passes.ttir.simplify.fold_constants import FoldConstants
from ttstack.passes.ttir.simplify.fold_identities import FoldIdentities
from ttstack.passes.ttir.simplify.fold_parameters import FoldParameters
from ttstack.passes.ttir.tensor_train.compress import CompressTables
from ttstack.passes.ttir.tensor_train.fold import FoldTensorTrain
from ttstack.passes.ttir.tensor_train.recognize import RecognizeLookups
from ttstack.passes.ttir.tensor_train.to_linalg import ConvertTensorTrainToLinalg
from ttstack.passes.ttir_to_linalg import ConvertTTIRToLinalg
from ttstack.placement import PlacementOptions
from ttstack.support.plugins import PASSES as PLUGGED_IN
from ttstack.support.plugins import load_entry_points
from ttstack.support.suggestion import did_you_mean

_OF_CPU = ("ttstack.passes.cpu", "ttstack.passes.ttir_to_linalg")
"""Packages whose passes are imported above; their other files import the dialects of LLVM and linalg."""

for _module in walk_packages(passes.__path__, f"{passes.__name__}."):  # a pass is registered when it is imported
    if not _module.name.startswith(_OF_CPU):
        import_module(_module.name)

_FUNCTIONAL = (
    DropLayouts(),
    ConvertResults(),
    InlineCalls(),
    Builtin(pipeline="canonicalize"),
    DropMemory(),
    VersionBuffers(),
)
"""The first passes of every target, which remove calls and writes to memory.

A list, not a stage: each step reads the form that the one before it writes."""


def functional() -> Pipeline:
    """Named ttir to one function for each program, whose ops write no operands."""
    return Pipeline(_FUNCTIONAL)


def simplify() -> Pipeline:
    """Return the pipeline from named ttir to simpler named ttir."""
    return Pipeline((*_FUNCTIONAL, *steps_of(SIMPLIFY)))


def lower(options: PlacementOptions | None = None) -> Pipeline:
    """Return the pipeline from named ttir to ttnn with addresses."""
    return Pipeline(steps_of(LOWER, options))


def compress(rules: Rules, *, dtype: DType | None = None) -> Pipeline:
    """Return the pipeline that compresses embedding tables of named ttir to Tensor-Train form, by rules."""
    settings = {"config": rules} if rules.tables else rules.default.model_dump(exclude_defaults=True)
    return Pipeline(
        (RecognizeLookups(), CompressTables.of({**settings, "dtype": dtype}), Builtin(pipeline="canonicalize"))
    )


def ttir_to_ttnn(options: CompileOptions | None = None) -> Pipeline:
    """Return the full pipeline for one device."""
    chosen = options or CompileOptions()
    formats = [AttachFormats.from_options(chosen)] if chosen.has_formats else []
    start = (AttachSystemDesc(system_desc=chosen.system_desc, ttnn=chosen.ttnn or ""), *formats, CheckMesh())
    tables = compress(chosen.tensor_train, dtype=chosen.table_dtype).passes if chosen.tensor_train else ()
    fast = (Approximate(names=chosen.approximated),) if chosen.approximated else ()
    loops = (BoundLoops(iterations=chosen.max_iterations),) if chosen.max_iterations else ()
    steps = Pipeline((*start, *simplify().passes, *loops, *fast, *tables, *lower(chosen).passes))
    if chosen.pipeline is not None:
        steps = Pipeline((*start, *parse_pipeline(chosen.pipeline, PIPELINES).passes))
    if chosen.patterns:
        own = [ApplyPatterns(file=path, verify=chosen.verify_patterns) for path in chosen.patterns]
        steps = insert(steps, {f"after:{PATTERNS_COME_AFTER}": own}, PIPELINES)
    steps = insert(steps, chosen.passes or {}, PIPELINES)
    check_left_out(chosen)
    left_out = optional_passes() if _ALL in (chosen.without or ()) else chosen.without or ()
    return Pipeline(tuple(step for step in steps.passes if step.title not in left_out))


_ALL = "all"


def optional_passes() -> list[str]:
    """Return the names of the passes that `--without` can skip, with installed plug-ins."""
    load_entry_points(PLUGGED_IN)
    return sorted(name for name, spec in PASSES.items() if spec.optional)


def check_left_out(options: CompileOptions) -> None:
    """Check the names of skipped passes before a model is read.

    Raises:
        PassOptionError: names are not those of optional passes; lists all of them.
    """
    if not options.without:
        return
    known = optional_passes()
    if faults := [_why_kept(name, known) for name in options.without if name not in (*known, _ALL)]:
        raise PassOptionError(
            "passes cannot be left out",
            notes=tuple(faults),
            hint="`ttstack opt --list` marks the optional passes",
        )


def _why_kept(name: str, optional: Sequence[str]) -> str:
    if name in PASSES or name in OF_MLIR:
        return f"'{name}' is not optional"
    return f"there is not a pass '{name}'; {did_you_mean(name, optional)}".removesuffix("; ")


def tensor_train_to_linalg() -> Pipeline:
    """Return the pipeline from Tensor-Train lookups to upstream dialects, which MLIR's passes lower to LLVM."""
    return Pipeline((FoldTensorTrain(), ConvertTensorTrainToLinalg()))


def ttir_to_linalg() -> Pipeline:
    """Return the pipeline from named ttir to `linalg` on tensors for a CPU, without passes for devices."""
    folded = (FoldBatchNorm(), FoldConstants(), FoldIdentities(), Builtin(pipeline="cse"), FoldParameters())
    return Pipeline((*_FUNCTIONAL, DecomposeFourier(), *folded, *lower_to_linalg().passes))


def lower_to_linalg() -> Pipeline:
    """Return the pipeline from simplified `ttir` to `linalg` on tensors."""
    tidy = upstream("canonicalize", "cse", "linalg-fuse-elementwise-ops", "inline", "canonicalize", "cse")
    return Pipeline((ConvertTTIRToLinalg(), *tidy))


def ttir_to_llvm() -> Pipeline:
    """Return the full pipeline for a CPU."""
    return Pipeline((*ttir_to_linalg().passes, *bufferize().passes, *linalg_to_loops().passes, *loops_to_llvm().passes))


PIPELINES: Mapping[str, Callable[..., Pipeline]] = {
    "simplify": simplify,
    "lower": lower,
    "ttir-to-ttnn": ttir_to_ttnn,
    "tensor-train-to-linalg": tensor_train_to_linalg,
    "ttir-to-linalg": ttir_to_linalg,
    "bufferize": bufferize,
    "linalg-to-loops": linalg_to_loops,
    "loops-to-llvm": loops_to_llvm,
    "ttir-to-llvm": ttir_to_llvm,
}
