"""The element formats that a function computes in."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ttstack.ops.types import DType
from ttstack.program.records import Function, Tensor, TensorKind

_SHARE = 0.25
"""Formats that hold less than this share of the elements are left out of the text."""

_SPELLED = {DType.F32: "float32"}


@dataclass(frozen=True)
class ProgramFormats:
    """Formats of real numbers on the device, the most frequent first; of integers if there are no reals."""

    activations: tuple[DType, ...]
    """Formats of inputs and of results of ops."""
    weights: tuple[DType, ...]
    """Formats of parameters and constants."""

    def __str__(self) -> str:
        """Format as `float32`, `bf16`, or `bf16, weights bfp8_b`; empty if there are no tensors."""
        activations, weights = _spell(self.activations), _spell(self.weights)
        if not activations or not weights or self.weights == self.activations[:1]:
            return activations or weights
        return activations if self.weights == self.activations else f"{activations}, weights {weights}"

    @property
    def emulates_float32(self) -> bool:
        """Return True if most activations are float32, which matrix units and lookups compute in several passes."""
        return self.activations[:1] == (DType.F32,)


def program_formats(function: Function) -> ProgramFormats:
    """Count the elements of each format over all tensors of a function."""
    held = (TensorKind.PARAMETER, TensorKind.CONSTANT)
    used = {i for operation in function.operations for i in (*operation.operands, *operation.results)}
    used -= _parts_of_float32(function)
    tensors = [t for t in function.tensors if t.id in used] or list(function.tensors)
    return ProgramFormats(
        _formats(t for t in tensors if t.kind not in held), _formats(t for t in tensors if t.kind in held)
    )


def _parts_of_float32(function: Function) -> set[int | None]:
    """Tables of bf16 that add up to one of float32, and their rows: they are not a format that anybody chose."""
    cast = {op.operands[0] for op in function.operations if op.name == "typecast" and _is_float32(function, op.results)}
    lookups = (op for op in function.operations if op.name == "embedding" and cast.issuperset(op.results))
    return {i for op in lookups for i in (*op.operands, *op.results)}


def _is_float32(function: Function, results: Iterable[int]) -> bool:
    return all(function.tensors[i].layout.dtype is DType.F32 for i in results)


def _formats(tensors: Iterable[Tensor]) -> tuple[DType, ...]:
    elements: Counter[DType] = Counter()
    for tensor in tensors:
        elements[tensor.layout.dtype] += tensor.type.size
    reals = Counter({dtype: n for dtype, n in elements.items() if dtype.is_float}) or elements
    return tuple(dtype for dtype, n in reals.most_common() if n >= _SHARE * reals.total())


def _spell(formats: Iterable[DType]) -> str:
    return " and ".join(_SPELLED.get(dtype, str(dtype)) for dtype in formats)
