"""What the kernel tests share: calling a kernel by mnemonic and comparing with a torch result."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ttstack_runtime import kernels
from ttstack_runtime.kernels import kv_cache

_DIGITS = {np.dtype(np.float32): 2e-6, np.dtype(np.float64): 1e-13}


def _run(mnemonic: str, *operands: Any, **attributes: Any) -> Any:
    kernel = kernels.find(mnemonic)
    assert kernel is not None, mnemonic
    if mnemonic not in kv_cache.KERNELS.by_name:
        operands = tuple(_read_only(x) if isinstance(x, np.ndarray) else x for x in operands)
    return kernel(*operands, **attributes)


def _read_only(x: np.ndarray) -> np.ndarray:
    """A view that fails a kernel that writes to its operand."""
    view = x.view()
    view.flags.writeable = False
    return view


def _agree(got: Any, want: Any, *, rtol: float | None = None, atol: float | None = None) -> None:
    """Same type, shape and values; tolerance relative to the type's precision and the largest value."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    digits = _DIGITS.get(got.dtype, 0)
    finite = np.abs(want[np.isfinite(want)]) if want.dtype.kind == "f" else np.zeros(0)
    scale = float(finite.max(initial=0))
    np.testing.assert_allclose(
        got, want, rtol=digits if rtol is None else rtol, atol=digits * scale if atol is None else atol
    )


@pytest.fixture
def run() -> Callable[..., Any]:
    return _run


@pytest.fixture
def agree() -> Callable[..., None]:
    return _agree


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)
