"""The named pipelines, each a plain function from options to passes."""

from typing import Any

from ttstack.ops.types import DType
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import Builtin, Pipeline
from ttstack.passes.check_mesh import CheckMesh
from ttstack.passes.ttir.assign_grids import AssignGrids
from ttstack.passes.ttir.cache_updates import CacheUpdates
from ttstack.passes.ttir.channels_last import ChannelsLast
from ttstack.passes.ttir.convert_results import ConvertResults
from ttstack.passes.ttir.decompose import Decompose
from ttstack.passes.ttir.dispatch import Dispatch
from ttstack.passes.ttir.drop_layouts import DropLayouts
from ttstack.passes.ttir.drop_memory import DropMemory
from ttstack.passes.ttir.fold_batch_norm import FoldBatchNorm
from ttstack.passes.ttir.fold_constants import FoldConstants
from ttstack.passes.ttir.fold_lookups import FoldLookups
from ttstack.passes.ttir.fold_masks import FoldMasks
from ttstack.passes.ttir.fold_movement import FoldMovement
from ttstack.passes.ttir.fold_parameters import FoldParameters
from ttstack.passes.ttir.fuse import Fuse
from ttstack.passes.ttir.fuse_attention import FuseAttention
from ttstack.passes.ttir.inline_calls import InlineCalls
from ttstack.passes.ttir.keep_old_values import KeepOldValues
from ttstack.passes.ttir.number_updates import NumberUpdates
from ttstack.passes.ttir.place import Place
from ttstack.passes.ttir.tensor_train.compress import TensorTrain
from ttstack.passes.ttir.tensor_train.fold import FoldTensorTrain
from ttstack.passes.ttir.tensor_train.recognize import RecognizeLookups
from ttstack.passes.ttir.tensor_train.record import RecordTrains
from ttstack.passes.ttir.tensor_train.to_linalg import ConvertTensorTrainToLinalg
from ttstack.passes.ttir_to_ttnn import ConvertTTIRToTTNN
from ttstack.passes.ttnn.assign_addresses import AssignAddresses
from ttstack.passes.ttnn.deallocate import Deallocate
from ttstack.system_desc import SystemDesc


def simplify() -> Pipeline:
    """Named ttir to simpler named ttir."""
    return Pipeline(
        (
            DropLayouts(),
            ConvertResults(),
            InlineCalls(),
            Builtin(pipeline="canonicalize"),
            DropMemory(),
            CacheUpdates(),
            NumberUpdates(),
            Decompose(),
            FoldBatchNorm(),
            FoldConstants(),
            FuseAttention(),
            FoldMasks(),
            ChannelsLast(),
            FoldMovement(),
            NumberUpdates(),
            Fuse(),
            Builtin(pipeline="canonicalize"),
            NumberUpdates(),
            Builtin(pipeline="cse"),
            FoldParameters(),
        )
    )


def lower(
    *,
    placement: str = "greedy",
    dtype: DType | None = None,
    weights_dtype: DType | None = None,
    placement_budget: float | None = None,
    placement_nodes: int | None = None,
    overrides: Any = None,
) -> Pipeline:
    """Named ttir to ttnn with addresses; `overrides` are what placement takes, or a file of them."""
    search = {"policy": placement, "budget": placement_budget, "nodes": placement_nodes}
    formats = {"dtype": dtype, "weights_dtype": weights_dtype}
    return Pipeline(
        (
            KeepOldValues(),
            FoldLookups(),
            FoldTensorTrain(),
            RecordTrains(dtype=dtype),
            Dispatch(),
            NumberUpdates(),
            Builtin(pipeline="cse"),
            AssignGrids(),
            Place.of({**search, **formats, "overrides": overrides}),
            ConvertTTIRToTTNN(),
            Builtin(pipeline="canonicalize"),
            Deallocate(),
            AssignAddresses(),
        )
    )


def compress(text: str, *, dtype: DType | None = None) -> Pipeline:
    """Embedding tables of named ttir to Tensor-Train form, as `text` says: `rel_error=0.05`, or a YAML file."""
    chosen = TensorTrain.from_text(text).model_copy(update={"dtype": dtype})
    return Pipeline((RecognizeLookups(), chosen, Builtin(pipeline="canonicalize")))


def ttir_to_ttnn(
    system_desc: str | SystemDesc = "wormhole",
    *,
    placement: str = "greedy",
    dtype: DType | None = None,
    weights_dtype: DType | None = None,
    placement_budget: float | None = None,
    placement_nodes: int | None = None,
    overrides: Any = None,
    tensor_train: str = "",
) -> Pipeline:
    """The whole way for one device; `tensor_train` compresses embedding tables."""
    start = (AttachSystemDesc(system_desc=system_desc), CheckMesh())
    tables = compress(tensor_train, dtype=dtype).passes if tensor_train else ()
    lowering = lower(
        placement=placement,
        dtype=dtype,
        weights_dtype=weights_dtype,
        placement_budget=placement_budget,
        placement_nodes=placement_nodes,
        overrides=overrides,
    )
    return Pipeline((*start, *simplify().passes, *tables, *lowering.passes))


def tensor_train_to_linalg() -> Pipeline:
    """Lookups in Tensor-Train form to upstream dialects, which MLIR's own passes lower to LLVM."""
    return Pipeline((FoldTensorTrain(), ConvertTensorTrainToLinalg()))


PIPELINES = {
    "simplify": simplify,
    "lower": lower,
    "ttir-to-ttnn": ttir_to_ttnn,
    "tensor-train-to-linalg": tensor_train_to_linalg,
}
