"""How a family module declares which of its callables are kernels."""

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Kernel: TypeAlias = Callable[..., Any]


class KernelTable:
    """The kernels of one family by op mnemonic; nothing else that the module holds is a kernel.

    Every kernel runs with NumPy's floating point warnings off: overflow, division by zero and NaN give the
    IEEE or the documented value. A kernel never writes to an operand, except those whose op mutates a cache,
    and its result, an array or a tuple of arrays, can be a view of an operand.
    """

    def __init__(self, kernels: Mapping[str, Kernel] | None = None) -> None:
        self._kernels = {name: _quiet(kernel) for name, kernel in (kernels or {}).items()}

    def __call__(self, function: Kernel) -> Kernel:
        """Register `function` under its name, less a trailing underscore; use as a decorator."""
        kernel = _quiet(function)
        self._kernels[function.__name__.removesuffix("_")] = kernel
        return kernel

    @property
    def by_name(self) -> Mapping[str, Kernel]:
        """The kernels by mnemonic, read only."""
        return MappingProxyType(self._kernels)


def _quiet(function: Kernel) -> Kernel:
    """`function` without warnings, and with arrays where NumPy gives scalars."""
    if isinstance(function, np.ufunc):
        return _quiet(_without_options(function))

    @wraps(function)
    def run(*operands: Any, **attributes: Any) -> Any:
        with np.errstate(all="ignore"):
            result = function(*operands, **attributes)
        return np.asarray(result) if np.isscalar(result) else result

    return run


def _without_options(ufunc: np.ufunc) -> Kernel:
    """A ufunc of its operands alone: an attribute never reaches `dtype`, `out` or `where`."""

    def run(*operands: Any) -> Any:
        return ufunc(*operands)

    run.__name__, run.__doc__ = ufunc.__name__, ufunc.__doc__
    return run
