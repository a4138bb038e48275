import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from ttstack.report.columns import MIN_LOCATION, columns, fit_columns, layouts
from ttstack.report.formatting import duration, micros, percent, short_location, size, tail
from ttstack.report.report import Report
from ttstack.report.table import render


def lines(report: Report, width: int, **options: Any) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    for part in render(report, width, **options):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [80, 100, 140, 220])
def test_no_row_wraps_and_ends_of_locations_stay(report: Report, width: int) -> None:
    shown = lines(report, width)
    rows = [line for line in shown if " to_layout " in line and "attention.py:14" in line]
    assert len(rows) == 1
    header = next(line for line in shown if line.startswith("#"))
    assert shown[shown.index(header) + 1].split()[1] == "matmul"
    assert max(map(len, shown)) <= width


def test_wide_tables_say_more(report: Report) -> None:
    narrow, wide = (next(line for line in lines(report, w) if line.startswith("#")) for w in (80, 240))
    assert {"op", "location", "µs", "%", "bound"} <= set(narrow.split())
    assert {"cores", "FLOP%", "DRAM%", "compute", "dram", "noc", "gap", "layout"} <= set(wide.split())
    assert len(narrow.split()) < len(wide.split())


def test_totals_shares_and_memory(report: Report) -> None:
    text = "\n".join(lines(report, 140))
    assert text.startswith(f"{report.heading}\n")
    assert f" {duration(report.total_ns)}, likely " in text
    assert f" 3, {duration(report.kernel_ns)} in kernels, {duration(report.gap_ns)} between kernels" in text
    assert "232.0 KiB, in softmax at <text>, 15" in text
    assert "reduction" in text


def test_sorted_and_cut(report: Report) -> None:
    shown = lines(report, 100, by="time", top=1)
    longest = max(report.ops, key=lambda op: op.elapsed_ns)
    header = next(i for i, line in enumerate(shown) if line.startswith("#"))
    assert shown[header + 1].split()[:2] == [str(longest.index), longest.name]
    assert shown[header + 2] == "and 2 more"


def test_a_function_without_ops(empty: Report) -> None:
    assert lines(empty, 100)[:3] == [empty.heading, "", "time           0 ns"]


def test_rich_prints_a_report(report: Report) -> None:
    text = io.StringIO()
    Console(file=text, width=100).print(report)
    assert "softmax" in text.getvalue()


def test_layouts(report: Report) -> None:
    assert [layouts(op) for op in report.ops] == [
        "bf16 dram → bf16 l1",
        "bf16 l1 → bf16 l1 hs 1x4",
        "bf16 l1 hs 1x4 → bf16 dram",
    ]


def test_named_locations_lose_folders_first() -> None:
    location = "encoder.layer.3.output (models/bert/modeling_bert.py:348)"
    assert short_location(location, 80) == location
    assert short_location(location, 48) == "encoder.layer.3.output (modeling_bert.py:348)"
    assert short_location(location, 15) == "…layer.3.output"
    assert short_location("a/b/c.py:12", 8) == "…c.py:12"


def test_units() -> None:
    assert [duration(ns) for ns in (0, 999, 1000, 1_234_500)] == ["0 ns", "999 ns", "1.0 µs", "1.23 ms"]
    assert [size(n) for n in (0, 1023, 1024, 3 << 29)] == ["0 B", "1023 B", "1.0 KiB", "1.5 GiB"]
    assert [tail("abcdef", n) for n in (6, 5, 2, 1)] == ["abcdef", "…cdef", "…f", "f"]


def test_columns_come_in_the_order_of_what_they_say(report: Report) -> None:
    """From which width on each is shown: cores first, then shares, then parts of the time."""
    first: dict[str, int] = {}
    for width in range(60, 230, 2):
        for name in next(line for line in lines(report, width) if line.startswith("#")).split():
            first.setdefault(name, width)
    assert max(first["trust"], first["cores"]) < first["likely"] < first["FLOP%"] < first["compute"] <= first["kernel"]


def test_a_location_gets_no_more_than_its_least_where_nothing_is_left(report: Report) -> None:
    """A table that is too wide already does not grow by one more character."""
    at_least = [c for c in columns(report, report.ops) if not c.rank]
    longer = [replace(op, location="m" * 40) for op in report.ops]
    kept, widths = fit_columns(at_least, longer, 1)
    assert (kept, widths["location"]) == (at_least, MIN_LOCATION)


@pytest.mark.parametrize("width", [60, 80, 140, 200])
def test_lines_fit_and_no_number_is_cut(report: Report, width: int) -> None:
    long = tuple(replace(op, name="split_query_key_value_and_split_heads") for op in report.ops)
    shown = lines(replace(report, ops=long), width)
    assert all(len(line) <= width for line in shown)
    for op, line in zip(report.ops, shown[2:], strict=False):
        assert {micros(op.elapsed_ns), percent(report.share(op))} <= {*line.split()}


def test_what_bounds_an_op_has_a_colour(report: Report) -> None:
    console = Console(file=io.StringIO(), width=140, force_terminal=True, color_system="standard")
    for part in render(replace(report, ops=tuple(replace(op, bound="launch") for op in report.ops)), 140):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    assert "\x1b[33m" in console.file.getvalue(), "yellow"
