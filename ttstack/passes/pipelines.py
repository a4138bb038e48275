"""The named pipelines, each a plain function from options to passes."""

from collections.abc import Callable, Mapping, Sequence

from ttstack.diagnostics import PassOptionError
from ttstack.ops.types import DType
from ttstack.options.model import CompileOptions
from ttstack.options.tensor_train import Rules
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import OF_MLIR, PASSES, Builtin, Pipeline, parse_pipeline
from ttstack.passes.check_mesh import CheckMesh
from ttstack.passes.cpu.pipelines import bufferize, linalg_to_loops, loops_to_llvm, upstream
from ttstack.passes.insert import insert
from ttstack.passes.phases import PATTERNS_COME_AFTER
from ttstack.passes.rewriting.apply_patterns import ApplyPatterns
from ttstack.passes.ttir.attention.decode_attention import DecodeAttention
from ttstack.passes.ttir.attention.fold_masks import FoldMasks
from ttstack.passes.ttir.attention.fuse_mask_into_softmax import fuse_mask_into_softmax
from ttstack.passes.ttir.attention.tile_training_attention import TileTrainingAttention
from ttstack.passes.ttir.caches.cache_updates import CacheUpdates
from ttstack.passes.ttir.caches.paged_caches import PagedCaches
from ttstack.passes.ttir.embeddings.duplicate_tied_embeddings import DuplicateTiedEmbeddings
from ttstack.passes.ttir.embeddings.embedding_bags_by_matmul import EmbeddingBagsByMatmul
from ttstack.passes.ttir.embeddings.fold_lookup_reshapes import FoldLookupReshapes
from ttstack.passes.ttir.embeddings.merge_embedding_tables import MergeEmbeddingTables
from ttstack.passes.ttir.embeddings.sparse_updates import sparse_updates
from ttstack.passes.ttir.functional.convert_results import ConvertResults
from ttstack.passes.ttir.functional.drop_layouts import DropLayouts
from ttstack.passes.ttir.functional.drop_memory import DropMemory
from ttstack.passes.ttir.functional.flatten_state_buffers import FlattenStateBuffers
from ttstack.passes.ttir.functional.hoist_assigns import HoistAssigns
from ttstack.passes.ttir.functional.inline_calls import InlineCalls
from ttstack.passes.ttir.functional.insert_copies import InsertCopies
from ttstack.passes.ttir.functional.mark_variables import MarkVariables
from ttstack.passes.ttir.functional.split_state_buffers import SplitStateBuffers
from ttstack.passes.ttir.functional.version_buffers import VersionBuffers
from ttstack.passes.ttir.fusion.fuse import Fuse, FuseBias, FuseNorms
from ttstack.passes.ttir.fusion.fuse_activations import FuseActivations
from ttstack.passes.ttir.fusion.fuse_residual_into_norm import FuseResidualIntoNorm
from ttstack.passes.ttir.images.channels_last import ChannelsLast
from ttstack.passes.ttir.images.convolution_by_shifted_slices import convolution_by_shifted_slices
from ttstack.passes.ttir.images.fold_batch_norm import FoldBatchNorm
from ttstack.passes.ttir.images.pointwise_convolution_to_matmul import pointwise_convolution_to_matmul
from ttstack.passes.ttir.images.select_group_norm_kernel import SelectGroupNormKernel
from ttstack.passes.ttir.legalize.decompose import Decompose
from ttstack.passes.ttir.legalize.decompose_norm import DecomposeNorms
from ttstack.passes.ttir.legalize.legalize_attention import LegalizeAttention
from ttstack.passes.ttir.legalize.legalize_batched_matmul import legalize_batched_matmul
from ttstack.passes.ttir.legalize.split_topk import split_topk
from ttstack.passes.ttir.matmuls.batch_matmul_over_time import batch_matmul_over_time
from ttstack.passes.ttir.matmuls.densify_grouped_matmul import densify_grouped_matmul
from ttstack.passes.ttir.matmuls.distribute_matmul_over_concat import distribute_matmul_over_concat
from ttstack.passes.ttir.matmuls.fold_gather_into_weights import FoldGatherIntoWeights
from ttstack.passes.ttir.matmuls.fold_padding_into_weights import fold_padding_into_weights
from ttstack.passes.ttir.matmuls.fold_scale_into_weights import fold_scale_into_weights
from ttstack.passes.ttir.matmuls.merge_parallel_matmuls import merge_parallel_matmuls
from ttstack.passes.ttir.matmuls.merge_qkv_matmuls import merge_qkv_matmuls
from ttstack.passes.ttir.matmuls.reduce_rows_by_pooling import reduce_rows_by_pooling
from ttstack.passes.ttir.matmuls.split_sliced_matmul import split_sliced_matmul
from ttstack.passes.ttir.movement.canonicalize_movement import CanonicalizeMovement
from ttstack.passes.ttir.movement.collapse_batch_into_rows import CollapseBatchIntoRows
from ttstack.passes.ttir.movement.commute_row_moves_with_matmul import CommuteRowMovesWithMatmul
from ttstack.passes.ttir.movement.compose_slices import compose_slices
from ttstack.passes.ttir.movement.hoist_slices import HoistSlices
from ttstack.passes.ttir.movement.merge_sliced_eltwise import merge_sliced_eltwise
from ttstack.passes.ttir.movement.reshape_by_head_ops import reshape_by_head_ops
from ttstack.passes.ttir.movement.time_major import TimeMajor
from ttstack.passes.ttir.placement.assign_grids import AssignGrids
from ttstack.passes.ttir.placement.dispatch import Dispatch
from ttstack.passes.ttir.placement.fold_transposes_into_maps import FoldTransposesIntoMaps
from ttstack.passes.ttir.placement.place import Place
from ttstack.passes.ttir.placement.recompute import RecomputeActivations
from ttstack.passes.ttir.recognize.fuse_attention import FuseAttention
from ttstack.passes.ttir.recognize.fuse_rotary import FuseRotary
from ttstack.passes.ttir.recurrence.merge_recurrences import MergeRecurrences
from ttstack.passes.ttir.simplify.approximate import Approximate
from ttstack.passes.ttir.simplify.fold_constants import FoldConstants
from ttstack.passes.ttir.simplify.fold_identities import FoldIdentities
from ttstack.passes.ttir.simplify.fold_parameters import FoldParameters
from ttstack.passes.ttir.simplify.outer_product_to_matmul import outer_product_to_matmul
from ttstack.passes.ttir.simplify.reassociate_multiplies import reassociate_multiplies
from ttstack.passes.ttir.tensor_train.compress import CompressTables
from ttstack.passes.ttir.tensor_train.fold import FoldTensorTrain
from ttstack.passes.ttir.tensor_train.recognize import RecognizeLookups
from ttstack.passes.ttir.tensor_train.record import RecordTrains
from ttstack.passes.ttir.tensor_train.to_linalg import ConvertTensorTrainToLinalg
from ttstack.passes.ttir_to_linalg import ConvertTTIRToLinalg
from ttstack.passes.ttir_to_ttnn import ConvertTTIRToTTNN
from ttstack.passes.ttnn.assign_addresses import AssignAddresses
from ttstack.passes.ttnn.deallocate import DeallocateBuffers
from ttstack.passes.ttnn.share_layouts import ShareLayouts
from ttstack.placement import PlacementOptions
from ttstack.support.plugins import PASSES as PLUGGED_IN
from ttstack.support.plugins import load_entry_points
from ttstack.support.suggestion import did_you_mean

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
            SplitStateBuffers(),
            CacheUpdates(),
            PagedCaches(),
            TileTrainingAttention(),
            Decompose(),
            FoldBatchNorm(),
            FoldConstants(),
            FoldIdentities(),
            densify_grouped_matmul(),
            sparse_updates(),
            FlattenStateBuffers(),
            FuseAttention(),
            FoldMasks(),
            DecodeAttention(),
            FuseRotary(),
            split_topk(),
            LegalizeAttention(),
            ChannelsLast(),
            convolution_by_shifted_slices(),
            SelectGroupNormKernel(),
            DecomposeNorms(),
            FuseNorms(),
            FuseBias(),
            split_sliced_matmul(),
            fold_scale_into_weights(),
            fold_padding_into_weights(),
            CommuteRowMovesWithMatmul(),
            reassociate_multiplies(),
            CanonicalizeMovement(),
            pointwise_convolution_to_matmul(),
            reduce_rows_by_pooling(),
            FoldGatherIntoWeights(),
            distribute_matmul_over_concat(),
            Fuse(),
            Builtin(pipeline="cse"),
            batch_matmul_over_time(),
            merge_qkv_matmuls(),
            TimeMajor(),
            HoistSlices(),
            CollapseBatchIntoRows(),
            Builtin(pipeline="cse"),
            CanonicalizeMovement(),
            merge_parallel_matmuls(),
            reshape_by_head_ops(),
            outer_product_to_matmul(),
            fuse_mask_into_softmax(),
            FuseActivations(),
            FuseResidualIntoNorm(),
            merge_sliced_eltwise(),
            compose_slices(),
            Builtin(pipeline="cse"),
            MergeRecurrences(),
            legalize_batched_matmul(),
            Builtin(pipeline="canonicalize"),
            Builtin(pipeline="cse"),
            FoldConstants(),
            FoldParameters(),
            DuplicateTiedEmbeddings(),
        )
    )


def lower(options: PlacementOptions | None = None) -> Pipeline:
    """Named ttir to ttnn with addresses."""
    chosen = options or PlacementOptions()
    return Pipeline(
        (
            VersionBuffers(),
            FoldLookupReshapes(),
            FoldTensorTrain(),
            RecordTrains(dtype=chosen.table_dtype),
            EmbeddingBagsByMatmul(),
            MergeEmbeddingTables(),
            Dispatch(),
            FoldTransposesIntoMaps(),
            Builtin(pipeline="cse"),
            RecomputeActivations.from_options(chosen),
            HoistAssigns(),
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
    check_left_out(chosen)
    left_out = optional_passes() if _ALL in (chosen.without or ()) else chosen.without or ()
    return Pipeline(tuple(step for step in steps.passes if step.title not in left_out))


_ALL = "all"


def optional_passes() -> list[str]:
    """The names of the passes that `--without` can leave out, those of installed plug-ins included."""
    load_entry_points(PLUGGED_IN)
    return sorted(name for name, spec in PASSES.items() if spec.optional)


def check_left_out(options: CompileOptions) -> None:
    """Check the names of passes to leave out; called before a model is read.

    Raises:
        PassOptionError: names are not those of optional passes; all of them.
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
