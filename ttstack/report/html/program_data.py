"""Data of a program for the page, as JSON: columns instead of rows, and each text once."""

from collections.abc import Callable, Iterator
from typing import Any

from ttstack.buffers.memory import Memory
from ttstack.cost.math.work import peak_flops
from ttstack.cost.terms import Term
from ttstack.device.device_op import Fidelity
from ttstack.device.layout import MemorySpace
from ttstack.device.program_config import config_fields
from ttstack.report.equal_modules import equal_ops
from ttstack.report.formatting import likely_range, short_layout
from ttstack.report.groups import GROUP_KINDS, Group, group_ops
from ttstack.report.json import plain
from ttstack.report.model import BufferReport, OpReport, ReportFigures, TensorReport
from ttstack.report.pairs import ComparisonFigures
from ttstack.system_desc import ChipDesc
from ttstack.system_desc.resources import Resource


class Interned:
    """Texts by their place in one list."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Return the index of the text; it is added if missing."""
        place = self._places.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
        return place


_LEAST = 5e-4
"""Minimum share of an op's time for which the page shows the saving of a resource."""
_TEXTS: dict[str, Callable[[OpReport], str]] = {
    "name": lambda op: op.name,
    "class": lambda op: op.op_class,
    "location": lambda op: op.location,
    "bound": lambda op: op.bound,
    "fidelity": lambda op: op.fidelity,
    "trust": lambda op: op.confidence.trust,
    "likely": lambda op: likely_range(op.likely_ns),
    "measured": lambda op: op.confidence.measured,
    "beyond": lambda op: "; ".join(op.confidence.beyond),
    "attributes": lambda op: _fields(plain(op.attributes)),
    "config": lambda op: _fields(config_fields(op.config)),
}
_NUMBERS: dict[str, Callable[[OpReport], float]] = {
    "kernel": lambda op: op.kernel_ns,
    "gap": lambda op: op.gap_ns,
    "ideal": lambda op: op.roofline_ns,
    "cores": lambda op: op.cores,
    "rows": lambda op: op.grid.rows,
    "cols": lambda op: op.grid.cols,
    "flops": lambda op: op.flops,
    "dram": lambda op: op.dram_bytes,
    "noc": lambda op: op.noc_bytes,
    "flopShare": lambda op: op.flops_utilisation,
    "dramShare": lambda op: op.dram_utilisation,
    "l1": lambda op: op.l1_bytes,
    "circular": lambda op: op.circular_buffer_bytes,
    "channel": lambda op: op.channel_bytes,
}


def program_data(report: ReportFigures, strings: Interned) -> dict[str, Any]:
    """One program; times in nanoseconds, sizes in bytes, texts as places in `strings`."""
    tensors = Interned()
    ops = report.ops
    return {
        "function": report.function,
        "system": report.system,
        "total": report.total_ns,
        "device": _device(report.chip, {op.fidelity for op in ops}),
        "texts": {name: [strings(text(op)) for op in ops] for name, text in _TEXTS.items()},
        "numbers": {name: [_rounded(number(op)) for op in ops] for name, number in _NUMBERS.items()},
        "saved": [{name: round(share, 5) for name, share in op.sensitivity.items() if share > _LEAST} for op in ops],
        "terms": [{term: _rounded(ns) for term, ns in op.terms.items() if ns} for op in ops],
        "operands": [[tensors(_tensor(t, strings)) for t in op.operands] for op in ops],
        "results": [[tensors(_tensor(t, strings)) for t in op.results] for op in ops],
        "buffers": [_buffer(b, tensors, strings) for b in report.buffers],
        "tensors": [[int(part) for part in text.split()] for text in tensors.texts],
        "equal": [[strings(location), numbers] for location, numbers in _equal(report) if len(numbers) > 1],
        "groups": {kind: _group(group_ops(ops, kind)) for kind in GROUP_KINDS},
    }


def _equal(report: ReportFigures) -> Iterator[tuple[str, list[int]]]:
    """Yield the ops that tables show as one: their location, and the number of each."""
    calls = {step.first + at: step.numbers(at) for step in report.steps for at in range(step.ops)}
    for ops in equal_ops(report):
        yield ops[0].location, sorted(number for op in ops for number in calls.get(op.index, (op.index,)))


def legend() -> dict[str, Any]:
    """Return the texts of terms and resources: the combination of terms, and each resource's meaning and remedy."""
    return {
        "terms": {term.value: [term.combination.name, term.meaning] for term in Term},
        "resources": {r.value: [r.full_name, r.meaning, r.remedy] for r in Resource},
    }


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else round(value, 4)


def _fields(values: Any) -> str:
    return " ".join(f"{name}={value}" for name, value in values.items())


def _device(chip: ChipDesc, fidelities: set[str]) -> dict[str, Any]:
    l1, dram = Memory.of(chip, MemorySpace.L1), Memory.of(chip, MemorySpace.DRAM)
    return {
        "grid": list(chip.grid),
        "l1": [l1.base, l1.end],
        "dram": [dram.base, dram.end],
        "channels": dram.banks,
        "dramPeak": chip.dram.peak_bytes_per_second,
        "peaks": {name: peak_flops(Fidelity(name), chip) for name in sorted(fidelities)},
    }


def _tensor(tensor: TensorReport, strings: Interned) -> str:
    """Return name, type, layout and short layout as indices, with the grid's shape (0 0 if there is none)."""
    layout = tensor.layout
    texts = (tensor.name, str(tensor.type), str(layout), short_layout(layout))
    grid = (layout.grid.rows, layout.grid.cols) if layout.grid else (0, 0)
    return " ".join(map(str, (*map(strings, texts), *grid)))


def _buffer(buffer: BufferReport, tensors: Interned, strings: Interned) -> list[int]:
    tensor = tensors(_tensor(buffer.tensor, strings))
    in_l1 = int(buffer.tensor.layout.in_l1)
    return [tensor, in_l1, strings(buffer.kind), buffer.address, buffer.nbytes, buffer.first, buffer.last]


def _group(group: Group) -> list[Any]:
    """Name, nanoseconds, those of the ideal, numbers of ops that no group within has, and those groups."""
    return [
        group.name,
        _rounded(group.elapsed_ns),
        _rounded(group.roofline_ns),
        [op.index for op in group.own_ops],
        [_group(inner) for inner in group.groups],
    ]


def pair_rows(comparison: ComparisonFigures) -> list[tuple[int | None, int | None]]:
    """Numbers of each op after and before, in the order of execution; None on the side that has none."""
    return [(p.after.index if p.after else None, p.before.index if p.before else None) for p in comparison.pairs]
