"""The ways in which one op can be placed: layouts of operands and results, cores, configuration."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from ttstack.device.block_configs import whole_config
from ttstack.device.config_limits import config_faults
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.kernel_class import is_matmul
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.matmul.configs import block_steps, matmul_spreads
from ttstack.device.program_config import MatmulConfig, ProgramConfig, config_fields, read_config
from ttstack.device.rules import layout_faults, rule_faults
from ttstack.ops.base import Op
from ttstack.ops.loops import Access
from ttstack.placement.grids import distinct, narrower, shard_layout, shardings, width_grids
from ttstack.placement.head_shards import head_shards
from ttstack.placement.parameter_layouts import bank_cores
from ttstack.placement.pricing import Candidate, Pricing
from ttstack.placement.question import Question, plain
from ttstack.placement.rows import cuts_rows, in_rows, joins_rows
from ttstack.system_desc import ChipDesc

_ALL_COMBINATIONS = 64
"""Combinations of operand layouts up to which each is tried."""


WORK_SLACK = 2
"""Times the least work of the busiest core of a product that fewer senders or smaller pieces can make up for."""


def candidates(question: Question, pricing: Pricing) -> list[Candidate]:
    """Return every placement that fits L1 and is on the Pareto front of time and L1 for its layouts.

    The first keeps in DRAM whatever can be there; none where that does not fit.
    """
    placements = list(_on_pages(question, pricing, WORK_SLACK)) or list(_on_pages(question, pricing, math.inf))
    if all(question.free) and not question.keeps_rows and (placements or question.fixed):
        for kind, grid, spread in shardings(question.op, pricing.device):
            asked = Grid(*question.fixed.grid) if question.fixed and question.fixed.grid else grid
            placements += _on_shards(question, pricing, kind, asked, spread)
        placements += _on_banks(question, pricing)
        placements += _on_heads(question, pricing)
        placements += _in_rows(question, pricing)
    return placements


def _on_pages(question: Question, pricing: Pricing, slack: float) -> Iterator[Candidate]:
    """Interleaved operands and results, in either memory; products with up to `slack` times the least work."""
    base = plain(question, pricing.device)
    reads = [_memories(question, i, layout) for i, layout in enumerate(base.operands)]
    results = [_results(question, MemorySpace.DRAM)]
    if any(question.free):
        results.append(_results(question, MemorySpace.L1))
    layouts = [(o, r) for o in _combinations(reads) for r in results]
    yield from _price(_spreads(base, question, slack), layouts, question, pricing)


def _on_shards(
    question: Question, pricing: Pricing, kind: MemoryLayout, grid: Grid, spread: Spread
) -> Iterator[Candidate]:
    """Shards for the results, for operands that a core reads its own part of, or for both."""
    base = replace(plain(question, pricing.device), grid=grid, spread=spread)
    results = tuple(shard_layout(layout, kind, grid) for layout in question.results)
    elsewhere = [_results(question, space) for space in (MemorySpace.DRAM, MemorySpace.L1)]
    reads = [_memories(question, i, layout) for i, layout in enumerate(base.operands)]
    reads = [
        [shard_layout(options[0], kind, grid), *options]
        if question.movable[i] and _follows(question.op, i)
        else options
        for i, options in enumerate(reads)
    ]
    if question.movable[:1] == (True,) and kind is MemoryLayout.BLOCK_SHARDED and is_matmul(question.op.loops):
        fewer = narrower(question.op.operands[0], grid)
        reads[0] += [shard_layout(reads[0][0], kind, narrow) for narrow in fewer]
    layouts = [
        (operands, r)
        for operands in _combinations(reads)
        for r in ([results, *elsewhere] if any(o.sharded for o in operands) else [results])
    ]
    yield from _price([(base, [grid])], layouts, question, pricing)


def _on_heads(question: Question, pricing: Pricing) -> Iterator[Candidate]:
    """Shards of heads, as their kernels take and give them."""
    shards = head_shards(question.op, pricing.device)
    if shards is None or not all(question.movable[i] for i in shards.operands):
        return
    base = plain(question, pricing.device)
    reads = [
        [shard_layout(layout, *shards.operands[i])] if i in shards.operands else _memories(question, i, layout)
        for i, layout in enumerate(base.operands)
    ]
    results_tried = [_results(question, space) for space in (MemorySpace.DRAM, MemorySpace.L1)]
    if shards.results:
        results_tried = [tuple(shard_layout(layout, *shards.results) for layout in base.results)]
    grids = [(base, [shards.grid])] if shards.grid else _spreads(base, question, WORK_SLACK)
    layouts = [(operands, results) for operands in _combinations(reads) for results in dict.fromkeys(results_tried)]
    yield from _price(grids, layouts, question, pricing)


def _in_rows(question: Question, pricing: Pricing) -> Iterator[Candidate]:
    """Yield row-major placements, for a reshape that splits tiles and a concat within tiles: they avoid copies."""
    op, base = question.op, plain(question, pricing.device)
    if cuts_rows(op):
        result_layouts = [(in_rows(base.results[0], space),) for space in (MemorySpace.DRAM, MemorySpace.L1)]
        reads = [(layout,) for layout in _memories(question, 0, base.operands[0])]
        yield from _price([(base, [base.grid])], list(product(reads, result_layouts)), question, pricing)
    elif joins_rows(op):
        spaces = [MemorySpace.L1 if movable else MemorySpace.DRAM for movable in question.movable]
        rows = tuple(in_rows(layout, space) for layout, space in zip(base.operands, spaces, strict=True))
        if len({layout.dtype for layout in rows}) > 1:  # the kernel casts none
            return
        layouts = [(rows, _results(question, space)) for space in (MemorySpace.DRAM, MemorySpace.L1)]
        yield from _price([(base, [base.grid])], layouts, question, pricing)


def _on_banks(question: Question, pricing: Pricing) -> Iterator[Candidate]:
    """Weights over the banks of DRAM, each read by the core next to it; width shards for in0 and the result."""
    grid = bank_cores(pricing.chip)
    weights = [layout for layout in question.starts[1] if not layout.in_l1] if len(question.starts) > 1 else []
    if not weights or grid is None:
        return
    base = replace(plain(question, pricing.device), grid=grid, spread=Spread.COLUMNS)
    (in0, *_), (result, *_) = question.op.operands, question.op.results
    in0_layouts, result_layouts = (
        [shard_layout(layout, MemoryLayout.WIDTH_SHARDED, width_grid) for width_grid in width_grids(t, pricing.device)]
        for layout, t in ((base.operands[0], in0), (base.results[0], result))
    )
    others = list(enumerate(base.operands))[2:]
    rest = [
        _memories(question, i, layout) + (result_layouts if _follows(question.op, i) else []) for i, layout in others
    ]
    layouts = [(operands, (r,)) for operands in product(in0_layouts, weights, *rest) for r in result_layouts]
    yield from _price([(base, [grid])], layouts, question, pricing)


def _spreads(base: DeviceOp, question: Question, slack: float) -> list[tuple[DeviceOp, list[Grid]]]:
    """Return the distributions over grids; for matmuls, only those that keep the busiest core's work low."""
    if question.fixed and question.fixed.grid:
        question = replace(question, grids=(Grid(*question.fixed.grid),))
    if not is_matmul(base.dispatch):
        return [(base, distinct(base, question.grids))]
    grids_by_spread = [
        (spread, distinct(replace(base, spread=spread), question.grids)) for spread in matmul_spreads(base.dispatch)
    ]
    work = {
        (spread, grid): replace(base, spread=spread, grid=grid).core_units
        for spread, spread_grids in grids_by_spread
        for grid in spread_grids
    }
    most = math.inf if question.fixed else min(work.values()) * slack
    return [
        (replace(base, spread=spread), [g for g in spread_grids if work[spread, g] <= most])
        for spread, spread_grids in grids_by_spread
    ]


Layouts = tuple[tuple[Layout, ...], tuple[Layout, ...]]
"""Layouts of operands and of results."""


def _price(
    bases: Sequence[tuple[DeviceOp, list[Grid]]], layouts: Sequence[Layouts], question: Question, pricing: Pricing
) -> Iterator[Candidate]:
    """Return all cores and configurations with the first and last layouts, and the best of these with others."""
    best: set[_Blocks] = set()
    layouts = [pair for pair in layouts if any(_keeps_rules(question, base, grids, pair) for base, grids in bases)]
    if question.fixed:
        layouts = [pair for pair in layouts if any(_may_be(question, base, grids, pair) for base, grids in bases)]
    if not layouts:
        return
    ends = [layouts[0], *(layouts[-1:] if len(layouts) > 1 else ())]
    for operands, results in ends:
        ops = (replace(base, operands=operands, results=results) for base, _ in bases)
        placements = (
            placement for op, (_, grids) in zip(ops, bases, strict=True) for placement in pricing.configure(op, grids)
        )
        front = pricing.front(_asked(placements, question, pricing.chip))
        if not front:
            return
        yield from front
        best.update(_blocks(candidate.device_op) for candidate in front)
    for operands, results in layouts[1:-1]:
        ops = [(replace(base, operands=operands, results=results), grids) for base, grids in bases]
        placements = [placement for op, grids in ops for placement in pricing.configure(op, grids)]
        known = [op for op in placements if _blocks(op) in best]
        yield from pricing.front(_asked(known or placements, question, pricing.chip))


_Blocks = tuple[Grid, Spread, ProgramConfig | None]
"""Cores, how the loops go over them, and blocks."""


def _blocks(op: DeviceOp) -> _Blocks:
    """Return the configuration without layouts; the tiles in Dst at a time depend on their targets."""
    config = op.config
    if isinstance(config, MatmulConfig):
        config = replace(config, out_subblock_h=None, out_subblock_w=None)
    return op.grid, op.spread, config


def _combinations(reads: Sequence[Sequence[Layout]]) -> list[tuple[Layout, ...]]:
    """Return layouts for all operands; for ops with many operands, those in which all but one are equal."""
    if math.prod(map(len, reads)) <= _ALL_COMBINATIONS:
        return list(product(*reads))
    alike = [tuple(options[min(i, len(options) - 1)] for options in reads) for i in range(max(map(len, reads)))]
    others = ((*row[:i], x, *row[i + 1 :]) for row in alike for i, options in enumerate(reads) for x in options)
    return [alike[0], *dict.fromkeys(o for o in others if o not in (alike[0], alike[-1])), alike[-1]]


def _keeps_rules(question: Question, base: DeviceOp, grids: Sequence[Grid], layouts: Layouts) -> bool:
    """Return True if the op can have these layouts on any of the grids."""
    operands, results = layouts
    placed = (replace(base, operands=operands, results=results, grid=grid) for grid in grids)
    return any(question.keeps(op, layout_faults(op)) for op in placed)


def _may_be(question: Question, base: DeviceOp, grids: Sequence[Grid], layouts: Layouts) -> bool:
    operands, results = layouts
    return any(question.allows(replace(base, operands=operands, results=results, grid=grid)) for grid in grids)


def _asked(configured: Iterable[DeviceOp], question: Question, chip: ChipDesc) -> Iterable[DeviceOp]:
    """Return the ops that the user allows; if none has the requested configuration, all with it merged in."""
    if question.fixed is None:
        return configured
    allowed = [op for op in configured if question.fixed.allows(op) and question.keeps(op, rule_faults(op, chip))]
    asked = question.fixed.config or {}
    if exact := [op for op in allowed if asked.items() <= config_fields(whole_config(op)).items()]:
        return exact
    kind = asked.get("type")
    put = [_configured(op, asked) for op in allowed if kind in (None, config_fields(op.config).get("type"))]
    return [op for op in put if op is not None and question.keeps(op, _configuration_faults(op, chip))]


def _configured(op: DeviceOp, asked: Mapping[str, int | str]) -> DeviceOp | None:
    """Return the op with these fields in its configuration; None if no configuration has them."""
    try:
        return replace(op, config=read_config({**config_fields(op.config), **asked}))
    except ValueError:
        return None


def _configuration_faults(op: DeviceOp, chip: ChipDesc) -> Iterator[str]:
    """Blocks that are too large, or leave a rest along K of a product, which kernels cannot have; then rules."""
    yield from config_faults(op)
    depth = op.config.in0_block_w if isinstance(op.config, MatmulConfig) else None
    if depth and block_steps(op) % depth:
        yield f"the tiles along K ({block_steps(op)}) must be divisible by in0_block_w ({depth})"
    yield from rule_faults(op, chip)


def _memories(question: Question, position: int, layout: Layout) -> list[Layout]:
    """Return the layouts in which an interleaved operand can be read."""
    started = [layout_in_l1 for layout_in_l1 in question.starts[position] if layout_in_l1.in_l1]
    return [layout, *([layout.interleave(MemorySpace.L1)] if question.movable[position] else started)]


def _results(question: Question, space: MemorySpace) -> tuple[Layout, ...]:
    pairs = zip(question.results, question.free, strict=True)
    return tuple(layout.interleave(space) if free else layout for layout, free in pairs)


def _follows(op: Op, position: int) -> bool:
    """Return True if the core that makes a shard of the result reads the same shard of the operand."""
    if position in op.host_operands or position in op.filter_operands:
        return False
    dispatch = op.loops
    operand = dispatch.inputs[position]
    if operand.access is Access.WINDOW or (is_matmul(dispatch) and position == 0):
        return True
    read, written = (
        [i for i in spec.loops if i is not None and dispatch.domain[i] > 1] for spec in (operand, dispatch.outputs[0])
    )
    return read == written
