"""Inputs of a function, and its weights in a separate file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ttstack.device.layout import MemoryLayout, MemorySpace
from ttstack.ops.base import OPS
from ttstack.ops.conv import Convolution
from ttstack.program.records import Function, Tensor, TensorKind
from ttstack.ttnn_python.expression import Call, Name, spell
from ttstack.ttnn_python.spelling import Constants, data_type, is_turned, layout

Use = tuple[str, str]
"""Mnemonic of an op, and the name of one of its operands."""


@dataclass(frozen=True)
class Given:
    """All tensors that exist when the function starts."""

    tensors: tuple[Tensor, ...]
    on_host: frozenset[int]
    """Weights that the library prepares from the host."""

    @staticmethod
    def of(function: Function) -> "Given":
        """Create it from a function; uses of views count as uses of the tensor."""
        used = _uses(function)
        return Given(
            tensors=tuple(function.tensors[i] for i in function.inputs),
            on_host=frozenset(i for i, uses in used.items() if all(map(_of_convolution, uses))),
        )

    @property
    def variables(self) -> Mapping[int, str]:
        """The expression of each tensor in the body."""
        return {tensor.id: f"t[{spell(tensor.name)}]" for tensor in self.tensors}

    def tables(self, constants: Constants) -> str:
        """Return the declarations of inputs, and of parameters and constants."""
        inputs = [t for t in self.tensors if t.kind is TensorKind.INPUT]
        weights = [t for t in self.tensors if t.kind is not TensorKind.INPUT]
        tables = {"INPUTS": inputs, "WEIGHTS": weights}
        return "\n\n".join("\n".join(self._table(name, held, constants)) for name, held in tables.items())

    def _table(self, name: str, tensors: list[Tensor], constants: Constants) -> Iterator[str]:
        yield f"{name} = {{"
        for tensor in tensors:
            key = spell(tensor.name)
            yield f"    {key}: {spell(self._declared(tensor, constants), 4, len(key) + 3)},"
        yield "}"

    def _declared(self, tensor: Tensor, constants: Constants) -> Call:
        if tensor.id in self.on_host:
            rows = Name("ttnn.ROW_MAJOR_LAYOUT")
            return Call("Tensor", (list(tensor.type.shape), Name("ttnn.bfloat16"), rows, Name("None")))
        return declare(tensor, constants)


def declare(tensor: Tensor, constants: Constants) -> Call:
    """Return the device form of a tensor."""
    if is_turned(tensor.layout):
        return _turned(tensor, constants)
    held_on_host = tensor.layout.memory_space is MemorySpace.SYSTEM_MEMORY
    memory = Name("None") if held_on_host else constants.memory(tensor.layout, tensor.type)
    held = data_type(tensor.layout.dtype)
    return Call("Tensor", (list(tensor.type.shape), held, layout(tensor.layout), memory))


def _turned(tensor: Tensor, constants: Constants) -> Call:
    *lead, rows, columns = tensor.type.shape
    t, placed = (
        tensor.type.with_shape((*lead, columns, rows)),
        replace(tensor.layout, memory_layout=MemoryLayout.WIDTH_SHARDED),
    )
    given = (list(t.shape), data_type(placed.dtype), layout(placed), constants.memory(placed, t))
    return Call("Tensor", given, {"turned": True})


def _uses(function: Function) -> dict[int, list[Use]]:
    """Return all uses of each given tensor, with those of its views."""
    owners, inputs, found = function.owners, set(function.inputs), dict[int, list[Use]]()
    for op in function.operations:
        if any(result in function.aliases for result in op.results):
            continue
        for tensor, place in zip(op.operands, OPS[op.name].places(len(op.operands)), strict=True):
            if tensor is not None and owners[tensor] in inputs:
                found.setdefault(owners[tensor], []).append((op.name, place))
    outputs = {owners[output.tensor] for output in function.outputs}
    return {tensor: uses for tensor, uses in found.items() if tensor not in outputs}


def _of_convolution(use: Use) -> bool:
    mnemonic, place = use
    return issubclass(OPS[mnemonic], Convolution) and place in ("weight", "bias")
