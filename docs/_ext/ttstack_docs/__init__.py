"""Generated parts of pages: `<!-- generated: name arguments -->` in a page names the function that makes one."""

import re
from collections.abc import Callable

from sphinx.errors import ExtensionError

from ttstack_docs.api import api
from ttstack_docs.commands import choice_table, command_pages, exit_code_table
from ttstack_docs.constraints import constraint_table
from ttstack_docs.conversions import conversion_tables, onnx_through_torch
from ttstack_docs.cost import cost_modules, cost_terms, resource_figures, resource_remedies
from ttstack_docs.devices import (
    accuracy_summary,
    calibration_table,
    device_fields,
    preset_table,
    preset_values,
    release_table,
    revision_table,
)
from ttstack_docs.environment import channel_table, environment_table
from ttstack_docs.errors import error_example, error_table
from ttstack_docs.example import ir_after, report_table
from ttstack_docs.layers import layer_gaps, layer_summary, layer_tables
from ttstack_docs.limits import written_out
from ttstack_docs.op_suites import suite_counts, suite_reasons
from ttstack_docs.ops import op_facets, op_tables
from ttstack_docs.passes import pass_table, pipeline_table, stage_table
from ttstack_docs.precisions import precision_table
from ttstack_docs.printed import json_pages
from ttstack_docs.published import mechanisms, published_models, rewritten_models, unsaid_mechanisms
from ttstack_docs.rewrites import rewrite_section
from ttstack_docs.schema import header_layout, schema_text
from ttstack_docs.test_times import test_times
from ttstack_docs.ways import network_ways
from ttstack_docs.zoo import zoo_figures, zoo_table

GENERATORS: dict[str, Callable[..., str]] = {
    "accuracy": accuracy_summary,
    "api": api,
    "calibration": calibration_table,
    "choices": choice_table,
    "commands": command_pages,
    "conversions": conversion_tables,
    "cost-modules": cost_modules,
    "cost-terms": cost_terms,
    "resource-figures": resource_figures,
    "resource-remedies": resource_remedies,
    "device-fields": device_fields,
    "environment": environment_table,
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
    "log-channels": channel_table,
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
    "rewrite": rewrite_section,
    "rewritten-models": rewritten_models,
    "schema": schema_text,
    "suite-counts": suite_counts,
    "suite-reasons": suite_reasons,
    "stages": stage_table,
    "test-times": test_times,
    "written-out": written_out,
    "zoo": zoo_table,
    "zoo-figures": zoo_figures,
}
"""What a page can ask for; each gives Markdown."""

MARKER = re.compile(
    r"^<!-- generated: (?P<name>[\w-]+)(?P<arguments>[^>]*?) -->$"
    r"(?P<here>\n(?:(?!<!-- generated: ).*\n)*?<!-- end -->$)?",
    re.MULTILINE,
)
"""The place of a part of a page; where the part is in the file too, it ends with `<!-- end -->`."""


def made(marker: re.Match[str]) -> str:
    """What a marker asks for.

    Raises:
        ExtensionError: nothing has the name that it gives.
    """
    name = marker["name"]
    if name not in GENERATORS:
        raise ExtensionError(f"nothing generates {name!r}; there are {', '.join(GENERATORS)}")
    return GENERATORS[name](*marker["arguments"].split())
