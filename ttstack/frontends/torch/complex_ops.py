"""ATen ops on complex tensors as ops on their real and imaginary parts, which PyTorch's `ComplexTensor` lacks."""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from ttstack.frontends.torch import frames
from ttstack.frontends.torch.complex_functions import ALIKE, FUNCTIONS, MIXED, is_complex, pair
from ttstack.frontends.torch.fourier import fourier, real_fourier

_aten = torch.ops.aten
PARTS = ("real", "imag")
"""The parts of a complex tensor, as its attributes and the names of parameters have them."""


class ComplexOps(TorchDispatchMode):
    """Gives complex results as pairs, of ops whose operands are real."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if (found := _function(func, args)) is not None:
            return found(*args, **kwargs)
        has_number = any(isinstance(a, complex) for a in args)
        dtype = kwargs.get("dtype") or (torch.complex64 if has_number else torch.float32)
        if func in _CREATED and dtype.is_complex:
            return _created(func, args, kwargs, dtype)
        if has_number and not any(map(is_complex, args)):
            args = tuple(
                pair(a, torch.zeros_like(a)) if isinstance(a, Tensor) and i == 0 else a for i, a in enumerate(args)
            )
        return func(*args, **kwargs)


def _function(func: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Return what computes an op here instead of in PyTorch."""
    if func in _MADE:
        return _MADE[func]
    tensors = [is_complex(a) for a in args if isinstance(a, Tensor)]
    if func in MIXED and True in tensors and False in (is_complex(a) for a in args[-2:] if isinstance(a, Tensor)):
        return MIXED[func]
    return (FUNCTIONS | ALIKE).get(func) if any(tensors) else None


def view_as_complex(x: Tensor) -> Tensor:
    """Return the complex tensor [...] of pairs of reals [..., 2]."""
    return pair(x.select(-1, 0), x.select(-1, 1))


def view_as_real(x: Any) -> Tensor:
    """Return a complex tensor [...] as pairs of reals [..., 2]."""
    return torch.stack([x.re, x.im], -1)


def _polar(r: Tensor, angle: Tensor) -> Tensor:
    return pair(r * torch.cos(angle), r * torch.sin(angle))


def _from_real(x: Tensor, dtype: torch.dtype) -> Tensor:
    x = x.to(dtype.to_real())
    return pair(x, torch.zeros_like(x))


def _created(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: torch.dtype) -> Tensor:
    real = {**kwargs, "dtype": dtype.to_real()}
    if func is _aten._to_copy.default:
        x = args[0]
        return pair(x.re.to(real["dtype"]), x.im.to(real["dtype"])) if is_complex(x) else _from_real(x, dtype)
    value = next((a for a in args if isinstance(a, complex)), None)
    if value is not None:
        parts = [tuple(getattr(a, p) if isinstance(a, complex) else a for a in args) for p in PARTS]
        return pair(func(*parts[0], **real), func(*parts[1], **real))
    re = func(*args, **real)
    return pair(re, torch.zeros_like(re))


_CREATED = (
    _aten._to_copy.default,
    _aten.full.default,
    _aten.zeros.default,
    _aten.ones.default,
    _aten.full_like.default,
    _aten.zeros_like.default,
    _aten.ones_like.default,
)


def _fft_c2c(x: Any, dims: Sequence[int], normalization: int, forward: bool) -> Tensor:
    re, im = (x.re, x.im) if hasattr(x, "re") else (x, None)
    norm = _norm([re.shape[d] for d in dims], normalization)
    for dim in dims:
        re, im = fourier(re, im, dim, not forward, False, *norm)
        norm = _UNSCALED
    return pair(re, cast(Tensor, im))


def _fft_r2c(x: Tensor, dims: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    *others, last = dims
    re, im = fourier(x, None, last, False, onesided, *_norm([x.shape[d] for d in dims], normalization))
    for dim in others:
        re, im = fourier(re, im, dim, False, False, *_UNSCALED)
    return pair(re, im)


def _fft_c2r(x: Any, dims: Sequence[int], normalization: int, size: int) -> Tensor:
    *others, last = dims
    re, im = x.re, x.im
    for dim in others:
        re, im = fourier(re, im, dim, True, False, *_UNSCALED)
    return real_fourier(re, im, last, size, *_norm([*(re.shape[d] for d in others), size], normalization))


def _norm(sizes: Sequence[int], normalization: int) -> tuple[int, bool]:
    """Return the divisor, and whether its square root divides; 0 is no normalization, 1 by the root, 2 by the size."""
    return (math.prod(sizes), normalization == 1) if normalization else _UNSCALED


_UNSCALED = (1, False)


def _copy(target: Any, source: Any, *_: Any) -> Tensor:
    shape = target.shape
    if not is_complex(target):
        return (source.re if is_complex(source) else source).expand(shape).to(target.dtype)
    parts = (source.re, source.im) if is_complex(source) else (source, torch.zeros_like(source))
    return pair(*(part.expand(shape).to(target.re.dtype) for part in parts))


def _stft(x: Any, *given: Any, **named: Any) -> Tensor:
    options = frames.StftOptions(*given, **named)
    re, im = frames.transform_frames(options, *((x.re, x.im) if is_complex(x) else (x, None)))
    return pair(re, im) if options.return_complex else torch.stack([re, im], -1)


def _istft(x: Any, *given: Any, **named: Any) -> Tensor:
    re, im = frames.add_frames(frames.IstftOptions(*given, **named), x.re, x.im)
    return re if im is None else pair(re, im)


_MADE: dict[Any, Callable[..., Any]] = {
    _aten.view_as_complex.default: view_as_complex,
    _aten.view_as_real.default: view_as_real,
    _aten.complex.default: pair,
    _aten.polar.default: _polar,
    _aten._fft_c2c.default: _fft_c2c,
    _aten._fft_r2c.default: _fft_r2c,
    _aten._fft_c2r.default: _fft_c2r,
}
IN_PLACE: dict[Any, Callable[..., Any]] = {
    _aten.stft.default: _stft,
    _aten.istft.default: _istft,
    _aten.copy.default: _copy,
    _aten._assert_tensor_metadata.default: lambda *_, **__: None,
}
"""Ops that PyTorch computes by ops that write to their operands."""
