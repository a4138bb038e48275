"""Error for L1 that is too small: the op, its bytes, other live tensors, and the change that makes it fit."""

from collections.abc import Iterator
from dataclasses import replace

from ttstack.device.device_op import DeviceOp
from ttstack.diagnostics import CapacityError, OverrideError, TTStackError
from ttstack.ops.types import DType
from ttstack.placement.graph import Graph, Node
from ttstack.placement.greedy import NoRoomError
from ttstack.placement.memory_advice import format_advice, name_largest, narrow
from ttstack.placement.pricing import Pricing
from ttstack.placement.problem import Problem


def op_without_room(node: Node, base: DeviceOp, pricing: Pricing) -> CapacityError:
    """Return an op's own buffers exceed L1; `base` is the op with all tensors in DRAM."""
    have = pricing.chip.l1_usable_bytes

    def need(dtype: DType) -> int:
        operands, results = (tuple(narrow(o, dtype) for o in layouts) for layouts in (base.operands, base.results))
        return pricing.smallest(replace(base, operands=operands, results=results))

    return CapacityError(
        f"'{node.op.title}' needs at least {pricing.smallest(base):,} bytes of L1 on each core, there are {have:,}",
        loc=node.location,
        notes=(f"operands {', '.join(map(str, node.op.operands))}", *(f"result {t}" for t in node.op.results)),
        hint=format_advice(need, have) or "describe a device with more L1 per core, or use smaller inputs",
    )


def step_without_room(graph: Graph, node: Node, problem: Problem, error: NoRoomError, *, asked: bool) -> TTStackError:
    """Error for an op that does not fit next to the smallest live tensors; `asked`: overrides keep some there."""
    message = f"'{node.op.title}' needs at least {error.need:,} bytes of L1 on each core, there are {error.have:,}"
    beside = name_largest(_beside(graph, problem, error.step))
    if asked:
        hint = "ask for fewer tensors in L1"
        message += ", with what the overrides keep there"
        return OverrideError(message, loc=node.location, notes=beside, hint=hint)
    hint = "use a smaller element format (--dtype), smaller inputs, or a device with more L1 per core"
    return CapacityError(message, loc=node.location, notes=beside, hint=hint)


def _beside(graph: Graph, problem: Problem, step: int) -> Iterator[tuple[int, str]]:
    """Yield the values in L1 at a step, with their bytes."""
    makers = {v: node for node in graph.nodes for v in node.results}
    for value in problem.live[step]:
        if nbytes := problem.sizes[value][problem.smallest[value]]:
            maker = makers.get(value)
            what = f"result of '{maker.op.title}' ({maker.location})" if maker else f"argument {value}"
            yield nbytes, f"{what}, {graph.values[value]}"
