"""A model's shared library in Python: inputs and outputs by name, as NumPy arrays."""

import ctypes
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import BinaryFormatError, ExecutionError, InputError
from ttstack.flatbuffer import safetensors
from ttstack.passes.cpu.interface import VERSION, FunctionInterface, NamedTensor, symbol, weights_of
from ttstack.program.named_functions import named_function

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Outcome:
    """The result of one call: results by name, and updated arguments."""

    outputs: Mapping[str, Array]
    updated: Mapping[str, Array]


class LoadedProgram:
    """Functions of a shared library written by `ttstack`, with their weights."""

    def __init__(
        self, library: ctypes.CDLL, prefix: str, functions: Sequence[FunctionInterface], weights: Mapping[str, Array]
    ) -> None:
        self._library, self._prefix = library, prefix
        self._functions = {f.name: f for f in functions}
        self._order = weights_of(list(functions))
        self._types = {p.name: p for f in functions for p in f.parameters}
        self._weights = {n: _fitting(weights[n], self._types[n]) for n in self._order if n in weights}

    def function(self, name: str | None = None) -> FunctionInterface:
        """Return the function of that name, or the only one.

        Raises:
            InputError: the function does not exist, or there are several and no name is given.
        """
        return named_function(self._functions.values(), name, "the library")

    def run(self, inputs: Mapping[str, Array], function: str | None = None) -> Outcome:
        """Call a function; `inputs` can include parameters, which replace the weights in this call.

        Raises:
            InputError: an input is missing, or has another shape or element type.
            ExecutionError: weights are missing, or an index is out of range.
        """
        found = self.function(function)
        given = [_fitting(_named(inputs, a), a) for a in found.inputs]
        held = self._weights | {n: _fitting(inputs[n], self._types[n]) for n in self._order if n in inputs}
        missing = [p.name for p in found.parameters if p.name not in held]
        if missing:
            raise ExecutionError(
                "weights are missing", notes=(f"no values for {', '.join(missing[:3])}",), hint="give the weights file"
            )
        out = [np.empty(a.type.shape, a.dtype) for a in found.outputs]
        addresses = [held[n].ctypes.data if n in held else None for n in self._order]
        table = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        call = self._library[symbol(self._prefix, found.name)]
        code = call(table, *(ctypes.c_void_p(a.ctypes.data) for a in (*given, *out)))
        if code:
            raise ExecutionError(f"{found.checked.get(code, 'an op')}: an index is out of bounds")
        count = len(found.results)
        names = [found.arguments[i].name for i in found.updated]
        return Outcome(
            dict(zip((r.name for r in found.results), out[:count], strict=True)),
            dict(zip(names, out[count:], strict=True)),
        )


def load(path: str | Path, weights: str | Path | Mapping[str, Array] | None = None) -> LoadedProgram:
    """Load the functions of a library; `weights` is by default the file next to it.

    The library is native code: load only code that you trust.

    Raises:
        BinaryFormatError: it is not a library of `ttstack`, of another version, or its weights are damaged.
    """
    place = Path(path)
    _load_blas(place)
    library = _opened(place)
    prefix, functions = _interface(library, place)
    if isinstance(weights, Mapping):
        return LoadedProgram(library, prefix, functions, weights)
    file = Path(weights) if weights is not None else place.with_suffix(".safetensors")
    found = weights is not None or file.exists()
    return LoadedProgram(library, prefix, functions, _mapped(file, functions) if found else {})


def scipy_blas() -> Path | None:
    """Return the OpenBLAS of SciPy's wheel; None without that wheel."""
    found = find_spec("scipy")
    folder = Path(found.origin or "").parent.parent / "scipy.libs" if found else None
    return next(iter(sorted(folder.glob("libscipy_openblas-*"))), None) if folder else None


def _opened(place: Path) -> ctypes.CDLL:
    """Open the library under a unique name, as the loader would return an earlier one of the same name."""
    with tempfile.TemporaryDirectory(prefix="ttstack-") as folder:
        link = Path(folder) / "model.so"
        link.symlink_to(place.resolve())
        try:
            return ctypes.CDLL(str(link))
        except OSError as error:
            said = str(error).replace(str(link), str(place))
            raise BinaryFormatError("this is not a library that can be loaded", loc=place, notes=(said,)) from error


def _load_blas(place: Path) -> None:
    """Load OpenBLAS of SciPy's wheel for a library that calls it, as no linker finds it there.

    Raises:
        BinaryFormatError: SciPy's wheel is not installed.
    """
    if not place.is_file() or b"scipy_cblas_" not in place.read_bytes():
        return
    library = scipy_blas()
    if library is None:
        raise BinaryFormatError(
            "this library multiplies by the OpenBLAS of SciPy's wheel, which is not installed",
            loc=place,
            hint="pip install scipy, or compile with --blas openblas",
        )
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


def _interface(library: ctypes.CDLL, place: Path) -> tuple[str, list[FunctionInterface]]:
    """Return the library's interface text, whose symbol begins with the prefix."""
    try:
        text = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "ttstack_interface")))
        found = json.loads(text)
        version, functions = found["version"], [FunctionInterface.from_json(json.dumps(f)) for f in found["functions"]]
    except (ValueError, KeyError) as error:
        raise BinaryFormatError("this library is none that ttstack wrote", loc=place) from error
    if version != VERSION:
        raise BinaryFormatError(
            f"this library has calling convention {version}, not {VERSION}", loc=place, hint="compile the model again"
        )
    return found["prefix"], functions


def _mapped(file: Path, functions: Sequence[FunctionInterface]) -> dict[str, Array]:
    content = safetensors.map_file(file)
    return {p.name: safetensors.read(file, content, p.name, p.type) for f in functions for p in f.parameters}


def _named(inputs: Mapping[str, Array], argument: NamedTensor) -> Array:
    if argument.name not in inputs:
        raise InputError(f"input '{argument.name}' is missing", hint=f"it is {argument.type}")
    return inputs[argument.name]


def _fitting(array: Array, argument: NamedTensor) -> Array:
    """Return the array in C form: of the type, row-major."""
    if array.shape != argument.type.shape or array.dtype != argument.dtype:
        have = f"{array.dtype}{list(array.shape)}"
        raise InputError(f"'{argument.name}' is {have}, expected {argument.type}")
    return np.ascontiguousarray(array)
