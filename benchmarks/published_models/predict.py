"""The predicted time of a network, with equal layers counted rather than compiled."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

import ttstack
from benchmarks.published_models.networks import Network
from ttstack.ops import OPS
from ttstack.ops.attention import HeadMovement
from ttstack.report.model import OpReport, ReportFigures

_MOVEMENT = frozenset({"shape", "layout"})
_HEADS = frozenset(name for name, spec in OPS.items() if issubclass(spec, HeadMovement))


@dataclass(frozen=True)
class Figures:
    """What a network takes: ops, nanoseconds in kernels and of gaps, and how much of both only moves data."""

    ops: int
    kernel_ns: float
    gap_ns: float
    moving_ns: float

    @property
    def total_ns(self) -> float:
        """Kernels and the gaps after them."""
        return self.kernel_ns + self.gap_ns

    def extended(self, two: "Figures", layers: int) -> "Figures":
        """The figures for as many layers, where this has one of them and the other has two."""
        pairs = ((getattr(self, name), getattr(two, name)) for name in self.__dataclass_fields__)
        return Figures(*(one + (layers - 1) * (other - one) for one, other in pairs))


def predict(network: Network, *, whole: bool, system: str) -> tuple[Figures, list[ReportFigures]]:
    """The figures, and the reports that they come from: of one and two layers, or of all."""
    counts = [network.layers] if whole or network.layers in (0, 1, 2) else [1, 2]
    reports = [report(network, n, system) for n in counts]
    figures = [_figures(r) for r in reports]
    return (figures[0] if len(figures) == 1 else figures[0].extended(figures[1], network.layers)), reports


def report(network: Network, layers: int, system: str) -> ReportFigures:
    """What is predicted of the network with so many layers."""
    return compiled(network, layers, system).cost()


def compiled(network: Network, layers: int, system: str) -> ttstack.Program:
    """The network with so many layers as a program for a device."""
    model, args, kwargs = network.make(layers)
    with torch.no_grad():
        exported = torch.export.export(model, args, kwargs)
    return ttstack.compile(exported, system_desc=system, **network.options)


def moves_only(op: OpReport) -> bool:
    """Whether it computes nothing: changes of shape, layout and place."""
    return op.op_class in _MOVEMENT or op.name in _HEADS


def slowest(report: ReportFigures, count: int) -> Iterator[str]:
    """A line for each of the ops that take the most time."""
    for op in report.ordered("time")[:count]:
        result = f"{op.results[0].type}" if op.results else ""
        yield f"{op.elapsed_ns / 1e3:8.1f} µs  {op.name:30} {op.bound:10} {op.cores:3} cores {result}  {op.location}"


def _figures(report: ReportFigures) -> Figures:
    moving = sum(op.elapsed_ns for op in report.ops if moves_only(op))
    return Figures(len(report.ops), report.kernel_ns, report.gap_ns, moving)
