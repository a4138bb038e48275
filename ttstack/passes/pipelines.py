"""The named pipelines, each a plain function from options to passes."""

from collections.abc import Callable, Mapping

from ttstack.ops.types import DType
from ttstack.options.model import CompileOptions
from ttstack.options.tensor_train import Rules
from ttstack.passes.apply_patterns import ApplyPatterns
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import Builtin, Pipeline, parse_pipeline
from ttstack.passes.check_mesh import CheckMesh
from ttstack.passes.cpu.pipelines import bufferize, linalg_to_loops, loops_to_llvm, upstream
from ttstack.passes.insert import insert
from ttstack.passes.phases import PATTERNS_COME_AFTER
from ttstack.passes.ttir.approximate import Approximate
from ttstack.passes.ttir.assign_grids import AssignGrids
from ttstack.passes.ttir.cache_updates import CacheUpdates
from ttstack.passes.ttir.channels_last import ChannelsLast
from ttstack.passes.ttir.convert_results import ConvertResults
from ttstack.passes.ttir.cut_attention import CutAttention
from ttstack.passes.ttir.decode_attention import DecodeAttention
from ttstack.passes.ttir.decompose import Decompose
from ttstack.passes.ttir.decompose_norm import DecomposeNorms
from ttstack.passes.ttir.dense_groups import DenseGroups
from ttstack.passes.ttir.dispatch import Dispatch
from ttstack.passes.ttir.drop_layouts import DropLayouts
from ttstack.passes.ttir.drop_memory import DropMemory
from ttstack.passes.ttir.early_writes import EarlyWrites
from ttstack.passes.ttir.factors_first import FactorsFirst
from ttstack.passes.ttir.fit_attention import FitAttention
from ttstack.passes.ttir.fit_products import FitProducts
from ttstack.passes.ttir.fold_batch_norm import FoldBatchNorm
from ttstack.passes.ttir.fold_constants import FoldConstants
from ttstack.passes.ttir.fold_identities import FoldIdentities
from ttstack.passes.ttir.fold_lookups import FoldLookups
from ttstack.passes.ttir.fold_maps import FoldMaps
from ttstack.passes.ttir.fold_masks import FoldMasks
from ttstack.passes.ttir.fold_movement import FoldMovement
from ttstack.passes.ttir.fold_parameters import FoldParameters
from ttstack.passes.ttir.fold_scales import FoldScales
from ttstack.passes.ttir.fuse import Fuse, FuseBias, FuseNorms
from ttstack.passes.ttir.fuse_activations import FuseActivations
from ttstack.passes.ttir.fuse_attention import FuseAttention
from ttstack.passes.ttir.fuse_rotary import FuseRotary
from ttstack.passes.ttir.group_norms import GroupNorms
from ttstack.passes.ttir.inline_calls import InlineCalls
from ttstack.passes.ttir.insert_copies import InsertCopies
from ttstack.passes.ttir.join_columns import JoinColumns
from ttstack.passes.ttir.join_products import JoinProducts
from ttstack.passes.ttir.join_recurrences import JoinRecurrences
from ttstack.passes.ttir.join_slices import JoinSlices
from ttstack.passes.ttir.keep_rows import KeepRows
from ttstack.passes.ttir.mark_variables import MarkVariables
from ttstack.passes.ttir.mask_softmax import MaskSoftmax
from ttstack.passes.ttir.outer_products import OuterProducts
from ttstack.passes.ttir.pad_weights import PadWeights
from ttstack.passes.ttir.paged_caches import PagedCaches
from ttstack.passes.ttir.place import Place
from ttstack.passes.ttir.pointwise_products import PointwiseProducts
from ttstack.passes.ttir.pool_bags import PoolBags
from ttstack.passes.ttir.pool_rows import PoolRows
from ttstack.passes.ttir.products_of_parts import ProductsOfParts
from ttstack.passes.ttir.products_of_steps import ProductsOfSteps
from ttstack.passes.ttir.recompute import RecomputeActivations
from ttstack.passes.ttir.reshape_heads import ReshapeHeads
from ttstack.passes.ttir.residual_norms import ResidualNorms
from ttstack.passes.ttir.share_rows import ShareRows
from ttstack.passes.ttir.shifted_convolutions import ShiftedConvolutions
from ttstack.passes.ttir.sink_slices import SinkSlices
from ttstack.passes.ttir.skip_picks import SkipPicks
from ttstack.passes.ttir.sparse_updates import SparseUpdates
from ttstack.passes.ttir.split_products import SplitProducts
from ttstack.passes.ttir.split_topk import SplitTopk
from ttstack.passes.ttir.stack_tables import StackTables
from ttstack.passes.ttir.state_matrices import StateMatrices
from ttstack.passes.ttir.state_parts import StateParts
from ttstack.passes.ttir.steps_first import StepsFirst
from ttstack.passes.ttir.tensor_train.compress import CompressTables
from ttstack.passes.ttir.tensor_train.fold import FoldTensorTrain
from ttstack.passes.ttir.tensor_train.recognize import RecognizeLookups
from ttstack.passes.ttir.tensor_train.record import RecordTrains
from ttstack.passes.ttir.tensor_train.to_linalg import ConvertTensorTrainToLinalg
from ttstack.passes.ttir.untie_tables import UntieTables
from ttstack.passes.ttir.version_buffers import VersionBuffers
from ttstack.passes.ttir_to_linalg import ConvertTTIRToLinalg
from ttstack.passes.ttir_to_ttnn import ConvertTTIRToTTNN
from ttstack.passes.ttnn.assign_addresses import AssignAddresses
from ttstack.passes.ttnn.deallocate import DeallocateBuffers
from ttstack.passes.ttnn.share_layouts import ShareLayouts
from ttstack.placement import PlacementOptions

_FUNCTIONAL = (
    DropLayouts(),
    ConvertResults(),
    InlineCalls(),
    Builtin(pipeline="canonicalize"),
    DropMemory(),
    VersionBuffers(),
)
"""What every target begins with: one function, whose ops make new values and write none."""


def simplify() -> Pipeline:
    """Named ttir to simpler named ttir."""
    return Pipeline(
        (
            *_FUNCTIONAL,
            MarkVariables(),
            StateParts(),
            CacheUpdates(),
            PagedCaches(),
            CutAttention(),
            Decompose(),
            FoldBatchNorm(),
            FoldConstants(),
            FoldIdentities(),
            DenseGroups(),
            SparseUpdates(),
            StateMatrices(),
            FuseAttention(),
            FoldMasks(),
            DecodeAttention(),
            FuseRotary(),
            SplitTopk(),
            FitAttention(),
            ChannelsLast(),
            ShiftedConvolutions(),
            GroupNorms(),
            DecomposeNorms(),
            FuseNorms(),
            FuseBias(),
            SplitProducts(),
            FoldScales(),
            PadWeights(),
            KeepRows(),
            FactorsFirst(),
            FoldMovement(),
            PointwiseProducts(),
            PoolRows(),
            SkipPicks(),
            ProductsOfParts(),
            Fuse(),
            Builtin(pipeline="cse"),
            ProductsOfSteps(),
            JoinProducts(),
            StepsFirst(),
            SinkSlices(),
            ShareRows(),
            Builtin(pipeline="cse"),
            FoldMovement(),
            JoinColumns(),
            ReshapeHeads(),
            OuterProducts(),
            MaskSoftmax(),
            FuseActivations(),
            ResidualNorms(),
            JoinSlices(),
            Builtin(pipeline="cse"),
            JoinRecurrences(),
            FitProducts(),
            Builtin(pipeline="canonicalize"),
            Builtin(pipeline="cse"),
            FoldConstants(),
            FoldParameters(),
            UntieTables(),
        )
    )


def lower(options: PlacementOptions | None = None) -> Pipeline:
    """Named ttir to ttnn with addresses."""
    chosen = options or PlacementOptions()
    return Pipeline(
        (
            VersionBuffers(),
            FoldLookups(),
            FoldTensorTrain(),
            RecordTrains(dtype=chosen.table_dtype),
            PoolBags(),
            StackTables(),
            Dispatch(),
            FoldMaps(),
            Builtin(pipeline="cse"),
            RecomputeActivations.from_options(chosen),
            EarlyWrites(),
            InsertCopies(),
            AssignGrids(),
            Place.from_options(chosen),
            ConvertTTIRToTTNN(),
            Builtin(pipeline="canonicalize"),
            ShareLayouts(),
            DeallocateBuffers(),
            AssignAddresses(),
        )
    )


def compress(rules: Rules, *, dtype: DType | None = None) -> Pipeline:
    """Embedding tables of named ttir to Tensor-Train form, as the rules say."""
    settings = {"config": rules} if rules.tables else rules.default.model_dump(exclude_defaults=True)
    return Pipeline(
        (RecognizeLookups(), CompressTables.of({**settings, "dtype": dtype}), Builtin(pipeline="canonicalize"))
    )


def ttir_to_ttnn(options: CompileOptions | None = None) -> Pipeline:
    """The whole way for one device."""
    chosen = options or CompileOptions()
    start = (AttachSystemDesc(system_desc=chosen.system_desc), CheckMesh())
    tables = compress(chosen.tensor_train, dtype=chosen.table_dtype).passes if chosen.tensor_train else ()
    fast = (Approximate(names=chosen.approximated),) if chosen.approximated else ()
    steps = Pipeline((*start, *simplify().passes, *fast, *tables, *lower(chosen).passes))
    if chosen.pipeline is not None:
        steps = Pipeline((*start, *parse_pipeline(chosen.pipeline, PIPELINES).passes))
    if chosen.patterns:
        own = [ApplyPatterns(file=path, verify=chosen.verify_patterns) for path in chosen.patterns]
        steps = insert(steps, {f"after:{PATTERNS_COME_AFTER}": own}, PIPELINES)
    steps = insert(steps, chosen.passes or {}, PIPELINES)
    return Pipeline(tuple(step for step in steps.passes if step.title not in (chosen.without or ())))


def tensor_train_to_linalg() -> Pipeline:
    """Lookups in Tensor-Train form to upstream dialects, which MLIR's own passes lower to LLVM."""
    return Pipeline((FoldTensorTrain(), ConvertTensorTrainToLinalg()))


def ttir_to_linalg() -> Pipeline:
    """Named ttir to `linalg` on tensors, for a processor: what only a device wants is left out."""
    folded = (FoldBatchNorm(), FoldConstants(), FoldIdentities(), Builtin(pipeline="cse"), FoldParameters())
    return Pipeline((*_FUNCTIONAL, *folded, *lower_to_linalg().passes))


def lower_to_linalg() -> Pipeline:
    """The same of `ttir` that is as simple as it shall be."""
    tidy = upstream("canonicalize", "cse", "linalg-fuse-elementwise-ops", "inline", "canonicalize", "cse")
    return Pipeline((ConvertTTIRToLinalg(), *tidy))


def ttir_to_llvm() -> Pipeline:
    """The whole way for a processor."""
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
