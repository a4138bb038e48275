import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import ttstack
from tests.models.layers import stack
from ttstack.compiled_program import Program
from ttstack.placement.explain import explain
from ttstack.placement.graph_from_program import placed_positions
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.launched import launched_positions
from ttstack.program.records import Binary
from ttstack.report.compare import compare
from ttstack.report.equal_modules import folded_ops
from ttstack.report.facts import details, facts
from ttstack.report.groups import GROUP_KINDS, group_ops
from ttstack.report.html.page import SCRIPTS, comparison_page, report_page
from ttstack.report.html.templates import asset
from ttstack.report.report import Report
from ttstack.system_desc.resources import Resource

TRANSLUCENT = {"amount-fill", "circular"}
"""Paler forms of a colour of the same meaning: bytes in use, and text."""
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
    page = unescape(report_page(report))
    for fact in (*facts(report), *details(report)):
        assert all(text in page for text in (fact.title, fact.value, fact.note))


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


def test_ops_that_tables_show_as_one_are_those_of_the_terminal() -> None:
    report = stack(6)
    page = data(report_page(report))
    (program,) = page["programs"]
    together = {page["strings"][location]: numbers for location, numbers in program["equal"]}
    folded = [op for op in folded_ops(report) if op.times > 1 or "-" in op.location]
    for op in folded:
        members = [report.ops[number] for number in together[op.location]]
        assert sum(member.elapsed_ns for member in members) == pytest.approx(op.elapsed_ns)
    assert len(together) == len(folded) > 0


def test_a_page_names_the_options_of_the_compilation(report: Report) -> None:
    with_options = replace(report, options="--dtype bfp8_b")
    assert "Compiled with <code>--dtype bfp8_b</code>" in report_page(with_options)
    assert "ompiled with" not in report_page(report)
    assert "After: compiled with <code>--dtype bfp8_b</code>" in comparison_page(compare(report, with_options))


def test_a_colour_has_one_meaning_in_each_theme() -> None:
    """Bounds, memory, modules, selection and changes share none, and no other colours are in rules or scripts."""
    sheet, rules = asset("page.css").split("* {box-sizing", 1)
    themes = re.findall(r"--surface:[^}]*", sheet)
    assert len(themes) == 3
    light, by_system, by_choice = (
        {n: c.strip() for n, c in re.findall(r"--([\w-]+):([^;]+);", theme)} for theme in themes
    )
    assert by_system == by_choice
    assert light.keys() == by_choice.keys()
    for theme in (light, by_choice):
        assert {f"bound-{resource}" for resource in Resource} <= theme.keys()
        assert all(re.fullmatch(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}(?:[0-9a-f]{2})?)", colour) for colour in theme.values())
        opaque = [colour[:7] for name, colour in theme.items() if name not in TRANSLUCENT]
        assert len(set(opaque)) == len(opaque)
    screen, _ = rules.split("@media print")
    assert set(re.findall(r"#[0-9a-f]{3,8}\b", screen)) <= {"#0002", "#0003"}  # shadows
    own = [name for name in SCRIPTS if "uPlot" not in name]
    assert not [name for name in own if re.search(r'"#[0-9a-f]{3,8}"|rgba?\(', asset(name))]


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
