"""What pages generate from the code is all that there is."""

import re
import tomllib

import pytest
from sphinx.errors import ExtensionError
from ttstack_docs import GENERATORS
from ttstack_docs.commands import command_paths, help_text
from ttstack_docs.devices import device_fields, models, split_unit
from ttstack_docs.example import shortened, stage, stages
from ttstack_docs.in_place import PAGES, refreshed
from ttstack_docs.ops import facets
from typer.main import get_command

from tests.docs.pages import DOCS, ROOT
from tests.every import for_every
from ttstack import diagnostics
from ttstack.cli import INTERRUPTED, exit_codes
from ttstack.cli.app import app
from ttstack.cli.printed import PRINTED
from ttstack.cost import Term
from ttstack.diagnostics import TTStackError
from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.ops.described import SPELLINGS, spell_attribute
from ttstack.passes.base import PASSES
from ttstack.passes.pipelines import PIPELINES
from ttstack.system_desc import SystemDesc, load, presets
from ttstack.system_desc.resources import Resource
from ttstack.system_desc.sources import figures


def _page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text()


def test_everything_that_can_be_generated_stands_on_a_page():
    text = "".join(p.read_text() for p in PAGES)
    assert set(re.findall(r"^<!-- generated: ([\w-]+)", text, re.MULTILINE)) == set(GENERATORS)


def test_every_field_of_json_stands_in_the_section_of_its_object():
    page = _page("json")
    assert all(f"| `ttstack {words}` |" in page for words in PRINTED)
    sections = {section.partition("\n")[0]: section for section in page.split("\n## ")}
    report = sections["ReportJson"]
    assert "| `total_ns` | number | Kernels and the gaps after them. |" in report, "of what it extends"
    assert "| `rates` | list of [Throughput](#throughput), or left out |" in report
    assert "| `ops` | list of [OpJson](#opjson) | Ops in the order of execution. |" in report
    linked = set(re.findall(r"\[(\w+)\]\(#\w+\)", page))
    assert linked <= sections.keys()
    assert len(linked) > 20


def test_a_misspelt_marker_stops_the_build():
    with pytest.raises(ExtensionError, match="nothing generates 'opps'"):
        refreshed("<!-- generated: opps -->")


def test_every_op_has_a_row_with_its_operands_and_attributes():
    rows = {line.split("`")[1]: line for line in _page("ops").splitlines() if line.startswith("| `")}
    assert rows.keys() == OPS.keys()
    described = {line.split("`")[1]: line for line in GENERATORS["ops"]().splitlines() if line.startswith("| `")}
    for name, spec in OPS.items():
        for operand in spec.operand_specs():
            assert f"`{operand}" in described[name]
        for attribute in spec.attribute_specs().values():
            assert f"`{spell_attribute(attribute.name, attribute.spelling)}`" in described[name]
        if len(spec.result_names) != 1:
            assert f"Results: {' '.join(f'`{n}`' for n in spec.result_names) or 'none'}." in described[name]


def test_every_kind_of_attribute_has_an_example():
    assert {a.spelling.kind for spec in OPS.values() for a in spec.attribute_specs().values()} <= SPELLINGS.keys()


@for_every("mnemonic", sorted(OPS))
def test_every_op_has_every_facet(mnemonic: str):
    assert "no" not in facets(OPS[mnemonic])


def test_every_field_of_a_device_has_a_unit():
    text = device_fields()
    for _, model in models(SystemDesc):
        for name, field in model.model_fields.items():
            what, unit = split_unit(field.description or "")
            assert what, name
            assert unit, name
            assert f"| `{name}` | {unit} |" in text


def test_units_may_hold_commas():
    assert split_unit("Share of the clock, ratio in (0, 1].") == ("Share of the clock", "ratio in (0, 1]")


def test_presets_stand_with_their_figures():
    page = _page("device-descriptions")
    for name in presets():
        assert f"| `{name}` |" in page
    for name in ("wormhole", "blackhole_p150"):
        chip = load(name).chips[0]
        text = GENERATORS["preset-values"](name)
        for path in figures(chip):
            (row,) = (line for line in text.splitlines() if line.startswith(f"| `{path}` |"))
            assert row.endswith(f"| {chip.source_of(path)} |")


def test_passes_and_pipelines_stand_with_their_options():
    page = _page("passes")
    for name, spec in PASSES.items():
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        for option in spec.model_fields:
            assert f"`{option.replace('_', '-')}`, " in row
    for name in PIPELINES:
        assert f"| `{name}` |" in page


def test_every_error_stands_with_its_code():
    page = _page("errors")
    for error in TTStackError.__subclasses__():
        if error.__module__ == diagnostics.__name__:
            assert f"| `{error.code}` | `{error.__name__}` |" in page


def test_every_command_stands_with_what_its_help_prints():
    page = _page("command-line")
    for path in command_paths(get_command(app)):
        assert f"# ttstack {' '.join(path)}\n\n```text\n{help_text(path).rstrip()}\n```" in page


def test_every_folder_of_tests_is_explained():
    page = (DOCS / "contributing.md").read_text()
    for folder in {path.parent.name for path in (DOCS.parent / "tests").glob("*/test_*.py")}:
        assert f"`tests/{folder}`" in page


def test_exit_codes_are_those_of_the_command():
    page = _page("command-line")
    for code in (0, exit_codes.INPUT_FAULT, 2, exit_codes.INTERNAL_ERROR, INTERRUPTED, exit_codes.BROKEN_PIPE):
        assert f"| {code} |" in page


def test_the_page_on_cost_names_every_term_and_resource():
    page = _page("cost-model")
    for term in Term:
        assert f"| `{term}` | {term.meaning} |" in page
    for resource in Resource:
        assert f"| `{resource}` | {resource.full_name} | {resource.meaning} |" in page


def test_the_ir_on_the_page_parses_to_what_the_compiler_made():
    for name in stages():
        text = stage(name)
        with new_context(), ir.Location.unknown():
            shown = shortened(text)
            assert "#tt.layout<" not in shown[shown.index("module") :]
            assert print_module(parse(shown)) == print_module(parse(text)), name


def test_every_extra_of_the_package_is_explained():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    rows = re.findall(r"^\| `(\w+)` \|", (DOCS / "getting-started.md").read_text(), re.MULTILINE)
    assert sorted(set(extras) - set(rows)) == []
