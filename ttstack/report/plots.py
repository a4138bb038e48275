"""Charts of a report by matplotlib, for notebooks and papers."""

from typing import TYPE_CHECKING, Any

from ttstack.cost.math.work import peak_flops
from ttstack.device.device_op import Fidelity
from ttstack.diagnostics import OutputError
from ttstack.report.formatting import short_location
from ttstack.report.model import ReportFigures
from ttstack.report.overview import Overview
from ttstack.report.palette import PALETTE, colours_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOCATION = 32
"""Characters of locations in charts."""


def plot_time(report: ReportFigures, axes: "Axes | None" = None) -> "Axes":
    """Draw the longest ops as bars in microseconds, coloured by their bound, with intervals.

    Ops of equal modules are added up.

    Raises:
        OutputError: matplotlib is not installed.
    """
    ops = Overview(report).ops[::-1]
    drawn = _axes(axes, height=1.2 + 0.28 * len(ops))
    colours = colours_of(op.bound for op in reversed(ops))
    for at, op in enumerate(ops):
        low, high = op.likely_ns or (op.elapsed_ns, op.elapsed_ns)
        error = [[(op.elapsed_ns - low) / 1e3], [(high - op.elapsed_ns) / 1e3]]
        drawn.barh(at, op.elapsed_ns / 1e3, color=colours[op.bound], xerr=error, ecolor="#8a919c", capsize=2)
    times = [f"{op.times} x " if op.times > 1 else "" for op in ops]
    names = [f"{n}{op.name}  {short_location(op.location, _LOCATION)}" for n, op in zip(times, ops, strict=True)]
    drawn.set_yticks(range(len(ops)), names)
    drawn.set_xlabel("time [µs], whiskers: 67 % interval")
    _finish(drawn, report, colours, "bound by")
    return drawn


def plot_memory(report: ReportFigures, axes: "Axes | None" = None) -> "Axes":
    """Draw bytes in use over time, in MiB: of the fullest core's L1, and of all DRAM channels on a second axis.

    Raises:
        OutputError: matplotlib is not installed.
    """
    drawn = _axes(axes, height=3.2)
    ends, at = [0.0], 0.0
    for op in report.ops:
        at += op.elapsed_ns / 1e3
        ends.append(at)
    banks, other = report.memory["dram"].banks, drawn.twinx()
    drawn.stairs([op.l1_bytes / 2**20 for op in report.ops], ends, color=PALETTE[0], fill=True, alpha=0.4)
    drawn.axhline(report.memory["l1"].capacity / 2**20, color=PALETTE[0], linestyle="--", linewidth=1)
    other.stairs([op.channel_bytes * banks / 2**20 for op in report.ops], ends, color=PALETTE[5], baseline=None)
    drawn.set_xlabel("time [µs]")
    drawn.set_ylabel("L1 per core [MiB], dashed: capacity", color=PALETTE[0])
    other.set_ylabel("DRAM [MiB]", color=PALETTE[5])
    other.set_ylim(0, 1.1 * max((op.channel_bytes for op in report.ops), default=1) * banks / 2**20)
    _finish(drawn, report)
    return drawn


def plot_roofline(report: ReportFigures, axes: "Axes | None" = None) -> "Axes":
    """Draw TFLOP/s of each op over its FLOP per byte of DRAM traffic, and the peaks; ops without either are absent.

    Raises:
        OutputError: matplotlib is not installed.
    """
    drawn = _axes(axes, height=4.0)
    ops = [op for op in report.ops if op.flops and op.dram_bytes]
    colours = colours_of(op.op_class for op in ops)
    for name, colour in colours.items():
        of_class = [op for op in ops if op.op_class == name]
        intensity = [op.flops / op.dram_bytes for op in of_class]
        drawn.scatter(intensity, [op.flops / op.kernel_ns / 1e3 for op in of_class], color=colour, s=16)
    bandwidth = report.chip.dram.peak_bytes_per_second
    for fidelity in sorted({op.fidelity for op in ops}):
        peak = peak_flops(Fidelity(fidelity), report.chip)
        ridge = peak / bandwidth
        drawn.plot(
            [ridge / 1e4, ridge, ridge * 1e2], [peak / 1e16, peak / 1e12, peak / 1e12], color="#8a919c", linewidth=1
        )
        drawn.annotate(f"{fidelity}, ridge at {ridge:.0f}", (ridge, peak / 1e12), fontsize=8, va="bottom")
    drawn.set_xscale("log")
    drawn.set_yscale("log")
    drawn.set_xlabel("FLOP per byte of DRAM traffic")
    drawn.set_ylabel("TFLOP/s")
    _finish(drawn, report, colours, "class")
    return drawn


def _axes(axes: "Axes | None", height: float) -> Any:
    """Return the axes to draw on; their methods have no complete types."""
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot as plt
    except ModuleNotFoundError as error:
        raise OutputError("a chart needs matplotlib", hint="pip install 'ttstack[plots]'") from error
    return plt.subplots(figsize=(9, height), layout="constrained")[1]


def _finish(drawn: Any, report: ReportFigures, colours: dict[str, str] | None = None, what: str = "") -> None:
    drawn.set_title(report.heading, fontsize=10, loc="left")
    drawn.spines[["top", "right"]].set_visible(False)
    if colours:
        from matplotlib.patches import Patch

        drawn.legend(handles=[Patch(color=c, label=name) for name, c in colours.items()], title=what, fontsize=8)
