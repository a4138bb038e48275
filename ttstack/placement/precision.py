"""Precision by name: the format of tensors, the fidelity of ops and the width of sums, by role.

The first three are after the decoder precisions `accuracy` and `performance` of tt-metal's model code, and what both
start from (models/tt_transformers/tt/model_config.py, models/tt_transformers/PERF.md; sums of norms in
models/common/rmsnorm.py); the last is after its encoders
and image models, which keep everything in bfp8_b (models/demos/wormhole/vit, models/demos/resnet).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ttstack.device.device_op import Fidelity
from ttstack.device.kernel_class import divides_rows, is_softmax
from ttstack.device.program_config import Sums
from ttstack.ops.types import DType, ElementType
from ttstack.options.choices import Approximation, Precision
from ttstack.placement.graph import Graph, Node
from ttstack.placement.roles import Role, Roles, roles_of


class Kept(NamedTuple):
    """Formats of a role; a field that is None follows the op's other tensors."""

    format: DType | None = None
    fidelity: Fidelity | None = None
    """Passes of the multiplier."""
    sums: Sums | None = None
    """Accumulation format of the kernels of norms and softmax."""


_BALANCED: Mapping[Role, Kept] = {
    Role.ACTIVATIONS: Kept(DType.BF16),
    Role.PARAMETERS: Kept(DType.BF16),
    Role.WEIGHTS: Kept(DType.BFP8_B, Fidelity.HIFI2),
    Role.MLP: Kept(DType.BFP8_B, Fidelity.HIFI2),
    Role.GATES: Kept(DType.BFP8_B, Fidelity.HIFI2),
    Role.CACHES: Kept(DType.BFP8_B),
    Role.ATTENTION: Kept(fidelity=Fidelity.HIFI4),
    Role.DECODE: Kept(fidelity=Fidelity.HIFI2),
    Role.NORMS: Kept(fidelity=Fidelity.HIFI2, sums=Sums.F32),
}
PRECISIONS: Mapping[Precision, Mapping[Role, Kept]] = {
    Precision.ACCURACY: {
        **_BALANCED,
        Role.WEIGHTS: Kept(DType.BF16, Fidelity.HIFI4),
        Role.CACHES: Kept(DType.BF16),
        Role.DECODE: Kept(fidelity=Fidelity.HIFI4),
        Role.NORMS: Kept(fidelity=Fidelity.HIFI4, sums=Sums.F32),
    },
    Precision.BALANCED: _BALANCED,
    Precision.PERFORMANCE: {**_BALANCED, Role.GATES: Kept(DType.BFP4_B, Fidelity.LOFI)},
    Precision.THROUGHPUT: {
        **_BALANCED,
        Role.ACTIVATIONS: Kept(DType.BFP8_B),
        Role.WEIGHTS: Kept(DType.BFP8_B, Fidelity.LOFI),
        Role.MLP: Kept(DType.BFP8_B, Fidelity.LOFI),
        Role.GATES: Kept(DType.BFP8_B, Fidelity.LOFI),
        Role.ATTENTION: Kept(fidelity=Fidelity.HIFI2),
        Role.NORMS: Kept(fidelity=Fidelity.HIFI2, sums=Sums.BF16),
    },
}
"""Formats of each role."""

APPROXIMATED: Mapping[Precision, tuple[Approximation, ...]] = {Precision.THROUGHPUT: (Approximation.GELU,)}
"""Functions that are computed in the device's fast form."""


@dataclass(frozen=True)
class Exactness:
    """The formats of a function's values and the fidelities of its ops, as a user asks for them."""

    graph: Graph
    dtype: DType | None
    weights_dtype: DType | None
    half_dtype: DType | None
    """The format of values that the source has in 16 bits, but for weights that `weights_dtype` speaks of."""
    precision: Precision | None

    @cached_property
    def _roles(self) -> Roles:
        return roles_of(self.graph)

    def formats(self) -> list[DType | None]:
        """Return the format of each value; None for the source's own."""
        if self.precision is None:
            weights = frozenset(self.graph.parameters)
            return [
                (self.weights_dtype if v in weights else None)
                or (self.half_dtype if is_half(t.dtype) else None)
                or self.dtype
                for v, t in enumerate(self.graph.values)
            ]
        kept = PRECISIONS[self.precision]
        return [kept[self._roles.values.get(v, Role.ACTIVATIONS)].format for v in range(len(self.graph.values))]

    def with_fidelities(self) -> Graph:
        """Return the graph whose nodes know theirs."""
        if self.precision is None:
            return self.graph
        kept, roles = PRECISIONS[self.precision], self._roles.nodes
        nodes = (_as_kept(n, kept[roles[i]]) if i in roles else n for i, n in enumerate(self.graph.nodes))
        return replace(self.graph, nodes=tuple(nodes))


def _as_kept(node: Node, kept: Kept) -> Node:
    sums = kept.sums if divides_rows(node.op) or is_softmax(node.op) else None
    return replace(node, fidelity=kept.fidelity, sums=sums)


def is_half(dtype: ElementType) -> bool:
    """Return True for real types of 16 bits."""
    return dtype in (DType.BF16, DType.F16)
