"""A function as placement sees it: values, and ops in the order of the schedule."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.lifetimes import BufferAccesses, last_uses
from ttstack.device.device_op import Fidelity
from ttstack.device.kernel_class import is_view
from ttstack.device.layout import Grid
from ttstack.device.program_config import Sums
from ttstack.ops.base import Op
from ttstack.ops.mesh import MeshShard
from ttstack.ops.types import TensorType
from ttstack.placement.element_values import ElementValues


@dataclass(frozen=True)
class Node:
    """One op; `operands` are the values of those that are present."""

    op: Op
    operands: tuple[int, ...]
    results: tuple[int, ...]
    location: str = ""
    grids: tuple[Grid, ...] = ()
    """The possible grids; derived from the op if empty."""
    fidelity: Fidelity | None = None
    """Passes of the matrix unit; if None, the minimum that multiplies its formats exactly."""
    sums: Sums | None = None
    """Accumulation format of a norm or a softmax; None for the result's width."""
    recast: bool = False
    """True if it casts between two types with one format on the device, which changes nothing."""


@dataclass(frozen=True)
class Graph:
    """Values are numbered; arguments come before the results of ops."""

    values: tuple[TensorType, ...]
    arguments: tuple[int, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]
    parameters: tuple[int, ...] = ()
    """Arguments that exist before the program starts, and stay."""
    names: tuple[str, ...] = ()
    """Names of the arguments, as far as they have any."""
    in_loop: bool = False
    """True for a function that a loop runs: its inputs and outputs keep their formats, and have tiles."""
    known: Mapping[int, ElementValues] = field(default_factory=dict[int, ElementValues])
    """Known elements of constants, by value."""

    def is_view(self, node: Node) -> bool:
        """Return True if the result is the operand's own buffer under another shape."""
        return node.recast or is_view(node.op)

    @cached_property
    def placed(self) -> tuple[int, ...]:
        """The nodes that run, in order: all but views."""
        return tuple(i for i, node in enumerate(self.nodes) if not self.is_view(node))

    @cached_property
    def loop_values(self) -> frozenset[int]:
        """Values that enter or leave an iteration of a loop."""
        inputs = set(self.arguments) - set(self.parameters)
        own = (*inputs, *self.outputs) if self.in_loop else ()
        given = (v for node in self.nodes if node.op.functions for v in (*node.operands, *node.results))
        return frozenset((*own, *given))

    @cached_property
    def owner(self) -> tuple[int, ...]:
        """Return for each value the owner of its buffer; itself if it has its own."""
        owners = buffer_owners({node.results[0]: node.operands[0] for node in self.nodes if self.is_view(node)})
        return tuple(owners.get(v, v) for v in range(len(self.values)))

    @cached_property
    def pinned(self) -> frozenset[int]:
        """Buffers that must be in DRAM: those that ops change, which are not to be copied."""
        return frozenset(self.owner[node.operands[i]] for node in self.nodes for i in node.op.mutated_operands)

    @cached_property
    def on_host(self) -> frozenset[int]:
        """Values that no device holds whole: they are divided over a mesh, or come from there, and nothing else."""
        from_mesh = (
            node.results[0] for node in self.nodes if isinstance(node.op, MeshShard) and not node.op.to_devices
        )
        return frozenset(v for v in (*self.arguments, *from_mesh) if self._stays_on_host(v))

    def _stays_on_host(self, value: int) -> bool:
        users = [node.op for node, _ in self.users[value]]
        divided = all(isinstance(op, MeshShard) and op.to_devices for op in users)
        return divided and (bool(users) or value not in self.arguments)

    @cached_property
    def last_use(self) -> dict[int, int]:
        """For each buffer, the position of the op that uses it last; arguments live on."""
        steps = (BufferAccesses(node.operands, node.results) for node in self.nodes)
        last = last_uses(steps, dict(enumerate(self.owner)))
        return last | {self.owner[v]: len(self.nodes) for v in self.arguments}

    @cached_property
    def makers(self) -> dict[int, int]:
        """For each value that an op makes, the node."""
        return {v: i for i, node in enumerate(self.nodes) for v in node.results}

    @cached_property
    def leaving(self) -> dict[int, list[int]]:
        """For each node, the outputs of the function that it makes, views included."""
        outputs_by_node: dict[int, list[int]] = {}
        for v in dict.fromkeys(self.outputs):
            if v in self.makers:
                outputs_by_node.setdefault(self.makers[v], []).append(v)
        return outputs_by_node

    @cached_property
    def users(self) -> dict[int, tuple[tuple[Node, int], ...]]:
        """For each value, the ops that read it and the operand's position."""
        users: dict[int, list[tuple[Node, int]]] = {v: [] for v in range(len(self.values))}
        for node in self.nodes:
            for position, v in enumerate(node.operands):
                users[v].append((node, position))
        return {v: tuple(reads) for v, reads in users.items()}
