"""Preparation of an exported program for import: functional, static, without no-op nodes."""

import warnings
from collections.abc import Iterator
from textwrap import shorten

import torch
from torch import fx
from torch._ops import HigherOrderOperator, OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind

from ttstack.diagnostics import SourceError, TTStackError, UnsupportedOpError
from ttstack.frontends.torch.alone import alone
from ttstack.frontends.torch.complex_numbers import as_real_pairs
from ttstack.frontends.torch.control_flow import has_graphs
from ttstack.frontends.torch.decompositions import Decompositions, decompositions
from ttstack.frontends.torch.dynamic import Extents, dynamic_inputs, dynamic_result
from ttstack.frontends.torch.flex_attention import without_flex_attention
from ttstack.frontends.torch.private_updates import is_private_update, replace_private_updates
from ttstack.frontends.torch.regions import region_error
from ttstack.frontends.torch.source_lines import line_of_node, spell

_aten = torch.ops.aten
_IDENTITIES = {
    _aten.detach.default,
    _aten.detach_.default,
    _aten.lift_fresh.default,
    _aten.lift_fresh_copy.default,
}
_VMAP = ("torch._C", "torch._functorch")
"""Modules of the functions that `torch.vmap` consists of."""
_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)


def functional(program: ExportedProgram) -> ExportedProgram:
    """Remove in-place ops, regions and ops to decompose; return the same program if it has none.

    Private updates are not traced again: `simplify_graph` replaces them. Among ops with a conversion, only batch norm
    is replaced, as torch's functionalization uses its inference form.

    Raises:
        UnsupportedOpError: the program has control flow, which functionalization keeps.
    """
    program = _as_real_pairs(without_flex_attention(program))
    table = decompositions(program)
    if not table and not any(_has_region(node) or _needs_tracing(node) for node in program.graph.nodes):
        return program
    with alone(), warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore", FutureWarning)
        program = _decompose(program, table)
    for node in filter(_has_region, program.graph.nodes):
        if has_graphs(node):
            continue
        raise region_error(str(node.target), spell(line_of_node(node)))
    return program


def _as_real_pairs(program: ExportedProgram) -> ExportedProgram:
    """Replace complex numbers by pairs; raise `UnsupportedOpError` for an op that PyTorch does not have on pairs."""
    try:
        return as_real_pairs(program)
    except (AttributeError, TypeError, NotImplementedError) as e:
        raise UnsupportedOpError(
            f"the program has an op on complex numbers that has no form on pairs: {e}",
            notes=(f"{type(e).__name__} raised by PyTorch's ComplexTensor",),
            hint="compute it before the export, or on real and imaginary parts",
        ) from e


def _decompose(program: ExportedProgram, table: Decompositions) -> ExportedProgram:
    try:
        return program.run_decompositions(table)
    except TTStackError:
        raise
    except Exception as e:  # PyTorch raises whatever it likes, and nothing of ours runs in it
        reason = shorten(str(e) or type(e).__name__, 240, placeholder=" ...")
        raise SourceError(
            f"PyTorch cannot decompose the program: {reason}",
            notes=(f"{type(e).__name__} raised by ExportedProgram.run_decompositions",),
            hint="export the model again with this PyTorch",
        ) from e


def simplify_graph(graph: fx.Graph) -> fx.Graph:
    """Copy `graph` without assertions, detached copies, private updates and dead nodes; all placeholders stay."""
    copied = fx.Graph()
    copied.output(copied.graph_copy(graph, {}))
    replace_private_updates(copied)
    for node in list(copied.nodes):
        if node.target in _IDENTITIES:
            node.replace_all_uses_with(node.args[0])
            copied.erase_node(node)
        elif isinstance(node.target, OpOverload) and not node.target._schema.returns:
            copied.erase_node(node)
    copied.eliminate_dead_code()
    return copied


def refuse_dynamic_shapes(program: ExportedProgram) -> None:
    """Raise a SourceError that names each input with a dynamic shape, or the first op that has one.

    Numbers of tensors that are only checked (`item()` in an assertion) are not used by the program.
    """
    specs = program.graph_signature.input_specs
    dynamic = [
        (spec.arg.name, _extents(node.meta["val"]))
        for spec, node in zip(specs, program.graph.find_nodes(op="placeholder"), strict=True)
        if spec.kind == InputKind.USER_INPUT and _is_dynamic(node)
    ]
    if dynamic:
        raise dynamic_inputs(dynamic)
    used = _used_nodes(program.graph)
    for node in (node for node in program.graph.nodes if node in used and _is_dynamic(node)):
        value = next(value for value in _values(node) if _is_symbolic(value))
        raise dynamic_result(str(node.target), _extents(value), spell(line_of_node(node)))


def _used_nodes(graph: fx.Graph) -> set[fx.Node]:
    """Return the nodes that outputs and writes depend on."""
    waiting = [node for node in graph.nodes if node.op == "output" or _mutates(node)]
    used = set[fx.Node]()
    while waiting:
        node = waiting.pop()
        if node not in used:
            used.add(node)
            waiting += node.all_input_nodes
    return used


def find_lost_updates(program: ExportedProgram) -> list[fx.Node]:
    """Return ops that write to a constant of the program: state that torch.export did not find."""
    specs = program.graph_signature.input_specs
    placeholders = zip(specs, program.graph.find_nodes(op="placeholder"), strict=True)
    constants = {node for spec, node in placeholders if spec.kind == InputKind.CONSTANT_TENSOR}
    return [node for node in filter(_mutates, program.graph.nodes) if _memory(node.args[0]) in constants]


def refuse_lost_updates(program: ExportedProgram) -> None:
    """Raise a SourceError if the program writes to a constant."""
    for node in find_lost_updates(program):
        raise SourceError(
            "the model writes to a tensor that is neither a buffer nor an input",
            loc=spell(line_of_node(node)),
            notes=(f"`{node.target}` writes to `{_memory(node.args[0])}`, which torch.export takes for a constant",),
            hint="keep it with register_buffer, or export with strict=True",
        )


def _memory(value: object) -> object:
    """Return the source of a tensor's views."""
    while isinstance(value, fx.Node) and isinstance(value.target, OpOverload):
        returns = value.target._schema.returns
        if not returns or returns[0].alias_info is None:
            return value
        value = value.args[0]
    return value


def _mutates(node: fx.Node) -> bool:
    target = node.target
    return isinstance(target, OpOverload) and target._schema.is_mutable and target not in _IDENTITIES


def _needs_tracing(node: fx.Node) -> bool:
    return (_mutates(node) and not is_private_update(node)) or _is_batched(node)


def _is_batched(node: fx.Node) -> bool:
    """Return True if a node is a step of `torch.vmap`, which PyTorch's tracing removes."""
    return node.op == "call_function" and str(getattr(node.target, "__module__", "")).startswith(_VMAP)


def _has_region(node: fx.Node) -> bool:
    return isinstance(node.target, HigherOrderOperator)


def _is_dynamic(node: fx.Node) -> bool:
    return any(map(_is_symbolic, _values(node)))


def _is_symbolic(value: object) -> bool:
    return isinstance(value, _SYMBOLS) or any(isinstance(extent, str) for extent in _extents(value) or ())


def _values(node: fx.Node) -> Iterator[object]:
    value = node.meta.get("val")
    yield from value if isinstance(value, tuple | list) else (value,)


def _extents(value: object) -> Extents | None:
    """Return the shape of a tensor, with dynamic extents as text; None for anything else."""
    if not isinstance(value, torch.Tensor):
        return None
    return tuple(extent if isinstance(extent, int) else str(extent) for extent in value.shape)
