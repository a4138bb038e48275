"""Exchange of tokens with the devices that hold their experts; see `ttstack.ops.moe` for the mappings."""

from ttstack.ops.attributes import I64, ResultType, ResultTypes
from ttstack.ops.devices import Groups, Mesh, MeshOp, check_axis
from ttstack.ops.moe import Routed, check_mapping
from ttstack.ops.shapes import expect, integer
from ttstack.ops.types import TensorType


class Exchange(Routed, MeshOp):
    """An exchange of tokens between the `num_devices` devices along `cluster_axis` of the mesh."""

    by_rows = True
    num_devices: I64
    cluster_axis: I64

    @property
    def mapping(self) -> TensorType:
        """The mapping from experts to devices: the last operand."""
        return self.operands[-1]

    def check_devices(self) -> None:
        """Raise `ValueError` unless there are devices, the mesh has the axis, and the mapping has devices."""
        expect(self.num_devices > 0, f"num_devices is {self.num_devices}, not positive")
        check_axis(self.cluster_axis)
        check_mapping(self.mapping)

    def check_mesh(self, mesh: Mesh) -> None:
        """Raise `ValueError` unless the devices are those along the axis, and the mapping has their columns.

        The mapping can also have a column for each device of the mesh.
        """
        along, axis, columns = mesh.extent(self.cluster_axis), self.cluster_axis, self.mapping.shape[3]
        expect(
            self.num_devices == along,
            f"num_devices is {self.num_devices}, axis {axis} of the mesh {mesh} has {along} devices",
        )
        expect(
            columns in (along, mesh.size),
            f"expert_mapping has {columns} devices, axis {axis} of the mesh {mesh} has {along}, the mesh {mesh.size}",
        )

    def groups(self, mesh: Mesh) -> Groups:
        """Return the groups of devices along the axis."""
        return mesh.groups(self.cluster_axis)

    def sent_shares(self, mesh: Mesh) -> dict[tuple[int, int], float]:
        """Return the share of rows for each pair of devices along the axis."""
        pairs = ((a, b) for group in self.groups(mesh) for a in group for b in group if a != b)
        return dict.fromkeys(pairs, self.share)

    @property
    def share(self) -> float:
        """The share of the first operand that a device sends to each other one, assuming uniform expert choice."""
        raise NotImplementedError(f"{type(self).__name__}.share")


class TokenScatter(Exchange):
    """Send each token to all devices along the axis that hold one of its experts; send experts and scores to all.

    Results keep the operand's batch, and rows of the devices follow one another in each batch entry. A row is 0 on a
    device that the token is not sent to.
    """

    host_indices = ("expert_indices", "expert_mapping")
    input_tensor: TensorType
    expert_indices: TensorType

    @property
    def sent_rows(self) -> dict[str, TensorType]:
        """The operands whose rows are sent, by name."""
        raise NotImplementedError(f"{type(self).__name__}.sent_rows")

    @property
    def share(self) -> float:
        """The share of tokens with at least one expert on the other device."""
        return 1 - (1 - 1 / self.mapping.shape[3]) ** self.expert_indices.shape[-1]

    def circulated_share(self, mesh: Mesh) -> float:  # noqa: ARG002 the same in every mesh
        """Return the size of everything sent except the tokens, relative to them."""
        others = sum(t.nbytes for t in self.sent_rows.values()) - self.input_tensor.nbytes
        return others / max(self.input_tensor.nbytes, 1)

    def tokens(self) -> int:
        """Return the number of rows of `input_tensor`."""
        return self.input_tensor.size // max(self.input_tensor.shape[-1], 1)

    def check_sent(self, types: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
        """Return `types` after checking that each has the rows of all devices and the columns of its operand."""
        self.check_devices()
        count = self.tokens()
        integer("expert_indices", self.expert_indices)
        for (name, t), result, label in zip(self.sent_rows.items(), types, self.result_names, strict=True):
            expect(2 <= t.rank <= 4, f"{name} has rank {t.rank}, not 2 to 4")
            rows = t.size // max(t.shape[-1], 1)
            expect(rows == count, f"{name} has {rows} tokens, input_tensor {count}")
            same = result.shape[-1:] == t.shape[-1:] and result.dtype == t.dtype
            fits = same and result.size == t.size * self.num_devices
            expect(fits, f"{label} is {result}, which does not hold {self.num_devices} times {t}")
        return types


class AllToAllDispatch(TokenScatter, mnemonic="all_to_all_dispatch"):
    """Send tokens, and their expert ids, to the devices of their experts."""

    result_names = ("dispatched", "metadata")
    expert_mapping: TensorType
    types: ResultTypes

    @property
    def sent_rows(self) -> dict[str, TensorType]:
        """Tokens and their expert ids."""
        return {"input_tensor": self.input_tensor, "expert_indices": self.expert_indices}

    def infer(self) -> tuple[TensorType, ...]:
        """Return the declared result types, checked to have the rows of all devices."""
        return self.check_sent(self.types)


class AllToAllDispatchMetadata(TokenScatter, mnemonic="all_to_all_dispatch_metadata"):
    """Send tokens, their expert ids and scores, to the devices of their experts."""

    result_names = ("dispatched", "indices", "scores")
    expert_scores: TensorType
    expert_mapping: TensorType
    types: ResultTypes

    @property
    def sent_rows(self) -> dict[str, TensorType]:
        """Tokens, their experts, and the scores."""
        tokens = {"input_tensor": self.input_tensor, "expert_indices": self.expert_indices}
        return tokens | {"expert_scores": self.expert_scores}

    def infer(self) -> tuple[TensorType, ...]:
        """Return the declared result types, checked to have the rows of all devices."""
        return self.check_sent(self.types)


class AllToAllCombine(Exchange, mnemonic="all_to_all_combine"):
    """Return each token's expert outputs to the token's device: [k, batch, sequence, width].

    `input_tensor` is [experts of a device, batch, sequence, width] with the tokens of all devices along the axis, or
    has the experts third; the result is divided over the devices along `output_shard_dim`. A row is 0 if no device
    along the axis holds the expert.
    """

    host_indices = ("expert_metadata", "expert_mapping")
    input_tensor: TensorType
    expert_metadata: TensorType
    expert_mapping: TensorType
    num_experts_per_tok: I64
    output_shard_dim: I64 = 2
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared type: a row for each token of the device and each of its experts."""
        self.check_devices()
        given, metadata = self.input_tensor, self.expert_metadata
        for name, t in (("input_tensor", given), ("expert_metadata", metadata)):
            expect(t.rank == 4, f"{name} has rank {t.rank}, not 4")
        integer("expert_metadata", metadata)
        batch, length, k = metadata.shape[1:]
        expect(k == self.num_experts_per_tok, f"num_experts_per_tok is {self.num_experts_per_tok}, metadata has {k}")
        by_expert = given.shape[1:3] == (batch, length)
        expect(
            by_expert or given.shape[:2] == (batch, length),
            f"input_tensor {list(given.shape)} does not hold the tokens of expert_metadata {list(metadata.shape)}",
        )
        part = given.with_shape(self._part([k, batch, length, given.shape[3]]))
        expect(self.type == part, f"result is {self.type}, expected {part}: a part of {self.num_devices}")
        return self.type

    @property
    def share(self) -> float:
        """The share of rows that one device sends back to each other device."""
        rows = self.type.size // max(self.type.shape[-1], 1)
        return rows * self.input_tensor.shape[-1] / self.mapping.shape[3] / max(self.input_tensor.size, 1)

    def _part(self, shape: list[int]) -> tuple[int, ...]:
        """Return `shape` divided over the devices."""
        at, count = self.output_shard_dim, self.num_devices
        expect(at in (1, 2), f"output_shard_dim is {at}, not 1 or 2")
        extent = shape[at]
        expect(extent % count == 0, f"{extent} tokens along output_shard_dim {at} do not split over {count} devices")
        return (*shape[:at], extent // count, *shape[at + 1 :])
