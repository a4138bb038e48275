"""Which ops are one before and after."""

import io
from dataclasses import replace

import pytest
from rich.console import Console, Group
from rich.text import Text

from ttstack.report.compare import compare
from ttstack.report.compare_table import render
from ttstack.report.formatting import micros
from ttstack.report.html.page import comparison_page
from ttstack.report.report import Report


def at(report: Report, *locations: str) -> Report:
    """The report of ops like its first one, in these places."""
    first = report.ops[0]
    return replace(report, ops=tuple(replace(first, index=i, location=where) for i, where in enumerate(locations)))


def named(report: Report, *names: str) -> Report:
    return replace(report, ops=tuple(replace(op, name=name) for op, name in zip(report.ops, names, strict=True)))


def matched(before: Report, after: Report) -> list[tuple[int | None, int | None]]:
    return [(p.before and p.before.index, p.after and p.after.index) for p in compare(before, after).pairs]


def test_the_same_file_in_another_folder(report: Report) -> None:
    before = at(report, "/a/b/net.py:1", "/a/b/net.py:2", "layer (/a/b/net.py:3)", "<text>:4")
    after = at(report, "net.py:1", "net.py:2", "layer (c/net.py:3)", "<text>:4")
    assert matched(before, after) == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_the_file_that_has_more_folders_in_common(report: Report) -> None:
    before = at(report, "x/one/net.py:1", "x/two/net.py:1")
    after = at(report, "y/two/net.py:1", "y/one/net.py:1", "y/three/net.py:1")
    assert matched(before, after) == [(0, 1), (None, 2), (1, 0)]


def test_other_lines_and_names_are_others(report: Report) -> None:
    before = at(report, "net.py:1", "a (net.py:2)", "net.py:4")
    after = at(report, "net.py:3", "b (net.py:2)", "net.py:4")
    assert matched(before, after) == [(0, None), (1, None), (2, 2), (None, 0), (None, 1)]


def test_files_of_other_names_go_by_the_order_of_ops(report: Report) -> None:
    before, after = (at(report, *(f"{file}.mlir:{i}" for i in range(4))) for file in ("first", "second"))
    assert matched(
        named(before, "linear", "relu", "add", "softmax"), named(after, "linear", "gelu", "relu", "add")
    ) == [
        (0, 0),
        (None, 1),
        (1, 2),
        (2, 3),
        (3, None),
    ]


@pytest.mark.parametrize(("top", "said"), [(1, ["and 2 more"]), (3, []), (None, [])])
def test_what_is_left_out_is_counted(top: int | None, said: list[str], report: Report) -> None:
    parts = render(compare(report, report), 100, top=top)
    assert [str(part) for part in parts if str(part).startswith("and ")] == said


def test_the_table_has_a_heading_over_each_figure(report: Report) -> None:
    """Heading of its own weight, then each op with its number, its time before and after, and the change."""
    console = Console(width=120, force_terminal=True, color_system="standard", file=io.StringIO())
    console.print(Group(*render(compare(report, report), 120, top=2)))
    assert isinstance(console.file, io.StringIO)
    title, heading, row, _, left = console.file.getvalue().splitlines()[:5]
    assert title.startswith("\x1b[1m")
    assert heading.startswith("\x1b[1m")
    assert left.startswith("\x1b[2mand ")
    assert Text.from_ansi(heading).plain.startswith("#")
    plain = [Text.from_ansi(line).plain.split() for line in (heading, row)]
    assert plain[0] == ["#", "op", "location", "before", "µs", "after", "µs", "change", "bound"]
    assert len(plain[1]) >= 7  # "before µs" and "after µs" are two words each


def test_a_location_gets_the_width_that_figures_leave(report: Report) -> None:
    console = Console(width=140, file=io.StringIO())
    console.print(Group(*render(compare(at(report, "m" * 90), at(report, "m" * 90)), 140)))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 140
    assert "m" * 80 in lines[2]


def under_heading(lines: list[str]) -> list[str]:
    """Lines of ops: a narrow terminal breaks the title, which comes first."""
    return lines[next(n for n, line in enumerate(lines) if line.lstrip().startswith("#")) + 1 :]


@pytest.mark.parametrize("width", [60, 80])
def test_no_number_of_a_narrow_comparison_is_cut(report: Report, width: int) -> None:
    comparison = compare(report, report)
    console = Console(width=width, file=io.StringIO())
    console.print(Group(*render(comparison, width)))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    for pair, line in zip(comparison.pairs, under_heading(lines), strict=False):
        assert {micros(pair.before_ns), "+0.0", "%", pair.op.bound} <= {*line.split()}


def test_what_bounds_two_ops_gives_way_to_numbers(report: Report) -> None:
    def numbered(first: int, bound: str) -> Report:
        long = {"name": "linear" * 5, "bound": bound, "kernel_ns": 87654.0}
        ops = [replace(op, index=first + i, location=f"{'m' * 40}:{i}", **long) for i, op in enumerate(report.ops)]
        return replace(report, ops=tuple(ops))

    comparison = compare(numbered(100, "compute"), numbered(900, "exchange"))
    console = Console(width=60, file=io.StringIO())
    console.print(Group(*render(comparison, 60)))
    assert isinstance(console.file, io.StringIO)
    for pair, line in zip(comparison.pairs, under_heading(console.file.getvalue().splitlines()), strict=False):
        words = line.split()
        assert words.count(micros(pair.before_ns)) == 2
        assert words[-1].startswith("comp")


def test_what_is_hardly_faster_is_not_slower_than_nothing(report: Report) -> None:
    """No figure is a negative zero."""
    comparison = compare(report, replace(report, ops=tuple(replace(o, gap_ns=o.gap_ns - 1e-6) for o in report.ops)))
    text = io.StringIO()
    Console(file=text, width=140).print(Group(*render(comparison, 140)))
    for shown in (text.getvalue(), comparison._repr_html_(), comparison_page(comparison).partition("<main>")[0]):
        assert "+0.0" in shown
        assert "-0.0" not in shown
