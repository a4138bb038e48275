"""The named pipelines, each a plain function from options to passes."""

from ttstack.ops.types import DType
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.base import Builtin, Pipeline
from ttstack.passes.check_mesh import CheckMesh
from ttstack.passes.ttir.assign_grids import AssignGrids
from ttstack.passes.ttir.cache_updates import CacheUpdates
from ttstack.passes.ttir.decompose import Decompose
from ttstack.passes.ttir.dispatch import Dispatch
from ttstack.passes.ttir.drop_layouts import DropLayouts
from ttstack.passes.ttir.drop_memory import DropMemory
from ttstack.passes.ttir.fold_constants import FoldConstants
from ttstack.passes.ttir.fold_movement import FoldMovement
from ttstack.passes.ttir.fuse import Fuse
from ttstack.passes.ttir.inline_calls import InlineCalls
from ttstack.passes.ttir.keep_old_values import KeepOldValues
from ttstack.passes.ttir.number_updates import NumberUpdates
from ttstack.passes.ttir.place import Place
from ttstack.passes.ttir_to_ttnn import ConvertTTIRToTTNN
from ttstack.passes.ttnn.assign_addresses import AssignAddresses
from ttstack.passes.ttnn.deallocate import Deallocate
from ttstack.system_desc import SystemDesc


def simplify() -> Pipeline:
    """Named ttir to simpler named ttir."""
    return Pipeline(
        (
            DropLayouts(),
            InlineCalls(),
            Builtin(pipeline="canonicalize"),
            DropMemory(),
            CacheUpdates(),
            NumberUpdates(),
            Decompose(),
            FoldConstants(),
            FoldMovement(),
            NumberUpdates(),
            Fuse(),
            Builtin(pipeline="canonicalize"),
            NumberUpdates(),
            Builtin(pipeline="cse"),
        )
    )


def lower(*, placement: str = "greedy", dtype: DType | None = None) -> Pipeline:
    """Named ttir to ttnn with addresses."""
    return Pipeline(
        (
            KeepOldValues(),
            Dispatch(),
            NumberUpdates(),
            Builtin(pipeline="cse"),
            AssignGrids(),
            Place.of({"policy": placement, "dtype": dtype}),
            ConvertTTIRToTTNN(),
            Builtin(pipeline="canonicalize"),
            Deallocate(),
            AssignAddresses(),
        )
    )


def ttir_to_ttnn(
    system_desc: str | SystemDesc = "wormhole", *, placement: str = "greedy", dtype: DType | None = None
) -> Pipeline:
    """The whole way for one device."""
    attach = AttachSystemDesc(system_desc=system_desc)
    return Pipeline((attach, CheckMesh(), *simplify().passes, *lower(placement=placement, dtype=dtype).passes))


PIPELINES = {"simplify": simplify, "lower": lower, "ttir-to-ttnn": ttir_to_ttnn}
