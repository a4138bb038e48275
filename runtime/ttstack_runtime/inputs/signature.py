"""Checks given values against the inputs that a function declares."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

import numpy as np

from ttstack.diagnostics import InputError
from ttstack.ops.types import DType, ElementType, QuantType, TensorType
from ttstack.program.records import Function
from ttstack_runtime.kernels.table import Array

_KINDS = {"b": "truth values", "i": "integers", "u": "integers", "f": "real numbers"}


def check_inputs(function: Function, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inputs in the function's logical types, by name; an array that fits already is not copied.

    Parameters can be among them: values for this run in place of those that the program has. Reals become
    narrower reals and integers narrower integers where every value stays in range.

    Raises:
        InputError: names, shapes or kinds do not fit, or values are out of range; all faults in one error.
    """
    wanted = {name: tensor.type for name, tensor in function.arguments.items()}
    known = {name: tensor.type for name, tensor in function.parameters.items()} | wanted
    given = {name: np.asarray(value) for name, value in inputs.items()}
    faults = [f"'{name}' is missing: {t}" for name, t in wanted.items() if name not in given]
    faults += [_unknown(name, known) for name in given.keys() - known.keys()]
    cast: dict[str, np.ndarray] = {}
    for name in known.keys() & given.keys():
        fault = _fault(given[name], known[name])
        if fault is None:
            with np.errstate(over="ignore"):
                cast[name] = given[name].astype(known[name].dtype.numpy, copy=False)
        else:
            faults.append(f"'{name}' {fault}")
    if faults:
        declared = ", ".join(f"{name}: {t}" for name, t in wanted.items())
        raise InputError(
            f"inputs do not fit '{function.name}'",
            notes=tuple(sorted(faults)),
            hint=f"it takes {declared or 'none'}",
        )
    return cast


def _unknown(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"'{name}' is no input" + (f"; did you mean '{close[0]}'?" if close else "")


def _fault(value: Array, t: TensorType) -> str | None:
    """Why the value does not fit the type; None where it does, or can be cast without loss of range."""
    if value.shape != t.shape:
        return f"has shape {list(value.shape)}, not {list(t.shape)}"
    target = t.dtype.numpy
    kind, wanted = _kind(value.dtype), "real numbers" if t.dtype.is_float else _KINDS[target.kind]
    if value.dtype == target:
        return None
    if kind == wanted == "real numbers":
        return _overflow(value, t.dtype)
    if kind in ("integers", "truth values") and wanted != "real numbers":
        return _out_of_range(value, t.dtype)
    return f"holds {kind} ({value.dtype}), not {wanted} ({t.dtype})"


def _kind(dtype: np.dtype) -> str:
    if dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        return "real numbers"
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
    for worst in (int(value.min()), int(value.max())):
        if not low <= worst <= high:
            return f"has the value {worst}, {target} holds {low} to {high}"
    return None


def _range(target: ElementType) -> tuple[int, int]:
    if target is DType.I1:
        return 0, 1
    return target.range if isinstance(target, QuantType) else (np.iinfo(target.numpy).min, np.iinfo(target.numpy).max)
