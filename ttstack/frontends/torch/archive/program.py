"""The program of an archive in torch's schema: only known ops, and nothing that torch evaluates or imports."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch._export.serde import schema

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.archive.allowed import MisfitError, shorten_text
from ttstack.frontends.torch.archive.container import Container
from ttstack.frontends.torch.archive.decode import decode_object
from ttstack.frontends.torch.archive.structures import plain_signature
from ttstack.frontends.torch.archive.symbols import refuse_symbols
from ttstack.frontends.torch.control_flow import SUPPORTED
from ttstack.frontends.torch.regions import INLINED, PREFIX, region_error
from ttstack.frontends.torch.source_lines import line_of_trace, spell
from ttstack.frontends.torch_to_ttir import CONVERSIONS
from ttstack.frontends.unsupported import unsupported_error

_VERIFIERS = {"TRAINING", "ATEN", ""}
_ON_FILES = {"from_file", "_print"}
"""PyTorch ops that open a file, or write to the terminal."""


def read_program(archive: Container) -> schema.ExportedProgram:
    """Return the program that torch may deserialize.

    Raises:
        SourceError: it is of another version, or has dynamic shapes.
        UnsupportedOpError: it has control flow, or ops that neither ttstack nor PyTorch defines.
        MisfitError: its form differs from programs that torch writes.
    """
    values = archive.json(f"models/{archive.program}.json")
    _check_version(archive.path, values)
    program: schema.ExportedProgram = decode_object(schema.ExportedProgram, values)
    graphs = list(_graphs(program.graph_module.graph))
    refuse_symbols(program.graph_module, graphs)
    _refuse_ops(graphs)
    for node in (node for graph in graphs for node in graph.nodes):
        node.metadata = _harmless(node.metadata)
    return _bare(program)


def _check_version(path: Path, program: Any) -> None:
    match program:
        case {"schema_version": {"major": int() as major, "minor": int() as minor}}:
            pass
        case _:
            raise MisfitError("it names no version of its schema")
    if major != schema.SCHEMA_VERSION[0]:
        known = ".".join(map(str, schema.SCHEMA_VERSION))
        by = f"PyTorch {shorten_text(str(program.get('torch_version', 'of another version')))}"
        raise SourceError(
            f"'{path}' was written by {by} in schema {major}.{minor}",
            notes=(f"PyTorch {torch.__version__} reads schema {known}",),
            hint="install the PyTorch that wrote it, or export the model again",
        )


def _graphs(graph: schema.Graph) -> Iterator[schema.Graph]:
    """Yield a graph, and those of its regions."""
    yield graph
    for node in graph.nodes:
        for given in node.inputs:
            if given.arg.type == "as_graph":
                yield from _graphs(given.arg.value.graph)


def _refuse_ops(graphs: list[schema.Graph]) -> None:
    """Raise an error that lists all unknown ops, as torch would call any function that a node names."""
    found = Counter[str]()
    first = dict[str, str]()
    for node in (node for graph in graphs for node in graph.nodes):
        where = spell(line_of_trace(node.metadata.get("stack_trace", "")))
        region = node.target.removeprefix(PREFIX)
        if node.target != region and region not in INLINED | SUPPORTED:
            raise region_error(shorten_text(region), where)
        if node.target == region and not _is_known(node.target):
            name = shorten_text(node.target.replace("torch.ops.", "torch.", 1).removesuffix(".default"))
            found[name] += 1
            first.setdefault(name, where or "")
    if found:
        raise unsupported_error(found, first, CONVERSIONS)


def _is_known(target: str) -> bool:
    return target in _aten() or target.replace("torch.ops.", "torch.", 1).removesuffix(".default") in CONVERSIONS


@cache
def _aten() -> frozenset[str]:
    """Return PyTorch's dispatcher ops; TorchScript's other builtins can do more than compute tensors."""
    names = (name.removeprefix("aten::") for name in torch._C._dispatch_get_all_op_names() if name[:6] == "aten::")
    overloads = (name.partition(".") for name in names)
    return frozenset(f"torch.ops.aten.{op}.{kind or 'default'}" for op, _, kind in overloads if op not in _ON_FILES)


def _harmless(metadata: Mapping[str, str]) -> dict[str, str]:
    """Return the source lines and the module of an op."""
    trace = metadata.get("stack_trace", "").splitlines()
    modules = metadata.get("nn_module_stack", "")
    kept = {"stack_trace": "\n".join(line for line in trace if line.isprintable())}
    return kept | ({"nn_module_stack": modules} if modules.isprintable() else {})


def _bare(program: schema.ExportedProgram) -> schema.ExportedProgram:
    """Return the graph, its signature, and names of inputs and results, without guards, which are code."""
    module = program.graph_module
    if not {*program.verifiers} <= _VERIFIERS:
        raise MisfitError(f"its dialect is {shorten_text(', '.join(program.verifiers))}")
    call = schema.ModuleCallEntry("", plain_signature(module))
    return schema.ExportedProgram(
        graph_module=schema.GraphModule(module.graph, module.signature, [call]),
        opset_version={},
        range_constraints={},
        schema_version=program.schema_version,
        verifiers=program.verifiers,
        torch_version=program.torch_version,
    )
