"""Exported programs on complex numbers as programs on pairs of reals.

`torch._subclasses.complex_tensor` spells most ATen ops on complex tensors with real ones; this module traces a program
with it, and with the ops of `complex_ops`. Complex parameters and buffers become two real ones, complex inputs and
outputs have one more dimension of 2, as `torch.view_as_real` gives it.
"""

import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor, fx, nn
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.traceback import preserve_node_meta

from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.torch.alone import alone
from ttstack.frontends.torch.complex_functions import COMPOSITE, is_complex, pair
from ttstack.frontends.torch.complex_ops import IN_PLACE, PARTS, ComplexOps, view_as_complex, view_as_real
from ttstack.frontends.torch.source_lines import line_of_node, spell

_aten = torch.ops.aten
_UPDATES = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION)
_DEAD = (_aten.is_pinned.default, _aten.detach.default, _aten.alias.default, _aten._conj.default)


def _has_complex_numbers(program: ExportedProgram) -> bool:
    """Return True if a value of a program is complex."""
    return any(is_complex(node.meta.get("val")) for node in program.graph.nodes)


def as_real_pairs(program: ExportedProgram) -> ExportedProgram:
    """Return a program on real numbers that computes the same; the same program if it has no complex numbers.

    Raises:
        UnsupportedOpError: an op has no form on pairs of reals.
    """
    if not _has_complex_numbers(program):
        return program
    with alone(), warnings.catch_warnings(), preserve_node_meta(), torch.no_grad():
        warnings.simplefilter("ignore")
        return _traced(program)


def _traced(program: ExportedProgram) -> ExportedProgram:
    program = program.run_decompositions({})  # no op writes to an operand any more
    specs = program.graph_signature.input_specs
    placeholders = program.graph.find_nodes(op="placeholder")
    layout = [_Placeholder(spec, node.meta["val"]) for spec, node in zip(specs, placeholders, strict=True)]

    def run(*given: Tensor) -> list[Any]:
        rest = iter(given)
        with ComplexOps():
            values = [p.assemble(rest) for p in layout]
            results = _PairInterpreter(program.graph_module).run(*values)
            outputs = zip(program.graph_signature.output_specs, results, strict=True)
            return [part for spec, value in outputs for part in _parts(spec, value)]

    fakes = [fake for p in layout for fake in p.fakes()]
    traced = make_fx(run, tracing_mode="fake", _allow_non_fake_inputs=True)(*fakes)
    if any(isinstance(node.target, OpOverload) and node.target._schema.is_mutable for node in traced.graph.nodes):
        again = torch.func.functionalize(fx.Interpreter(traced).run)  # PyTorch writes some real ops out in place
        traced = make_fx(again, tracing_mode="fake", _allow_non_fake_inputs=True)(*fakes)
    return _exported(program, traced, layout)


class _Placeholder:
    """A value that a program is given, and what it becomes: two parameters, or one input with one more dimension."""

    def __init__(self, spec: InputSpec, value: Any) -> None:
        self.spec, self.value = spec, value
        self.splits = is_complex(value) and spec.kind is not InputKind.USER_INPUT

    def fakes(self) -> Iterator[Any]:
        if not is_complex(self.value):
            yield self.value
        elif self.splits:
            yield from (_empty(self.value, self.value.shape) for _ in PARTS)
        else:
            yield _empty(self.value, (*self.value.shape, 2))

    def assemble(self, rest: Iterator[Any]) -> Any:
        first = next(rest)
        if not is_complex(self.value):
            return first
        return pair(first, next(rest)) if self.splits else view_as_complex(first)

    def specs(self) -> Iterator[InputSpec]:
        if not self.splits:
            yield self.spec
            return
        for part in PARTS:
            argument = TensorArgument(name=f"{self.spec.arg.name}_{part}")
            yield replace(self.spec, arg=argument, target=f"{self.spec.target}.{part}")


def _empty(like: Tensor, shape: Sequence[int]) -> Tensor:
    dtype = like.dtype.to_real()
    mode = getattr(like, "fake_mode", None)
    if mode is None:
        return torch.empty(tuple(shape), dtype=dtype, device="meta")
    with mode:
        return torch.empty(tuple(shape), dtype=dtype)


def _parts(spec: OutputSpec, value: Any) -> Sequence[Any]:
    """List the real tensors of a result: the new values of a complex buffer are two, other complex results one."""
    if not is_complex(value):
        return [value]
    return [value.re, value.im] if spec.kind in _UPDATES else [view_as_real(value)]


def _output_specs(spec: OutputSpec, value: Any) -> Iterator[OutputSpec]:
    if spec.kind not in _UPDATES or not is_complex(value):
        yield spec
        return
    for part in PARTS:
        yield replace(spec, target=f"{spec.target}.{part}")


class _PairInterpreter(fx.Interpreter):
    """Runs a program and says which op has no form on pairs."""

    def run_node(self, n: fx.Node) -> Any:
        try:
            return super().run_node(n)
        except (NotImplementedError, TypeError, RuntimeError) as e:
            if n.op != "call_function" or not any(is_complex(a.meta.get("val")) for a in (n, *n.all_input_nodes)):
                raise
            raise UnsupportedOpError(
                f"'{n.target}' has no form on pairs of real numbers",
                loc=spell(line_of_node(n)) or None,
                notes=(str(e).splitlines()[0][:200],),
                hint="write it with a real and an imaginary part",
            ) from e

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an op, or what stands for one that writes to its operands inside of PyTorch."""
        if target in IN_PLACE:
            return IN_PLACE[target](*args, **kwargs)
        if target in COMPOSITE and any(map(is_complex, args)):
            return COMPOSITE[target](*args, **kwargs)
        return super().call_function(target, args, kwargs)


def _value(node: object) -> Any:
    return node.meta.get("val") if isinstance(node, fx.Node) else None


def _fold_constants(traced: fx.GraphModule) -> None:
    """Compute what depends on tensors that a graph holds alone: parts of complex numbers among them."""
    values: dict[fx.Node, Tensor] = {}
    for node in list(traced.graph.nodes):
        if node.op == "get_attr":
            values[node] = getattr(traced, str(node.target))
        elif isinstance(node.target, OpOverload) and values.keys() >= set(node.all_input_nodes) != set():
            arguments, keywords = fx.map_arg((node.args, node.kwargs), lambda n: cast(Any, values[n]))
            values[node] = cast(Any, node.target)(*arguments, **keywords)
    for number, (node, value) in enumerate(values.items()):
        if node.op != "get_attr" and any(user not in values for user in node.users):
            name = f"_folded{number}"
            traced.register_buffer(name, value)
            with traced.graph.inserting_before(node):
                held = traced.graph.get_attr(name)
            held.meta = {**node.meta}
            node.replace_all_uses_with(held, delete_user_cb=lambda user: user not in values)
    traced.graph.eliminate_dead_code()


def _lift_constants(traced: fx.GraphModule) -> dict[str, Tensor]:
    """Make placeholders of the tensors that a graph holds, before all others; return their values by name."""
    _fold_constants(traced)
    found: dict[str, Tensor] = {}
    first = next(iter(traced.graph.nodes))
    for node in traced.graph.find_nodes(op="get_attr"):
        value = getattr(traced, str(node.target))
        name = f"c_pair_{len(found)}"
        with traced.graph.inserting_before(first):
            lifted = traced.graph.placeholder(name)
        lifted.meta = {**node.meta, "val": node.meta.get("val", value)}
        node.replace_all_uses_with(lifted)
        traced.graph.erase_node(node)
        found = {name: value, **found}
        first = lifted
    return dict(reversed(found.items()))


def _exported(program: ExportedProgram, traced: fx.GraphModule, layout: Sequence[_Placeholder]) -> ExportedProgram:
    """The traced graph with the signature and the state of the program."""
    graph = traced.graph
    for node in list(graph.nodes):
        if node.target in _DEAD:
            if node.target is not _aten.is_pinned.default:
                node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    specs = [spec for p in layout for spec in p.specs()]
    for node, spec in zip(graph.find_nodes(op="placeholder"), specs, strict=True):
        node.name = node.target = spec.arg.name
    (results,) = graph.find_nodes(op="output")[0].args
    values = (_value(node) for node in cast(Sequence[object], program.graph.output_node().args[0]))
    said = zip(program.graph_signature.output_specs, values, strict=True)
    parts = [spec for output, value in said for spec in _output_specs(output, value)]
    outputs = [
        replace(o, arg=TensorArgument(name=n.name) if isinstance(o.arg, TensorArgument) else o.arg)
        for o, n in zip(parts, cast(Sequence[fx.Node], results), strict=True)
    ]
    state, constants = dict(program.state_dict), dict(program.constants)
    for name, value in _lift_constants(traced).items():
        argument = TensorArgument(name=name)
        specs.insert(0, InputSpec(InputKind.CONSTANT_TENSOR, argument, target=name, persistent=None))
        constants[name] = value
    graph.lint()
    for p in layout:
        if p.splits and p.spec.target is not None:
            holder = state if p.spec.target in state else constants
            value = holder.pop(p.spec.target)
            for part in PARTS:
                half = getattr(cast(Tensor, value).detach(), part).contiguous()
                is_parameter = isinstance(value, nn.Parameter)
                holder[f"{p.spec.target}.{part}"] = nn.Parameter(half, requires_grad=False) if is_parameter else half
    return ExportedProgram(
        root=traced,
        graph=graph,
        graph_signature=ExportGraphSignature(input_specs=specs, output_specs=outputs),
        state_dict=state,
        range_constraints=copy(program.range_constraints),
        module_call_graph=program.module_call_graph,
        example_inputs=program.example_inputs,
        constants=constants,
    )
