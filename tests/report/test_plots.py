"""Charts say what the report says."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

from ttstack.report.report import Report


@pytest.fixture(autouse=True)
def _without_a_screen() -> Iterator[None]:
    mpl.use("Agg")
    yield
    plt.close("all")


def test_bars_are_the_longest_ops(report: Report) -> None:
    axes: Any = report.plot_time()
    widths = sorted(bar.get_width() for bar in axes.patches)
    assert widths == pytest.approx(sorted(op.elapsed_ns / 1e3 for op in report.ops))
    assert axes.get_title(loc="left") == report.heading


def test_memory_is_drawn_to_its_capacity(report: Report) -> None:
    axes: Any = report.plot_memory()
    (capacity,) = axes.lines
    assert capacity.get_ydata()[0] == report.memory["l1"].capacity / 2**20


def test_points_of_the_roofline_are_below_it(report: Report) -> None:
    axes: Any = report.plot_roofline()
    peaks = [max(line.get_ydata()) for line in axes.lines]
    points = [point for found in axes.collections for point in found.get_offsets()]
    assert points
    assert all(float(y) <= max(peaks) for _, y in points)


def test_given_axes_are_drawn_on(report: Report) -> None:
    _, axes = plt.subplots()
    assert report.plot_time(axes) is axes
