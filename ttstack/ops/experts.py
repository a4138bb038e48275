"""Fused kernels for all experts of a layer, which only the device can compute, and their cost."""

from ttstack.ops.attributes import (
    MoeActivation,
    ResultType,
    ResultTypes,
    Ui32,
)
from ttstack.ops.base import Op
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.moe import check_routing
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType, tiles
from ttstack.ops.work_estimate import WorkEstimate


class FusedExperts(Op):
    """Expert networks in one kernel with its own layouts; it has a cost, but cannot be executed here."""

    op_code = "MatmulDeviceOperation"
    opaque = True

    def sizes(self) -> tuple[int, int, int]:
        """Return the rows of all experts together, the token width, and the width between the matrices."""
        raise NotImplementedError(f"{type(self).__name__}.sizes")

    def flops(self) -> int:
        """Return the operations of three matmuls: gate, up and down."""
        rows, hidden, inner = self.sizes()
        return 6 * rows * hidden * inner

    def dispatch(self) -> WorkEstimate:
        """Estimate three matmuls for each tile of rows, with weights read once."""
        rows, hidden, inner = self.sizes()
        weights = [IndexingMap((0, 2, 1), Access.GATHER)] * (len(self.operands) - 1)
        return WorkEstimate(
            domain=(tiles(rows), tiles(inner), tiles(hidden)),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL, Iterator.REDUCTION),
            inputs=(IndexingMap((0, 2), Access.GATHER), *weights),
            outputs=(IndexingMap((0, 1), Access.GATHER),) * len(self.results),
            body=(TileWork("matmul", (0, 0), 3.0), TileWork("silu", (0,))),
        )


class MoeGpt(FusedExperts, mnemonic="moe_gpt"):
    """Run the experts of GPT-OSS on dispatched tokens, in the layouts of tt-metal's kernel."""

    host_indices = ("expert_indices", "expert_mapping")
    result_names = ("token_counts", "activation_records", "token_indices", "tilize_out", "tilize_out_rm")
    input_tensor: TensorType
    expert_indices: TensorType
    expert_scores: TensorType
    expert_mapping: TensorType
    w0_w1_tensor: TensorType
    w2_tensor: TensorType
    output_height_shard_dim: Ui32 = 4
    output_width_shard_dim: Ui32 = 3
    hidden_size: Ui32 = 2880
    cluster_axis: Ui32 | None = None
    types: ResultTypes

    def infer(self) -> tuple[TensorType, ...]:
        """Return the declared result types."""
        expect(len(self.types) == 5, f"has {len(self.types)} results, not 5")
        for name in ("w0_w1_tensor", "w2_tensor"):
            rank = getattr(self, name).rank
            expect(rank == 6, f"{name} has rank {rank}, not 6")
        width = self.input_tensor.shape[-1] if self.input_tensor.rank else 0
        expect(width == self.hidden_size, f"input_tensor has rows of {width}, hidden_size is {self.hidden_size}")
        check_routing(self.expert_indices, self.expert_scores, ("expert_indices", "expert_scores"))
        return self.types

    def sizes(self) -> tuple[int, int, int]:
        """Return the sizes, with a row for each token and each of its experts."""
        return self.expert_indices.size, self.hidden_size, self.hidden_size


class MoeCompute(FusedExperts, mnemonic="moe_compute"):
    """Compute `activation(x @ w0) * (x @ w1) @ w2` of dispatched tokens for each of their experts, and combine them.

    Weights are [layers, experts, rows, columns]; the result is [k, tokens, width].
    """

    host_indices = ("tilize_expert_indices_tensor", "tilize_expert_mapping_tensor")
    result_names = ("combine_output",)
    tilize_input_tensor: TensorType
    tilize_expert_indices_tensor: TensorType
    tilize_expert_scores_tensor: TensorType
    tilize_expert_mapping_tensor: TensorType
    w0: TensorType
    w1: TensorType
    w2: TensorType
    bias_0: TensorType | None = None
    bias_1: TensorType | None = None
    bias_2: TensorType | None = None
    layer_id: Ui32
    output_height_shard_dim: Ui32
    intermediate_size: Ui32
    activation_function: MoeActivation = "Silu"
    cluster_axis: Ui32
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared type: a row of the input's width for each of the k experts of each token."""
        indices, scores = self.tilize_expert_indices_tensor, self.tilize_expert_scores_tensor
        check_routing(indices, scores, ("tilize_expert_indices_tensor", "tilize_expert_scores_tensor"))
        hidden = self.tilize_input_tensor.shape[-1] if self.tilize_input_tensor.rank else 0
        inner = self.intermediate_size
        expect(inner > 0 and inner % 32 == 0, f"intermediate_size is {inner}, not a positive multiple of 32")
        for name, want in (("w0", (hidden, inner)), ("w1", (hidden, inner)), ("w2", (inner, hidden))):
            got = getattr(self, name).shape
            expect(got[2:] == want, f"{name} is {list(got)}, expected [layers, experts, {want[0]}, {want[1]}]")
        layers = self.w0.shape[0]
        expect(self.layer_id < layers, f"layer_id is {self.layer_id}, w0 has {layers} layers")
        k = indices.shape[-1]
        fits = self.type.rank == 3 and (self.type.shape[0], self.type.shape[2]) == (k, hidden)
        expect(fits, f"combine_output is {self.type}, expected [{k}, tokens, {hidden}]")
        return self.type

    def sizes(self) -> tuple[int, int, int]:
        """Return the sizes, with a row for each token and each of its experts."""
        return self.tilize_expert_indices_tensor.size, self.tilize_input_tensor.shape[-1], self.intermediate_size
