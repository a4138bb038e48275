"""Why an op cannot be placed as the user asks."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ttstack.device.layout import Grid, MemoryLayout, MemorySpace
from ttstack.device.program_config import CONFIG_FIELDS
from ttstack.diagnostics import OverrideError
from ttstack.placement.graph import Graph, Node
from ttstack.placement.grids import shardings
from ttstack.placement.head_shards import head_shards
from ttstack.placement.overrides import OpOverride
from ttstack.system_desc import ChipDesc


def check_possible(
    fixed: Mapping[int, OpOverride],
    without: Sequence[tuple[int, Node]],
    graph: Graph,
    chip: ChipDesc,
    others: Sequence[str],
    broken: Mapping[int, Counter[str]],
) -> None:
    """Check that overrides have placements: nothing happens if both `without` and `others` are empty.

    `broken` are rules that ways broke which are as asked for, by node.

    Raises:
        OverrideError: a note for each; of nodes, it says which part of what is asked for cannot be.
    """
    reasons = [(node, _reasons(fixed[i], node, graph, chip, broken.get(i, Counter()))) for i, node in without]
    notes = (*others, *(f"{_named(node)}: {'; '.join(faults)}" for node, faults in reasons))
    if not notes:
        return
    locations = sorted({node.location for node in graph.nodes})
    shown = ", ".join(locations[:_SHOWN]) + (", ..." if len(locations) > _SHOWN else "")
    raise OverrideError(
        f"{len(notes)} of the overrides cannot be satisfied",
        notes=notes,
        hint=f"'ttstack explain' lists alternatives of an op, 'ttstack inspect --section ops' locations: {shown}",
    )


_SHOWN = 3
"""Locations that a message gives as examples."""


def _named(node: Node) -> str:
    return f"{node.op.title} at {node.location}"


def _reasons(asked: OpOverride, node: Node, graph: Graph, chip: ChipDesc, broken: Counter[str]) -> list[str]:
    rules = [rule for rule, _ in broken.most_common(1)]
    faults = [*place_faults(asked, node, graph, chip), *_of_config(asked, node, rules)] or rules
    return faults or [f"no placement with these constraints fits the {chip.l1_usable_bytes:,} bytes of L1 of a core"]


def place_faults(asked: OpOverride, node: Node, graph: Graph, chip: ChipDesc) -> Iterator[str]:
    """Yield the layouts, cores and format of the override that the op cannot have in any placement."""
    device = Grid(*chip.grid)
    if asked.grid and not Grid(*asked.grid).fits(device):
        yield f"grid {Grid(*asked.grid)} is larger than the device's {device}"
    if asked.memory is MemorySpace.L1 and graph.pinned.issuperset(node.results):
        yield "its results are in DRAM: other ops write to them"
    if asked.dtype and not any(t.dtype.is_float for t in node.op.results):
        yield "its results are not real numbers, which alone have a format to choose"
    kinds = [MemoryLayout.INTERLEAVED, *(kind for kind, _, _ in shardings(node.op, device))]
    shards = head_shards(node.op, device)
    kinds += [shards.results[0]] if shards and shards.results else []
    if asked.layout is not None and asked.layout not in kinds:
        yield f"its result cannot be {asked.layout}, it can be {' or '.join(kinds)}"
    if asked.operands is not None and len(asked.operands) != len(node.operands):
        yield f"it has {len(node.operands)} operands, not {len(asked.operands)}"


def _of_config(asked: OpOverride, node: Node, rules: Sequence[str]) -> Iterator[str]:
    unknown = [key for key in asked.config or {} if key not in CONFIG_FIELDS]
    if unknown:
        yield f"no configuration has {', '.join(unknown)}; there are {', '.join(CONFIG_FIELDS)}"
    elif asked.config:
        fault = f"configuration {dict(asked.config)} does not fit its loops {list(node.op.loops.domain)}"
        yield ": ".join((fault, *rules))
