import json
import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import ttstack
from ttstack.compiled_program import Program
from ttstack.placement.explain import explain
from ttstack.placement.graph_from_program import placed_positions
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.launched import launched_positions
from ttstack.program.records import Binary
from ttstack.report.compare import compare
from ttstack.report.groups import GROUP_KINDS, group_ops
from ttstack.report.html.page import comparison_page, report_page
from ttstack.report.report import Report
from ttstack.report.summary import summary

VOID = {"meta", "input", "br"}


class Checker(HTMLParser):
    """Every tag is closed in order; nothing is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {"src", "href"} & {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(text: str) -> None:
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert not checker.open


def data(text: str) -> dict[str, Any]:
    """What the page's script draws."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_page_is_well_formed_and_may_load_nothing(report: Report) -> None:
    text = report_page(report)
    check(text)
    assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'" in text
    for outside in ("@import", "url(", "fetch(", "XMLHttpRequest", "import("):
        assert outside not in text


def test_a_page_says_what_a_table_says_of_the_whole(report: Report) -> None:
    lines = list(summary(report))
    assert any("two of three measurements of like ops" in line for line in lines)
    for line in lines:
        assert f"<p>{escape(line)}</p>" in report_page(report)


def test_a_page_holds_every_figure_of_every_op(report: Report) -> None:
    (program,) = data(report_page(report))["programs"]
    numbers = program["numbers"]
    assert program["total"] == report.total_ns
    assert sum(numbers["kernel"]) + sum(numbers["gap"]) == pytest.approx(report.total_ns, abs=0.001 * len(report.ops))
    assert numbers["l1"] == [op.l1_bytes for op in report.ops]
    assert [sum(terms.values()) for terms in program["terms"]] == pytest.approx(
        [sum(op.terms.values()) for op in report.ops], abs=0.01
    )
    for kind in GROUP_KINDS:
        assert program["groups"][kind][1] == pytest.approx(report.total_ns, abs=0.01)
        assert {group[0] for group in program["groups"][kind][4]} == {
            g.name for g in group_ops(report.ops, kind).groups
        }


def test_what_lies_in_a_memory_adds_up_to_what_is_in_use_there(report: Report) -> None:
    """Buffers and circular buffers, op by op."""
    for op in report.ops:
        live = [b for b in report.buffers if b.first <= op.index <= b.last]
        l1 = sum(b.nbytes for b in live if b.tensor.layout.in_l1)
        assert l1 + op.circular_buffer_bytes == op.l1_bytes
        assert sum(b.nbytes for b in live if not b.tensor.layout.in_l1) == op.channel_bytes


def test_a_page_of_ten_thousand_ops_is_no_larger_than_15_megabytes(report: Report) -> None:
    ops = tuple(
        replace(op, index=at, location=f"encoder.layer.{at}.attention (some/folder/model.py:{at})")
        for at, op in enumerate((*report.ops,) * 3334)
    )
    assert len(ops) > 10_000
    assert len(report_page(replace(report, ops=ops)).encode()) < 15e6


def test_a_comparison_holds_both_programs_and_its_pairs(report: Report) -> None:
    shorter = replace(report, ops=tuple(replace(op, index=at) for at, op in enumerate(report.ops[1:])))
    text = comparison_page(compare(report, shorter, ("<another> device",)))
    check(text)
    held = data(text)
    assert [len(p["numbers"]["kernel"]) for p in held["programs"]] == [2, 3]
    assert held["pairs"] == [[None, 0], [0, 1], [1, 2]]
    assert "&lt;another&gt; device" in text
    assert "before:" in text


def test_tables_in_tensor_train_form(report: Report) -> None:
    record = EmbeddingTableReport(
        "users", 1000, 32, "f32", 1, 128_000, True, "keeps its error", ranks=(4,), bytes_after=9_000
    )
    with_table = replace(report, tables=(record,))
    for text in (report_page(with_table), with_table._repr_html_()):
        check(text)
        for cell in ("users", "1,000 x 32", "125.0 KiB → 8.8 KiB", "yes: keeps its error"):
            assert f">{cell}</td>" in text


def test_texts_are_escaped(report: Report) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    text = report_page(replace(report, function=evil, ops=tuple(replace(op, location=evil) for op in report.ops)))
    check(text)
    assert "<img" not in text
    assert evil in data(text)["strings"]
    assert "&lt;text&gt;, 15" in report._repr_html_()


def test_notebooks_get_fragments_without_script(binary: Binary, report: Report, empty: Report) -> None:
    for shown in (report, empty, Program(binary), compare(report, report)):
        text = shown._repr_html_()
        check(text)
        assert text.startswith('<div class="ttstack">')
        assert "<script" not in text
    assert '<td class="text">tensor&lt;128x256xbf16&gt;</td>' in Program(binary)._repr_html_()


def test_an_empty_program_has_a_page(empty: Report) -> None:
    check(report_page(empty))


def test_file(report: Report, tmp_path: Path) -> None:
    report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == report_page(report)


def test_a_page_has_the_alternatives_of_every_op_that_was_placed(tmp_path: Path) -> None:
    """Those that `explain` gives of one like it, but for the first, which is what the op has."""
    program = ttstack.compile(Path(__file__).parents[2] / "examples/encoder_layer.mlir")
    program.to_html(tmp_path / "page.html")
    found = data((tmp_path / "page.html").read_text())
    (function,) = program.binary.functions
    launched, placed = launched_positions(function), set(placed_positions(function))
    assert {int(n) for n in found["alternatives"]["of"]} == {n for n, at in enumerate(launched) if at in placed}
    for number, of in found["alternatives"]["of"].items():
        one, other = (function.device_op(function.operations[launched[int(n)]]) for n in (number, of))
        assert one == other
        chosen, *ways = explain(
            function, launched[of], program.binary.chip(function), program.binary.system_desc, most=5
        )
        assert chosen.chosen
        rows = found["alternatives"]["ways"][str(of)]
        assert [(row[0], found["strings"][row[5]]) for row in rows] == [
            (round(w.more_ns, 1), f"{w.name}: {w.why}" if w.name else w.why) for w in ways
        ]
