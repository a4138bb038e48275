"""Precision by name: the format of tensors and the fidelity of ops, by role.

The first three are after the decoder precisions `accuracy` and `performance` of tt-metal's model code, and what both
start from (models/tt_transformers/tt/model_config.py, models/tt_transformers/PERF.md); the last is after its encoders
and image models, which keep everything in bfp8_b (models/demos/wormhole/vit, models/demos/resnet).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ttstack.choices import Approximation, Precision
from ttstack.device.device_op import Fidelity
from ttstack.ops.types import DType, TensorType
from ttstack.placement.graph import Graph
from ttstack.placement.roles import Role, Roles, roles_of

_Kept = Mapping[Role, tuple[DType | None, Fidelity | None]]

_BALANCED: _Kept = {
    Role.ACTIVATIONS: (DType.BF16, None),
    Role.PARAMETERS: (DType.BF16, None),
    Role.WEIGHTS: (DType.BFP8_B, Fidelity.HIFI2),
    Role.MLP: (DType.BFP8_B, Fidelity.HIFI2),
    Role.GATES: (DType.BFP8_B, Fidelity.HIFI2),
    Role.CACHES: (DType.BFP8_B, None),
    Role.ATTENTION: (None, Fidelity.HIFI4),
    Role.DECODE: (None, Fidelity.HIFI2),
    Role.NORMS: (None, Fidelity.HIFI2),
}
PRECISIONS: Mapping[Precision, _Kept] = {
    Precision.ACCURACY: {
        **_BALANCED,
        Role.WEIGHTS: (DType.BF16, Fidelity.HIFI4),
        Role.CACHES: (DType.BF16, None),
        Role.DECODE: (None, Fidelity.HIFI4),
        Role.NORMS: (None, Fidelity.HIFI4),
    },
    Precision.BALANCED: _BALANCED,
    Precision.PERFORMANCE: {**_BALANCED, Role.GATES: (DType.BFP4_B, Fidelity.LOFI)},
    Precision.THROUGHPUT: {
        **_BALANCED,
        Role.ACTIVATIONS: (DType.BFP8_B, None),
        Role.WEIGHTS: (DType.BFP8_B, Fidelity.LOFI),
        Role.MLP: (DType.BFP8_B, Fidelity.LOFI),
        Role.GATES: (DType.BFP8_B, Fidelity.LOFI),
        Role.ATTENTION: (None, Fidelity.HIFI2),
    },
}
"""For each role, the format of tensors and the passes of the multiplier; None where the op's other tensors say it."""

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
        """The format of each value; the source's own where None."""
        if self.precision is None:
            weights = frozenset(self.graph.parameters)
            return [
                (self.weights_dtype if v in weights else None)
                or (self.half_dtype if _is_half(t) else None)
                or self.dtype
                for v, t in enumerate(self.graph.values)
            ]
        kept = PRECISIONS[self.precision]
        return [kept[self._roles.values.get(v, Role.ACTIVATIONS)][0] for v in range(len(self.graph.values))]

    def with_fidelities(self) -> Graph:
        """The graph whose nodes know theirs."""
        if self.precision is None:
            return self.graph
        kept, roles = PRECISIONS[self.precision], self._roles.nodes
        nodes = (replace(n, fidelity=kept[roles[i]][1]) if i in roles else n for i, n in enumerate(self.graph.nodes))
        return replace(self.graph, nodes=tuple(nodes))


def _is_half(t: TensorType) -> bool:
    return t.dtype in (DType.BF16, DType.F16)
