"""The signature of a program: inputs, weights by name with their tensors, results, updates."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, InputSpec, OutputKind, TensorArgument

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.names import input_names, output_names, unique
from ttstack.ops.types import DType, TensorType

INLINE_BYTES = 16384
"""Constants up to this size are literals in the module; larger ones are arguments.

Token positions and frequencies of rotary embeddings are such buffers; their uses are folded."""

DTYPES = {
    torch.float64: DType.F64,
    torch.float32: DType.F32,
    torch.float16: DType.F16,
    torch.bfloat16: DType.BF16,
    torch.bool: DType.I1,
    torch.int8: DType.I8,
    torch.int16: DType.I16,
    torch.int32: DType.I32,
    torch.int64: DType.I64,
    torch.uint8: DType.UI8,
    torch.uint32: DType.UI32,
}
"""The element type of each supported dtype: signed integers are signless, as in TTIR."""

ArgumentKind = Literal["input", "parameter", "buffer", "constant"]


@dataclass(frozen=True)
class Argument:
    """An argument of the function; all kinds except `input` have their data in `Imported.weights`."""

    name: str
    kind: ArgumentKind
    type: TensorType
    is_complex: bool = False
    """Whether its values are pairs of reals of complex numbers."""


@dataclass(frozen=True)
class GraphOutput:
    """A result of the function; `updates` names the argument that it updates, if any."""

    name: str
    type: TensorType
    updates: str | None = None
    is_complex: bool = False
    """Whether its values are pairs of reals of complex numbers."""


@dataclass
class Signature:
    """The graph's placeholders and results, each with its meaning."""

    arguments: dict[fx.Node, Argument]
    literals: dict[fx.Node, object]
    outputs: list[tuple[fx.Node, GraphOutput]]
    weights: dict[str, torch.Tensor]


class ComplexPlaces(NamedTuple):
    """The positions of complex numbers among the user's inputs, and among the user's outputs."""

    inputs: frozenset[int] = frozenset()
    outputs: frozenset[int] = frozenset()


def complex_places(program: ExportedProgram) -> ComplexPlaces:
    """Return the places of complex numbers in the signature of a program that has not become pairs of reals."""
    signature, (results,) = program.graph_signature, program.graph.output_node().args
    outputs = zip(signature.output_specs, cast("Sequence[object]", results), strict=True)
    inputs = zip(signature.input_specs, program.graph.find_nodes(op="placeholder"), strict=True)
    return ComplexPlaces(
        _complex(node for spec, node in inputs if spec.kind is InputKind.USER_INPUT),
        _complex(node for spec, node in outputs if spec.kind in _RESULTS),
    )


def _complex(nodes: Iterable[object]) -> frozenset[int]:
    values = (node.meta.get("val") if isinstance(node, fx.Node) else None for node in nodes)
    return frozenset(i for i, value in enumerate(values) if isinstance(value, torch.Tensor) and value.is_complex())


def read_signature(program: ExportedProgram, graph: fx.Graph, pairs: ComplexPlaces) -> Signature:
    """Return the signature of `graph`, a copy of the program's graph: user inputs first, then the used weights.

    Tied weights become one argument: uses of the others in `graph` are replaced by the first. `pairs` are the places of
    pairs of reals that are complex numbers for the user.
    """
    specs = program.graph_signature.input_specs
    placeholders = list(zip(specs, graph.find_nodes(op="placeholder"), strict=True))
    signature = Signature({}, {}, [], {})
    inputs = _read_inputs(program, placeholders, signature, pairs.inputs)
    _read_weights(program, placeholders, signature)
    _read_outputs(program, graph, inputs, signature, pairs.outputs)
    return signature


def _read_inputs(
    program: ExportedProgram,
    placeholders: list[tuple[InputSpec, fx.Node]],
    signature: Signature,
    pairs: Collection[int],
) -> dict[str, str]:
    """Add the user inputs, with numbers and None as literals; return each name by that of its placeholder."""
    inputs = [(spec, node) for spec, node in placeholders if spec.kind == InputKind.USER_INPUT]
    names = unique(input_names(program), {spec.target for spec, _ in placeholders if spec.target})
    for place, (name, (spec, node)) in enumerate(zip(names, inputs, strict=True)):
        if isinstance(spec.arg, ConstantArgument):
            signature.literals[node] = spec.arg.value
        else:
            signature.arguments[node] = Argument(name, "input", _type_of(node, f"input `{name}`"), place in pairs)
    return {spec.arg.name: name for name, (spec, _) in zip(names, inputs, strict=True)}


def _read_weights(
    program: ExportedProgram, placeholders: list[tuple[InputSpec, fx.Node]], signature: Signature
) -> None:
    """Add the weights that are read or updated; tied ones once."""
    updated = set(program.graph_signature.buffers_to_mutate.values())
    weights = [(spec, node) for spec, node in placeholders if spec.kind != InputKind.USER_INPUT]
    first: dict[object, fx.Node] = {}
    for spec, node in weights:
        original = first.setdefault(_identity(_data(program, spec)), node)
        if original is not node and spec.target not in updated:
            node.replace_all_uses_with(original)
    for spec, node in weights:
        if node.users or spec.target in updated:
            _add_weight(node, spec, _data(program, spec), signature, updated=spec.target in updated)


def _add_weight(node: fx.Node, spec: InputSpec, tensor: torch.Tensor, signature: Signature, *, updated: bool) -> None:
    """Add a small tensor outside of the model's state as a literal, and others as arguments."""
    name = str(spec.target)
    kind = _KINDS[spec.kind]
    constant = kind == "constant" or (spec.persistent is False and not updated)
    if constant and tensor.nbytes <= INLINE_BYTES and not tensor.is_meta:
        signature.literals[node] = tensor
        return
    signature.arguments[node] = Argument(name, kind, _type_of(node, f"{kind} `{name}`"))
    signature.weights[name] = tensor.detach()


_KINDS: dict[InputKind, ArgumentKind] = {
    InputKind.PARAMETER: "parameter",
    InputKind.BUFFER: "buffer",
    InputKind.CONSTANT_TENSOR: "constant",
}


def _data(program: ExportedProgram, spec: InputSpec) -> torch.Tensor:
    """Return the tensor of a placeholder; non-persistent buffers are in `constants`."""
    name = str(spec.target)
    value = program.state_dict[name] if name in program.state_dict else program.constants.get(name)
    if not isinstance(value, torch.Tensor):
        raise SourceError(f"the program holds `{name}`, which is not a tensor")
    if value.layout is not torch.strided:
        layout = str(value.layout).removeprefix("torch.")
        raise SourceError(f"`{name}` is a tensor of layout {layout}", hint="make it dense: `tensor.to_dense()`")
    return value


def _identity(tensor: torch.Tensor) -> object:
    """Return a key that is equal for tensors with the same memory and layout."""
    address = tensor.data_ptr() if tensor.device.type == "cpu" else 0
    return (address, tensor.dtype, tensor.shape, tensor.stride()) if address else id(tensor)


_RESULTS = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
_GRADIENTS = (OutputKind.GRADIENT_TO_PARAMETER, OutputKind.GRADIENT_TO_USER_INPUT)
_LOSS, _GRADIENT = "loss", "gradient."
"""Names in a graph with a backward pass; gradients are those of parameters and inputs by name."""


def _read_outputs(
    program: ExportedProgram, graph: fx.Graph, inputs: dict[str, str], signature: Signature, places: Collection[int]
) -> None:
    """Add the user's tensor outputs and gradients, then the new values of buffers and inputs."""
    results = cast("tuple[fx.Node, ...]", graph.output_node().args[0])
    pairs = list(zip(program.graph_signature.output_specs, results, strict=True))
    users = [(spec, node) for spec, node in pairs if spec.kind in _RESULTS]
    gradients = [(spec, node) for spec, node in pairs if spec.kind in _GRADIENTS]
    given = {**_by_place(program, inputs), **inputs}
    said = zip(output_names(program, len(users)), users, strict=True)
    names = [_LOSS if spec.kind == OutputKind.LOSS_OUTPUT else name for name, (spec, _) in said]
    names += [_GRADIENT + given.get(str(spec.target), str(spec.target)) for spec, _ in gradients]
    for place, (name, (spec, node)) in enumerate(zip(unique(names), [*users, *gradients], strict=True)):
        if isinstance(spec.arg, TensorArgument):
            t = _type_of(node, f"output `{name}`")
            signature.outputs.append((node, GraphOutput(name, t, is_complex=place in places)))
    for spec, node in pairs:
        if spec.kind not in (*_RESULTS, *_GRADIENTS):
            target = inputs.get(str(spec.target), str(spec.target))
            signature.outputs.append((node, GraphOutput(target, _type_of(node, f"update of `{target}`"), target)))


def _by_place(program: ExportedProgram, inputs: dict[str, str]) -> dict[str, str]:
    """Return inputs by PyTorch's names for their positions, which gradients keep after a renaming."""
    placed = enumerate(program.graph_signature.input_specs)
    return {f"arg{i}_1": inputs[spec.arg.name] for i, spec in placed if spec.arg.name in inputs}


def _type_of(node: fx.Node, what: str) -> TensorType:
    value = node.meta["val"]
    if not isinstance(value, torch.Tensor):
        raise SourceError(f"{what} is not a tensor")
    if value.dtype not in DTYPES:
        raise SourceError(f"{what} is {value.dtype}", hint=f"use one of {', '.join(map(str, DTYPES))}")
    return TensorType(tuple(value.shape), DTYPES[value.dtype])
