"""What can be drawn for ops that span a mesh, on one device of it."""

from typing import Any

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import REALS, Draw, axis_of, for_ops, tensors
from ttstack.ops import OPS, collective, distributed, mesh

ONE_DEVICE = ((0,),)
"""Groups of a mesh of one device, on which every op that spans a mesh can run."""


@for_ops(collective.Resized)
def _resized(draw: Draw, mnemonic: str) -> Case:
    spec = OPS[mnemonic]
    t = draw(tensors(least=1))
    attributes: dict[str, Any] = {getattr(spec, "dim_name"): axis_of(draw, t.rank)}  # noqa: B009 of its subclasses
    if spec.attribute_specs()["cluster_axis"].required or draw(st.booleans()):
        attributes["cluster_axis"] = draw(st.integers(0, 1))
    if "reduce_type" in spec.attribute_specs():
        attributes["reduce_type"] = draw(st.sampled_from(tuple(collective.REDUCTIONS)))
    return Case(mnemonic, (t,), attributes, t)


@for_ops(collective.AllReduction)
def _all_reduction(draw: Draw, mnemonic: str) -> Case:
    kind = draw(st.sampled_from(tuple(collective.REDUCTIONS)))
    return Case(mnemonic, (draw(tensors()),), {"cluster_axis": draw(st.integers(0, 1)), "reduce_type": kind})


@for_ops(collective.CollectivePermute)
def _permutation(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors()),), {"source_target_pairs": draw(st.sampled_from(((), ((0, 0),))))})


@for_ops(collective.CollectiveBroadcast)
def _collective_broadcast(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (draw(tensors()),), {"replica_groups": ONE_DEVICE})


@for_ops(collective.AllToAll)
def _all_to_all(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(least=1))
    dims = {name: draw(st.integers(0, t.rank - 1)) for name in ("split_dim", "concat_dim")}
    return Case(mnemonic, (t,), dims | {"split_count": 1, "replica_groups": ONE_DEVICE})


@for_ops(mesh.MeshShard)
def _mesh_shard(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors())
    attributes = {
        "shard_type": draw(st.sampled_from(mesh.MeshShard.TYPES)),
        "shard_direction": draw(st.sampled_from(mesh.MeshShard.DIRECTIONS)),
        "shard_shape": (1,) * t.rank,
        "shard_dims": tuple(draw(st.integers(-1, t.rank - 1)) for _ in range(draw(st.integers(1, 2)))),
    }
    return Case(mnemonic, (t,), attributes)


@for_ops(distributed.DistributedNorm)
def _distributed_norm(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=1))
    places = [t.with_shape(t.shape[-1:])] * (len(OPS[mnemonic].operand_specs()) - 2) + [t]
    return Case(
        mnemonic,
        (t, *[p if draw(st.booleans()) else None for p in places]),
        {"cluster_axis": draw(st.integers(0, 1))},
    )
