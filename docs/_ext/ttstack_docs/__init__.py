"""Sphinx extension: pages say `<!-- generated: name arguments -->`, and the product itself says what stands there."""

import re
from collections.abc import Callable
from typing import Any

from sphinx.errors import ExtensionError

from ttstack_docs.commands import choice_table, command_pages, exit_code_table
from ttstack_docs.constraints import constraint_table
from ttstack_docs.conversions import conversion_tables, onnx_through_torch
from ttstack_docs.cost import cost_modules, cost_terms
from ttstack_docs.devices import (
    calibration_table,
    device_fields,
    preset_table,
    preset_values,
    release_table,
    revision_table,
)
from ttstack_docs.errors import error_example, error_table
from ttstack_docs.example import ir_after, report_table
from ttstack_docs.layers import layer_gaps, layer_summary, layer_tables
from ttstack_docs.limits import written_out
from ttstack_docs.ops import op_facets, op_tables
from ttstack_docs.passes import pass_table, pipeline_table, stage_table
from ttstack_docs.precisions import precision_table
from ttstack_docs.printed import json_pages
from ttstack_docs.published import mechanisms, published_models, rewritten_models, unsaid_mechanisms
from ttstack_docs.schema import header_layout, schema_text
from ttstack_docs.test_times import test_times
from ttstack_docs.ways import network_ways
from ttstack_docs.zoo import zoo_figures, zoo_table

GENERATORS: dict[str, Callable[..., str]] = {
    "calibration": calibration_table,
    "choices": choice_table,
    "commands": command_pages,
    "conversions": conversion_tables,
    "cost-modules": cost_modules,
    "cost-terms": cost_terms,
    "device-fields": device_fields,
    "error-example": error_example,
    "errors": error_table,
    "exit-codes": exit_code_table,
    "header": header_layout,
    "ir": ir_after,
    "json": json_pages,
    "onnx-through-torch": onnx_through_torch,
    "layer-gaps": layer_gaps,
    "layer-summary": layer_summary,
    "layer-tables": layer_tables,
    "mechanisms": mechanisms,
    "unsaid-mechanisms": unsaid_mechanisms,
    "op-facets": op_facets,
    "ops": op_tables,
    "passes": pass_table,
    "pipelines": pipeline_table,
    "constraints": constraint_table,
    "precisions": precision_table,
    "preset-values": preset_values,
    "presets": preset_table,
    "releases": release_table,
    "revisions": revision_table,
    "published-models": published_models,
    "report": report_table,
    "network-ways": network_ways,
    "rewritten-models": rewritten_models,
    "schema": schema_text,
    "stages": stage_table,
    "test-times": test_times,
    "written-out": written_out,
    "zoo": zoo_table,
    "zoo-figures": zoo_figures,
}
"""What a page can ask for; each gives Markdown."""

_MARKER = re.compile(r"^<!-- generated: (?P<name>[\w-]+)(?P<arguments>[^>]*?) -->$", re.MULTILINE)


def expand(text: str) -> str:
    """The page with every marker replaced by what it asks for."""
    return _MARKER.sub(_generated, text)


def _generated(marker: re.Match[str]) -> str:
    name = marker["name"]
    if name not in GENERATORS:
        raise ExtensionError(f"nothing generates {name!r}; there are {', '.join(GENERATORS)}")
    return GENERATORS[name](*marker["arguments"].split())


def _source_read(_app: Any, _page: str, content: list[str]) -> None:
    content[0] = expand(content[0])


def _always_outdated(app: Any, env: Any, *_: Any) -> list[str]:
    """Pages with markers depend on the code, which Sphinx does not watch."""
    return [page for page in env.found_docs if _MARKER.search(app.env.doc2path(page).read_text())]


def _keep(kept: dict[str, list[str]]) -> Callable[..., None]:
    """Before napoleon: remember the text of fields, in which it takes what stands before a colon for a type."""

    def keep(_app: Any, what: str, name: str, _object: Any, _options: Any, lines: list[str]) -> None:
        if what in ("attribute", "property"):
            kept[name] = list(lines)

    return keep


def _restore(kept: dict[str, list[str]]) -> Callable[..., None]:
    """After napoleon: put it back."""

    def restore(_app: Any, _what: str, name: str, _object: Any, _options: Any, lines: list[str]) -> None:
        lines[:] = kept.pop(name, lines)

    return restore


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _source_read)
    app.connect("env-get-outdated", _always_outdated)
    kept: dict[str, list[str]] = {}
    app.connect("autodoc-process-docstring", _keep(kept), priority=400)
    app.connect("autodoc-process-docstring", _restore(kept), priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
