from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path

from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.report import Report
from ttstack.report.html import page
from ttstack.report.summary import summary

VOID = {"meta"}


class Checker(HTMLParser):
    """Every tag is closed in order; nothing is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {"src", "href"} & {name for name, _ in attrs}
        self.rows += tag == "tr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert not checker.open
    return checker


def test_page_is_well_formed_and_needs_no_network(report: Report) -> None:
    text = page(report)
    assert check(text).rows == 2 + len(report.ops) + len(report.shares())
    for outside in ("http:", "https:", "@import", "url(", "fetch("):
        assert outside not in text


def test_a_page_says_what_a_table_says_of_the_whole(report: Report) -> None:
    lines = list(summary(report))
    assert any("two of three measurements of like ops" in line for line in lines)
    for line in lines:
        assert f"<p>{escape(line)}</p>" in page(report)


def test_tables_in_tensor_train_form(report: Report) -> None:
    record = EmbeddingTableReport(
        "users", 1000, 32, "f32", 1, 128_000, True, "keeps its error", ranks=(4,), bytes_after=9_000
    )
    text = page(replace(report, tables=(record,)))
    check(text)
    for cell in ("users", "1,000 x 32", "125.0 KiB → 8.8 KiB", "yes: keeps its error"):
        assert f">{cell}</td>" in text


def test_texts_are_escaped(report: Report) -> None:
    assert "<text>" not in page(report)
    assert "&lt;text&gt;, 15" in page(report)


def test_notebooks_get_a_fragment_without_script(report: Report, empty: Report) -> None:
    for text in (report._repr_html_(), empty._repr_html_()):
        check(text)
        assert text.startswith('<div class="ttstack-report">')
        assert "<script" not in text


def test_file(report: Report, tmp_path: Path) -> None:
    report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == page(report)
