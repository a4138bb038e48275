"""In which number formats values are held between ops."""

import numpy as np

from ttstack.device.device_op import Fidelity
from ttstack.diagnostics import InputError
from ttstack.ops.types import DType, ElementType
from ttstack.program.records import Tensor
from ttstack_runtime.kernels.table import Array
from ttstack_runtime.numerics import is_truncated, quantize, truncate_for_fidelity

_ROUNDED = frozenset(d for d in DType if d.is_float and d.bits < DType.F32.bits)


class _Held(dict[ElementType, np.dtype]):
    """NumPy types of arrays by element type."""

    def __missing__(self, dtype: ElementType) -> np.dtype:
        """Quantized values are held as the integers that are stored."""
        return dtype.numpy


_HELD = _Held({d: np.dtype(np.float32) if d in _ROUNDED else d.numpy for d in DType})


class Ieee:
    """The logical types as they are: kernels compute bf16 and f16 in float32, and each result is rounded.

    f32 and f64 follow IEEE 754, layouts do not change a value, and matrix multiplications use all bits.
    """

    held = _HELD
    """By element type, the NumPy type in which arrays are held and kernels see them."""

    def format(self, tensor: Tensor) -> ElementType:
        """The format that the tensor's values are rounded to."""
        return tensor.type.dtype

    def load(self, array: Array, tensor: Tensor) -> Array:
        """Values given from outside as kernels see them: the array itself where nothing changes."""
        given = array.dtype
        held = array.astype(self.held[tensor.type.dtype], copy=False)
        target = self.format(tensor)
        return held if given == target.numpy != held.dtype else self.round(held, tensor.type.dtype, target)

    def store(self, result: Array, tensor: Tensor, *, rounded: bool) -> Array:
        """A kernel's result as the tensor holds it; what is `rounded` has its format already."""
        held = result.astype(self.held[tensor.type.dtype], copy=False)
        target = self.format(tensor)
        return held if rounded else self.round(held, tensor.type.dtype, target)

    def cast(self, value: Array, dtype: DType) -> Array:
        """A value inside of an op that becomes another element type there."""
        held = value.astype(self.held[dtype], copy=False)
        return _round(held, dtype)

    def round(self, held: Array, source: ElementType, target: ElementType) -> Array:  # noqa: ARG002 they are the same
        """Values of the element type `source` in the format `target`."""
        return _round(held, target)

    def truncates(self, tensor: Tensor, side: int, fidelity: Fidelity) -> bool:  # noqa: ARG002 exact
        """Whether `multiplier_input` can be other than the tensor's values."""
        return False

    def multiplier_input(self, operand: Array, side: int, fidelity: Fidelity) -> Array:  # noqa: ARG002 exact
        """What a matrix multiplication takes of its operand on `side` 0 or 1."""
        return operand

    def copies(self, tensor: Tensor, given: np.dtype) -> bool:
        """Whether `load` of an array of type `given` makes another one."""
        held = self.held[tensor.type.dtype]
        return given != held or self.format(tensor) in _ROUNDED


class Device(Ieee):
    """What the device holds: every real tensor in its layout's format, matrix operands cut to the fidelity.

    All reals are computed in float32. Integers and truth values keep their logical types.
    """

    held = _Held(_HELD | {DType.F64: np.dtype(np.float32)})

    def format(self, tensor: Tensor) -> ElementType:
        """The layout's format for real numbers."""
        return tensor.layout.dtype if tensor.type.dtype.is_float else tensor.type.dtype

    def round(self, held: Array, source: ElementType, target: ElementType) -> Array:
        """What is finite in the source stays so in a narrower format: the largest number that it has."""
        return _round(held, target, saturate=source != target)

    def truncates(self, tensor: Tensor, side: int, fidelity: Fidelity) -> bool:
        """Where the fidelity leaves out bits of the tensor's format."""
        dtype = self.format(tensor)
        return isinstance(dtype, DType) and dtype.is_float and is_truncated(dtype, fidelity, operand=side)

    def multiplier_input(self, operand: Array, side: int, fidelity: Fidelity) -> Array:
        """The bits that the fidelity feeds to the multiplier; integers are exact."""
        if operand.dtype != np.float32:
            return operand
        return truncate_for_fidelity(operand.astype(np.float32, copy=False), fidelity, operand=side)


class Exact(Ieee):
    """All reals in float64, without rounding: programs that compute the same differ by less than float32 rounds."""

    held = _Held(_HELD | {d: np.dtype(np.float64) for d in DType if d.is_float})

    def round(self, held: Array, source: ElementType, target: ElementType) -> Array:  # noqa: ARG002  (as it is)
        """Return the values unchanged."""
        return held

    def cast(self, value: Array, dtype: DType) -> Array:
        """Return a value inside of an op as another element type; all reals are one."""
        return value.astype(self.held[dtype], copy=False)

    def copies(self, tensor: Tensor, given: np.dtype) -> bool:
        """Return True if `load` of an array of type `given` makes another one."""
        return given != self.held[tensor.type.dtype]


_BY_NAME = {"ieee": Ieee(), "device": Device(), "exact": Exact()}


def precision(numerics: str) -> Ieee:
    """The rules of that name.

    Raises:
        InputError: there are none.
    """
    if numerics not in _BY_NAME:
        raise InputError(f"numerics is '{numerics}'", hint="give 'ieee' or 'device'")
    return _BY_NAME[numerics]


def _round(held: Array, target: ElementType, *, saturate: bool = False) -> Array:
    """Values in the format, where it is narrower than float32."""
    if target not in _ROUNDED:
        return held
    return quantize(held.astype(np.float32, copy=False), str(target), saturate=saturate)
