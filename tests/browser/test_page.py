"""The page in a browser: it is drawn, asks for nothing, and shows what the report says."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

import ttstack
from tests.models.layers import stack
from tests.models.repeated import PROGRAMS
from ttstack.cost.terms import Combination, Term
from ttstack.placement.explain import explain
from ttstack.program.launched import launched_positions
from ttstack.report.compare import compare
from ttstack.report.equal_modules import equal_ops, folded_ops
from ttstack.report.formatting import count, duration, micros
from ttstack.report.groups import GROUP_KINDS, GroupKind, group_ops, module_path
from ttstack.report.html.page import report_page
from ttstack.report.model import sort_ops
from ttstack.report.report import Report
from ttstack.system_desc.resources import Resource

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def report() -> Report:
    return ttstack.compile(ROOT / "examples/encoder_layer.mlir").cost()


@pytest.fixture(scope="module")
def smaller() -> Report:
    return ttstack.compile(ROOT / "examples/encoder_layer.mlir", dtype="bfp8_b").cost()


@pytest.fixture
def page(browser: WebDriver, opened: Path, report: Report) -> WebDriver:
    report.to_html(opened)
    browser.get(opened.as_uri())
    return browser


def rows(page: WebDriver) -> list[WebElement]:
    return page.find_elements(By.CSS_SELECTOR, "table.ops tbody tr[aria-rowindex]")


def cells(page: WebDriver, column: str) -> list[str]:
    titles = [th.text.rstrip(" ↑↓") for th in page.find_elements(By.CSS_SELECTOR, "table.ops th")]
    at = titles.index(column) + 1
    return [row.find_element(By.CSS_SELECTOR, f"td:nth-child({at})").text for row in rows(page)]


def requests(page: WebDriver) -> list[str]:
    """What the browser asked anyone for."""
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def keys(page: WebDriver, *pressed: str) -> None:
    for key in pressed:
        page.find_element(By.TAG_NAME, "body").send_keys(key)


def test_it_asks_for_nothing_and_faults_nowhere(page: WebDriver, opened: Path) -> None:
    assert requests(page) == [opened.as_uri()]
    assert page.get_log("browser") == []
    assert page.find_elements(By.CSS_SELECTOR, ".plot canvas")


def test_the_table_shows_every_op_and_its_time(page: WebDriver, report: Report) -> None:
    page.execute_script("document.querySelector('.ops-box').style.height = '4000px'; fillTable()")
    assert cells(page, "op") == [op.name for op in report.ops]
    assert cells(page, "µs") == [micros(op.elapsed_ns) for op in report.ops]
    said = page.find_element(By.CSS_SELECTOR, "#table [role=status]").text
    assert said == f"{len(report.ops)} of {count(len(report.ops), 'op')}, {duration(report.total_ns)}, 100.0 %"


def test_a_step_that_repeats_is_in_the_table_once_until_every_op_is_asked_for(browser: WebDriver, opened: Path) -> None:
    report = PROGRAMS["lstm"]().cost()
    (step,) = report.steps
    report.to_html(opened)
    browser.get(opened.as_uri())
    browser.execute_script("document.querySelector('.ops-box').style.height = '8000px'; fillTable()")
    shown = sorted(folded_ops(report), key=lambda op: op.index)
    assert cells(browser, "#") == [str(row.index) for row in shown]
    assert cells(browser, "µs") == [micros(row.elapsed_ns) for row in shown]
    assert cells(browser, "times") == [str(row.times) if row.times > 1 else "" for row in shown]
    said = browser.find_element(By.CSS_SELECTOR, "#table [role=status]").text
    assert said.startswith(f"{len(report.ops)} of {len(report.ops)} ops, ")
    browser.execute_script(f"select({step.first + step.ops})")
    chosen = browser.find_elements(By.CSS_SELECTOR, "table.ops tbody tr[aria-selected=true] td:first-child")
    row = next(ops[0].index for ops in equal_ops(report) if step.first in {op.index for op in ops})
    assert [cell.text for cell in chosen] == [str(row)]
    browser.find_element(By.ID, "every").click()
    assert cells(browser, "#") == [str(op.index) for op in report.ops]
    assert cells(browser, "µs") == [micros(op.elapsed_ns) for op in report.ops]
    assert browser.get_log("browser") == []


def test_a_page_without_equal_ops_offers_nothing_to_unfold(page: WebDriver, report: Report) -> None:
    assert len(folded_ops(report)) == len(report.ops)
    assert not page.find_element(By.ID, "every").is_displayed()


def test_an_op_shows_what_it_could_have_had(browser: WebDriver, opened: Path) -> None:
    program = ttstack.compile(ROOT / "examples/encoder_layer.mlir")
    program.to_html(opened)
    browser.get(opened.as_uri())
    (function,) = program.binary.functions
    at = launched_positions(function)[0]
    _, best, *_ = explain(function, at, program.binary.chip(function), program.binary.system_desc)
    keys(browser, Keys.ARROW_RIGHT)
    said = browser.find_element(By.ID, "detail").text
    assert f"+{duration(best.more_ns)} in total, {duration(best.ns)} for the op, on {best.device_op.grid} cores" in said
    assert best.why in said
    assert browser.get_log("browser") == []


def test_keys_search_select_and_change_the_theme(page: WebDriver, report: Report) -> None:
    keys(page, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.find_element(By.CSS_SELECTOR, "#detail h2").text == f"1 {report.ops[1].name}"
    assert report.ops[1].location in page.find_element(By.ID, "detail").text
    runs = page.find_elements(By.CSS_SELECTOR, "#cores .core.runs")
    assert len(runs) == report.ops[1].cores
    before = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    keys(page, "t")
    assert page.execute_script("return getComputedStyle(document.body).backgroundColor") != before
    keys(page, "/")
    page.switch_to.active_element.send_keys("layer_norm")
    assert cells(page, "op") == ["layer_norm"] * 2
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    keys(page, Keys.ESCAPE)
    assert len(rows(page)) > 2
    assert page.get_log("browser") == []


def test_zoom_goes_through_all_plots_over_time(page: WebDriver, report: Report) -> None:
    keys(page, "+", "+")
    spans = page.execute_script("return timePlots.map((plot) => plot.scales.x.max - plot.scales.x.min)")
    assert spans == pytest.approx([report.total_ns / 4] * 3, rel=1e-6)
    keys(page, "0")
    assert page.execute_script("return timePlots[2].scales.x.max") == pytest.approx(report.total_ns)


def test_pointing_at_l1_says_what_lies_there(page: WebDriver, report: Report) -> None:
    """Each buffer, while the op runs that makes it; small ones together with those beside them."""
    buffers = [b for b in report.buffers if b.tensor.layout.in_l1]
    assert buffers
    said = page.execute_script("""
        const node = document.querySelector("#l1 .u-over"), plot = timePlots[1], {ops, device} = shown();
        return shown().buffers.filter((b) => b.inL1).map((b) => {
          const box = node.getBoundingClientRect(), op = ops[b.first];
          const x = box.left + plot.valToPos((op.start + op.end) / 2, "x");
          const y = box.top + plot.valToPos(b.address - device.l1[0] + b.bytes / 2, "y");
          node.dispatchEvent(new MouseEvent("mousemove", {clientX: x, clientY: y, bubbles: true}));
          return find("tooltip").innerText;
        });""")
    for buffer, text in zip(buffers, said, strict=True):
        assert buffer.tensor.name in text
        assert str(buffer.tensor.layout) in text


@pytest.fixture
def layers(browser: WebDriver, opened: Path) -> tuple[WebDriver, Report]:
    """The page of six equal layers."""
    report = stack(6)
    report.to_html(opened)
    browser.get(opened.as_uri())
    return browser, report


def test_the_longest_ops_are_listed_once_for_all_equal_modules(layers: tuple[WebDriver, Report]) -> None:
    page, report = layers
    listed = page.find_element(By.CSS_SELECTOR, "#detail .longest").text
    longest = sort_ops(folded_ops(report), "time")[:10]
    for op in longest:
        name = op.location.partition(" (")[0]
        each = f"{op.times} x {duration(op.elapsed_ns / op.times)} = " if op.times > 1 else ""
        assert f"{op.name} at {name}, line" in listed
        assert f"{each}{duration(op.elapsed_ns)}, " in listed
    assert "blocks.0-5" in listed
    page.find_element(By.CSS_SELECTOR, "#detail .longest button").click()
    said = f"One of {longest[0].times} equal ops; together {duration(longest[0].elapsed_ns)}, "
    assert said in page.find_element(By.ID, "detail").text
    assert len(cells(page, "op")) == len(folded_ops(report)) < len(report.ops)


def test_a_search_for_one_of_equal_modules_finds_its_ops_alone(layers: tuple[WebDriver, Report]) -> None:
    page, report = layers
    keys(page, "/")
    page.switch_to.active_element.send_keys("blocks.3")
    wanted = [op for op in report.ops if "blocks.3" in op.location]
    assert cells(page, "#") == [str(op.index) for op in wanted]
    assert cells(page, "µs") == [micros(op.elapsed_ns) for op in wanted]


def test_modules_are_lanes_above_their_ops(layers: tuple[WebDriver, Report]) -> None:
    """A bar from the first to the last op of each; a click on it shows these ops."""
    page, report = layers
    lanes = page.execute_script(
        "return moduleLanes(shown()).map((lane) => lane.map((bar) => [bar.group.path, bar.first, bar.last]))"
    )
    for depth, lane in enumerate(lanes):
        for path, first, last in lane:
            names = path.split(".")
            assert all(module_path(op)[: len(names)] == tuple(names) for op in report.ops[first : last + 1])
            assert len(names) >= depth + 1
    assert [path.partition(".")[0] for path, *_ in lanes[0]] == ["first", "blocks", "head"]
    assert [f"blocks.{layer}" for layer in range(6)] == [path for path, *_ in lanes[1] if path.startswith("blocks")]
    path, first, last = next(bar for bar in lanes[1] if bar[0] == "blocks.2")
    page.execute_script(
        """
        const plot = timePlots[0], box = plot.over.getBoundingClientRect(), {ops} = shown(), [from, to] = arguments;
        const clientX = box.left + plot.valToPos((ops[from].start + ops[to].end) / 2, "x"), clientY = box.top + 1.5 * LANE;
        for (const name of ["mousedown", "mouseup", "click"]) plot.over.dispatchEvent(new MouseEvent(name, {clientX, clientY, bubbles: true}));
        """,
        first,
        last,
    )
    assert cells(page, "#") == [str(index) for index in range(first, last + 1)]
    shown = page.find_element(By.ID, "range").text
    assert shown.endswith("ops")
    assert not shown.startswith("all")
    assert page.find_element(By.CSS_SELECTOR, "#tree [aria-selected=true]").get_dom_attribute("data-path") == path
    keys(page, "0")
    assert page.find_element(By.ID, "range").text.startswith(f"all: 0 to {duration(report.total_ns)}, ")
    assert page.get_log("browser") == []


def test_the_terms_of_an_op_add_up_to_its_kernel(page: WebDriver, report: Report) -> None:
    """What nothing hides and the part that overlaps lie end to end; no bar reaches beyond the kernel."""
    placed = page.execute_script("return shown().ops.map(placeTerms)")
    for op, found in zip(report.ops, placed, strict=True):
        begin, end = found["overlap"]
        bars = {bar["name"]: (bar["start"], bar["start"] + bar["ns"]) for bar in found["bars"]}
        added = [bars[term] for term in Term.of(Combination.ADDED) if term in bars]
        assert bars.keys() == {term for term, ns in op.terms.items() if ns and term != Term.GAP}
        spans = sorted([*added, (begin, end)])
        assert spans[0][0] == 0
        for (_, before), (after, _) in pairwise(spans):
            assert after == pytest.approx(before, abs=0.01)
        assert spans[-1][1] == pytest.approx(op.kernel_ns, abs=0.01)
        assert max(last for _, last in bars.values()) <= op.kernel_ns + 0.01


def test_the_panel_says_what_would_make_an_op_faster(page: WebDriver, report: Report) -> None:
    page.execute_script("select(0)")
    text = page.find_element(By.ID, "detail").text
    assert Resource(report.ops[0].bound).remedy.replace("`", "") in text
    assert f"{report.ops[0].bound}: {Resource(report.ops[0].bound).meaning}" in text
    assert "inputs" in text
    assert "outputs" in text


def test_the_roofline_says_why_ops_are_not_shown(page: WebDriver, report: Report) -> None:
    idle = [op for op in report.ops if not op.flops]
    assert idle
    said = page.find_element(By.ID, "roofline").text
    assert f"{len(idle)} of {len(report.ops)} ops (" in said
    assert "have no FLOPs and are not shown" in said


def test_paper_has_every_row_in_black_on_white(layers: tuple[WebDriver, Report]) -> None:
    page, report = layers
    page.find_element(By.ID, "every").click()
    keys(page, "t")
    theme = page.execute_script("return document.documentElement.dataset.theme")
    page.execute_script(
        "document.querySelector('.ops-box').style.height = '100px'; dispatchEvent(new Event('beforeprint'))"
    )
    assert len(rows(page)) == len(report.ops)
    assert page.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert page.execute_script("return document.documentElement.dataset.theme") == theme
    assert page.get_log("browser") == []


def test_a_comparison_lists_the_largest_changes(
    browser: WebDriver, opened: Path, report: Report, smaller: Report
) -> None:
    comparison = compare(report, smaller)
    comparison.to_html(opened)
    browser.get(opened.as_uri())
    largest = max(comparison.pairs, key=lambda pair: abs(pair.delta_ns))
    assert largest.before
    assert largest.after
    first = browser.find_element(By.CSS_SELECTOR, "#detail .longest li").text
    assert f"{duration(largest.before.elapsed_ns)} → {duration(largest.after.elapsed_ns)}" in first
    assert first.startswith(largest.after.name)
    browser.find_element(By.CSS_SELECTOR, "[data-program='1']").click()
    assert browser.execute_script("return state.selected") is None


@pytest.mark.parametrize("kind", GROUP_KINDS)
def test_groups_of_each_kind_show_their_sums_and_ops(
    browser: WebDriver, opened: Path, report: Report, kind: GroupKind
) -> None:
    opened.write_text(report_page(report, group_by="op"))
    browser.get(opened.as_uri())
    browser.find_element(By.CSS_SELECTOR, f"[data-by='{kind}']").click()
    (chosen,) = browser.find_elements(By.CSS_SELECTOR, "#grouping [aria-checked='true']")
    assert chosen.text == kind
    longest = max(group_ops(report.ops, kind).groups, key=lambda group: group.elapsed_ns)
    row = browser.find_element(By.CSS_SELECTOR, f"#tree [data-path='{longest.name}']")
    assert micros(longest.elapsed_ns) in row.text
    row.click()
    assert cells(browser, "op") == [op.name for op in longest.ops]
    assert browser.get_log("browser") == []


def test_a_page_opens_with_the_groups_that_were_asked_for(browser: WebDriver, opened: Path, report: Report) -> None:
    opened.write_text(report_page(report, group_by="class"))
    browser.get(opened.as_uri())
    shown = browser.find_elements(By.CSS_SELECTOR, "#tree tbody tr")
    assert [row.get_dom_attribute("data-path") for row in shown] == list(
        dict.fromkeys(op.op_class for op in report.ops)
    )


def test_a_comparison_shows_either_program_and_the_change(
    browser: WebDriver, opened: Path, report: Report, smaller: Report
) -> None:
    comparison = compare(report, smaller)
    comparison.to_html(opened)
    browser.get(opened.as_uri())
    browser.execute_script("document.querySelector('.ops-box').style.height = '4000px'; fillTable()")
    pairs = comparison.pairs
    assert cells(browser, "before") == ["new" if p.before is None else micros(p.before_ns) for p in pairs]
    assert cells(browser, "µs") == ["gone" if p.after is None else micros(p.after_ns) for p in pairs]
    browser.find_element(By.CSS_SELECTOR, "[data-program='1']").click()
    changes = [f"{p.delta_ns / 1000:+z,.1f}" for p in pairs]
    assert cells(browser, "change") == ["0.0" if change == "+0.0" else change for change in changes]
    assert cells(browser, "after") == ["gone" if p.after is None else micros(p.after_ns) for p in pairs]
    assert browser.get_log("browser") == []
