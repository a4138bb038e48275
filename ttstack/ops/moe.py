"""Mixture of experts: routing of tokens to experts, and the data that each device has.

An expert mapping is [1, 1, experts, devices], 1 if the device has the expert; its devices are those of the mesh, or
along one axis. Metadata is [1, batch, sequence, k]: the experts of each token of all devices along the axis.
"""

import math
from dataclasses import replace

from ttstack.ops.attributes import I32, I64, ResultDType, ResultType, SecondResultDType, Ui32
from ttstack.ops.base import Op
from ttstack.ops.devices import Groups, Mesh, MeshOp
from ttstack.ops.loop_nests import broadcast_map, movement
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.movement import Movement
from ttstack.ops.shapes import broadcast, expect, integer
from ttstack.ops.types import TensorType, tiles
from ttstack.ops.work_estimate import WorkEstimate


class TopkRouterGpt(Op, mnemonic="topk_router_gpt"):
    """Return the `k` experts of `input @ weight + bias` with the highest scores, and the softmax of these scores."""

    op_code = "MatmulDeviceOperation"
    result_names = ("expert_indices", "expert_weights")
    input: TensorType
    weight: TensorType
    bias: TensorType
    k: I32
    num_experts: I32
    dtype: ResultDType
    weights_dtype: SecondResultDType

    def infer(self) -> tuple[TensorType, ...]:
        """Return [B, k] twice, in the declared element types."""
        for name, t in (("input", self.input), ("weight", self.weight)):
            expect(t.rank == 2, f"{name} has rank {t.rank}, not 2")
        (rows, inner), (depth, experts) = self.input.shape, self.weight.shape
        expect(inner == depth, f"inner dimensions of input and weight differ: {inner} and {depth}")
        expect(self.num_experts == experts, f"num_experts is {self.num_experts}, weight has {experts} columns")
        expect(0 < self.k <= experts, f"k is {self.k}, there are {experts} experts")
        logits = (rows, experts)
        fits = broadcast(logits, self.bias.shape) == logits
        expect(fits, f"bias {list(self.bias.shape)} does not broadcast to {list(logits)}")
        indices, weights = TensorType((rows, self.k), self.dtype), TensorType((rows, self.k), self.weights_dtype)
        integer("expert_indices", indices)
        expect(weights.dtype.is_float, f"expert_weights hold {weights.dtype}, not real numbers")
        return indices, weights

    def flops(self) -> int:
        """Return two for each multiply-add."""
        return 2 * self.input.size * self.num_experts

    def dispatch(self) -> WorkEstimate:
        """Estimate a matmul whose rows are sorted where they are computed."""
        rows, inner = self.input.shape
        logits = TensorType((rows, self.num_experts), self.input.dtype)
        levels = math.ceil(math.log2(max(self.num_experts, 2)))
        return WorkEstimate(
            domain=(tiles(rows), tiles(self.num_experts), tiles(inner)),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL, Iterator.REDUCTION),
            inputs=(
                IndexingMap((0, 2), Access.MULTICAST),
                IndexingMap((2, 1), Access.MULTICAST),
                broadcast_map(self.bias, logits),
            ),
            outputs=(IndexingMap((0, None)), IndexingMap((0, None))),
            body=(TileWork("matmul", (0, 1, 3)), TileWork("maximum", (5,), 2 * levels), TileWork("exp", (5,))),
        )


class Routed(Movement):
    """Moves tokens or weights by expert, without arithmetic."""

    op_code = "CopyDeviceOperation"
    computes = None

    def dispatch(self) -> WorkEstimate:
        """Estimate the movement of single rows from anywhere."""
        rows = max(t.size // max(t.shape[-1], 1) if t.rank else 1 for t in (*self.operands, *self.results))
        return replace(movement(self.operands, self.results), domain=(rows,))


class SelectiveReduceCombine(Routed, mnemonic="selective_reduce_combine"):
    """Return dense rows of a device's experts to the tokens that they came from.

    Only tt-metal's kernels know the order of rows, so the op has a cost but cannot be executed here.
    """

    opaque = True
    host_indices = ("dense_token_maps_tensor", "dense_token_counts_tensor")
    dense_input_tensor: TensorType
    dense_activations_tensor: TensorType
    dense_token_maps_tensor: TensorType
    dense_token_counts_tensor: TensorType
    hidden_size: Ui32
    batch_size: Ui32
    seq_size: Ui32
    select_experts_k: Ui32
    experts: Ui32
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared type; rows must be `hidden_size` wide."""
        for name, t in (("dense_input_tensor", self.dense_input_tensor), ("result", self.type)):
            width = t.shape[-1] if t.rank else 0
            expect(width == self.hidden_size, f"{name} has rows of {width}, hidden_size is {self.hidden_size}")
        expect(
            0 < self.select_experts_k <= self.experts,
            f"select_experts_k is {self.select_experts_k}, there are {self.experts} experts",
        )
        for name in ("dense_token_maps_tensor", "dense_token_counts_tensor"):
            integer(name, getattr(self, name))
        return self.type


class MoeExpertTokenRemap(Routed, MeshOp, mnemonic="moe_expert_token_remap"):
    """Select the weights of this device's experts, 0 for tokens that are not routed there.

    The second result is a flag for each `reduction_size` tokens: whether any is routed to the expert.
    """

    host_indices = ("expert_mapping", "expert_metadata")
    result_names = ("mapping", "reduced")
    topk_tensor: TensorType
    expert_mapping: TensorType
    expert_metadata: TensorType
    reduction_size: I64
    dtype: SecondResultDType

    def infer(self) -> tuple[TensorType, ...]:
        """Return [1, batch, sequence, experts of a device], and the same for groups of tokens."""
        check_mapping(self.expert_mapping)
        metadata, weights = self.expert_metadata, self.topk_tensor
        expect(metadata.rank == 4, f"expert_metadata has rank {metadata.rank}, not 4")
        integer("expert_metadata", metadata)
        expect(2 <= weights.rank <= 4, f"topk_tensor has rank {weights.rank}, not 2 to 4")
        experts, devices = self.expert_mapping.shape[2:]
        width = weights.shape[-1]
        expect(width == experts, f"topk_tensor has weights of {width} experts, expert_mapping {experts}")
        expect(experts % devices == 0, f"{experts} experts do not split over {devices} devices")
        expect(self.reduction_size > 0, f"reduction_size is {self.reduction_size}, not positive")
        _, batch, length, _ = metadata.shape
        rows, tokens = weights.size // max(width, 1), batch * length
        expect(rows > 0 and tokens % rows == 0, f"topk_tensor has {rows} tokens, expert_metadata {tokens}")
        groups = -(-tokens // self.reduction_size)
        held = experts // devices
        return (
            weights.with_shape((1, batch, length, held)),
            TensorType((1, 1, groups, held), self.dtype),
        )

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` unless the mapping has a column for each device of the mesh, or of one axis."""
        columns = self.expert_mapping.shape[3]
        expect(
            columns == mesh.size or mesh.shape.count(columns) == 1,
            f"expert_mapping has {columns} devices, the mesh {mesh} has {mesh.size}",
        )

    def groups(self, mesh: Mesh) -> Groups:  # noqa: ARG002 of other ops
        """Return no groups: devices exchange nothing."""
        return ()


def column(mesh: Mesh, device: int, columns: int, axis: int | None = None) -> int:
    """Return the mapping's column of `device`; without an axis, the axis with this number of devices is used."""
    if columns == mesh.size:
        return device
    return mesh.position(device, mesh.shape.index(columns) if axis is None else axis)


def check_mapping(mapping: TensorType) -> None:
    """Raise `ValueError` unless a mapping is [1, 1, experts, devices] of integers."""
    integer("expert_mapping", mapping)
    fits = mapping.rank == 4 and mapping.shape[:2] == (1, 1) and min(mapping.shape) > 0
    expect(fits, f"expert_mapping is {list(mapping.shape)}, expected [1, 1, experts, devices]")


def check_routing(indices: TensorType, scores: TensorType, names: tuple[str, str]) -> None:
    """Raise `ValueError` unless there is a score for each expert of each token."""
    integer(names[0], indices)
    same = indices.rank > 0 and indices.shape == scores.shape
    expect(same, f"{names[0]} {list(indices.shape)} differs from {names[1]} {list(scores.shape)}")
