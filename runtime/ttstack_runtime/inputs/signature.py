"""Checks given values against the inputs that a function declares."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from ttstack.diagnostics import InputError
from ttstack.ops.types import ComplexType, DType, ElementType, QuantType, TensorType
from ttstack.program.complex_values import interleave
from ttstack.program.records import Function
from ttstack.program.run_inputs import say_argument
from ttstack.support.suggestion import did_you_mean
from ttstack_runtime.kernels.table import Array


class Form(Protocol):
    """What is known of an array before its values."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the values."""
        ...


_KINDS = {"b": "truth values", "i": "integers", "u": "integers", "f": "real numbers", "c": "complex numbers"}


def check_inputs(function: Function, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inputs in the function's logical types, by name; an array that fits already is not copied.

    Parameters can be among them: values for this run in place of those that the program has. Reals become
    narrower reals and integers narrower integers where every value stays in range.

    Raises:
        InputError: names, shapes or kinds do not fit, or values are out of range; all faults in one error.
    """
    known = _types(function)
    given = {name: np.asarray(value) for name, value in inputs.items()}
    faults = _form_faults(function, given)
    cast: dict[str, np.ndarray] = {}
    for name in known.keys() & given.keys() - faults.keys():
        t = known[name]
        value = interleave(given[name]) if isinstance(t, ComplexType) else given[name]
        fault = _value_fault(value, t.dtype)
        if fault is None:
            with np.errstate(over="ignore"):
                cast[name] = value.astype(t.dtype.numpy, copy=False)
        else:
            faults[name] = fault
    _refuse(function, faults)
    return cast


def check_forms(function: Function, inputs: Mapping[str, Form]) -> None:
    """Names, shapes and kinds of values, before there are values.

    Raises:
        InputError: they do not fit; all faults in one error.
    """
    _refuse(function, _form_faults(function, inputs))


def _types(function: Function) -> dict[str, TensorType]:
    """What can be given, by name."""
    return {name: tensor.given_type for name, tensor in (function.parameters | function.arguments).items()}


def _form_faults(function: Function, given: Mapping[str, Form]) -> dict[str, str]:
    known = _types(function)
    missing = {name: f"is missing: {known[name]}" for name in function.arguments if name not in given}
    unknown = {name: _unknown(name, known) for name in given.keys() - known.keys()}
    pairs = {name: _form_fault(given[name], known[name]) for name in known.keys() & given.keys()}
    return missing | unknown | {name: fault for name, fault in pairs.items() if fault}


def _refuse(function: Function, faults: Mapping[str, str]) -> None:
    if faults:
        declared = ", ".join(map(say_argument, function.arguments.items()))
        raise InputError(
            f"inputs do not fit '{function.name}'",
            notes=tuple(sorted(f"'{name}' {fault}" for name, fault in faults.items())),
            hint=f"it takes {declared or 'none'}",
        )


def _unknown(name: str, known: Iterable[str]) -> str:
    meant = did_you_mean(name, known)
    return "is not an input" + (f"; {meant}" if meant else "")


def _form_fault(given: Form, t: TensorType) -> str | None:
    """Why no values of this form fit the type; None where some can be cast without loss of range."""
    if isinstance(t, ComplexType) and given.shape == (*t.shape, 2) and _kind(given.dtype) == "real numbers":
        return f"holds pairs of real numbers, not complex numbers ({t.numpy}): give x[..., 0] + 1j * x[..., 1]"
    if given.shape != t.shape:
        return f"has shape {list(given.shape)}, not {list(t.shape)}"
    if isinstance(t, ComplexType):
        kind = _kind(given.dtype)
        return None if given.dtype.kind == "c" else f"holds {kind} ({given.dtype}), not complex numbers ({t.numpy})"
    kind, wanted = _kind(given.dtype), "real numbers" if t.dtype.is_float else _KINDS[t.dtype.numpy.kind]
    integers = kind in ("integers", "truth values") and wanted != "real numbers"
    if given.dtype == t.dtype.numpy or integers or kind == wanted == "real numbers":
        return None
    return f"holds {kind} ({given.dtype}), not {wanted} ({t.dtype})"


def _value_fault(value: Array, target: ElementType) -> str | None:
    """Why the values do not fit, whose form does."""
    if value.dtype == target.numpy:
        return None
    return _overflow(value, target) if target.is_float else _out_of_range(value, target)


def _kind(dtype: np.dtype) -> str:
    """Return the kind of values of a type; those of ml_dtypes are known by name."""
    for prefix, kind in (("bfloat", "f"), ("float", "f"), ("int", "i"), ("uint", "u")):
        if dtype.name.startswith(prefix):
            return _KINDS[kind]
    return _KINDS.get(dtype.kind, "other values")


def _overflow(value: Array, target: ElementType) -> str | None:
    if value.dtype.itemsize <= target.numpy.itemsize and value.dtype.name != "float16":
        return None
    with np.errstate(over="ignore"):
        lost = np.isinf(value.astype(target.numpy)) & np.isfinite(value)
    return f"has values beyond the range of {target}, such as {value[lost].flat[0]}" if lost.any() else None


def _out_of_range(value: Array, target: ElementType) -> str | None:
    if not value.size or value.dtype.kind == "b":
        return None
    low, high = _range(target)
    value = value.astype(np.int64) if value.dtype.kind == "V" else value  # integers of fewer than 8 bits
    for worst in (int(value.min()), int(value.max())):
        if not low <= worst <= high:
            return f"has the value {worst}, {target} holds {low} to {high}"
    return None


def _range(target: ElementType) -> tuple[int, int]:
    if target is DType.I1:
        return 0, 1
    return target.range if isinstance(target, QuantType) else (np.iinfo(target.numpy).min, np.iinfo(target.numpy).max)
