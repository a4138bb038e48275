"""Functions of complex tensors that PyTorch's `ComplexTensor` lacks, by those that it has, and by both parts alike."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_aten = torch.ops.aten
Function = Callable[..., Any]


def pair(re: Tensor, im: Tensor) -> Tensor:
    """Return the complex tensor of two real ones."""
    from torch._subclasses.complex_tensor import ComplexTensor

    return ComplexTensor(re, im)


def is_complex(value: Any) -> bool:
    """Return True for a complex tensor."""
    return isinstance(value, Tensor) and value.is_complex()


def _each(function: Any) -> Function:
    """Return a function of a complex tensor that treats both parts alike, with one result or several."""

    def of_parts(x: Any, *rest: Any, **named: Any) -> Any:
        if not is_complex(x):
            return function(x, *rest, **named)
        re, im = (function(part, *rest, **named) for part in (x.re, x.im))
        return pair(re, im) if isinstance(re, Tensor) else [pair(*parts) for parts in zip(re, im, strict=True)]

    return of_parts


def _pad(x: Any, padding: Sequence[int], mode: str = "constant", value: complex | None = None) -> Tensor:
    if not is_complex(x):
        return torch.nn.functional.pad(x, list(padding), mode, None if value is None else float(value.real))
    if mode == "circular":
        return pair(*(_wrap(part, padding) for part in (x.re, x.im)))
    number = complex(value or 0)
    given = (number.real, number.imag) if mode == "constant" else (None, None)
    return pair(*(torch.nn.functional.pad(p, list(padding), mode, v) for p, v in zip((x.re, x.im), given, strict=True)))


def _wrap(x: Tensor, padding: Sequence[int]) -> Tensor:
    """Pad each of the last dimensions with elements of its other end."""
    for i, (before, after) in enumerate(zip(padding[::2], padding[1::2], strict=True)):
        dim, size = x.dim() - 1 - i, x.shape[-1 - i]
        x = torch.cat([x.narrow(dim, size - before, before), x, x.narrow(dim, 0, after)], dim)
    return x


def _index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    if not is_complex(x):
        return _aten.index_put.default(x, indices, values, accumulate)
    parts = (values.re, values.im) if is_complex(values) else (values, torch.zeros_like(values))
    put = _aten.index_put.default
    return pair(*(put(p, indices, v, accumulate) for p, v in zip((x.re, x.im), parts, strict=True)))


def _multiply(x: Any, y: Any) -> Tensor:
    if is_complex(x) and is_complex(y):
        return x * y
    number, real = (x, y) if is_complex(x) else (y, x)
    return pair(number.re * real, number.im * real)


def _add(x: Any, y: Any, alpha: Any = 1) -> Tensor:
    return _sum(x, y, alpha)


def _subtract(x: Any, y: Any, alpha: Any = 1) -> Tensor:
    return _sum(x, y, -alpha)


def _sum(x: Any, y: Any, alpha: Any) -> Tensor:
    """`x + alpha y`, of which one can be real."""
    if isinstance(alpha, complex):
        return _both(x) + _both(y) * alpha
    (a, b), (c, d) = _parts(x), _parts(y)
    re = a + c if alpha == 1 else a - c if alpha == -1 else a + alpha * c
    if b is None:
        assert d is not None
        im = (d if alpha == 1 else alpha * d).expand(re.shape)
    elif d is None:
        im = b.expand(re.shape)
    else:
        im = b + d if alpha == 1 else b - d if alpha == -1 else b + alpha * d
    return pair(re, im.contiguous())


def _parts(x: Any) -> tuple[Tensor, Tensor | None]:
    return (x.re, x.im) if is_complex(x) else (x, None)


def _both(x: Any) -> Any:
    """Return a complex tensor; a real one has no imaginary part."""
    return x if is_complex(x) else pair(x, torch.zeros_like(x))


def _divide(x: Any, y: Any) -> Tensor:
    if is_complex(y):
        return _both(x) / y
    return pair(x.re / y, x.im / y)


def _where(condition: Tensor, x: Any, y: Any) -> Tensor:
    parts = zip(*(_real_and_imaginary(v) for v in (x, y)), strict=True)
    return pair(*(torch.where(condition, a, b) for a, b in parts))


def _real_and_imaginary(x: Any) -> tuple[Any, Any]:
    """Return both parts of a tensor or a number."""
    if is_complex(x):
        return x.re, x.im
    return (x, torch.zeros_like(x)) if isinstance(x, Tensor) else (float(x.real), float(x.imag))


def _acosh(x: Any) -> Tensor:
    """`log(x + sqrt(x + 1) sqrt(x - 1))`, whose cut is on the left of 1."""
    return torch.log(x + torch.sqrt(x + 1) * torch.sqrt(x - 1))


def _addcmul(x: Any, a: Any, b: Any, value: Any = 1) -> Tensor:
    return x + a * b * value


def _baddbmm(x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return x * beta + torch.bmm(a, b) * alpha


ALIKE: dict[Any, Function] = {
    op: _each(op)
    for op in (
        _aten.roll.default,
        _aten.tril.default,
        _aten.triu.default,
        _aten.diag_embed.default,
        _aten.unbind.int,
        _aten.unfold.default,
        _aten.rot90.default,
        _aten.index_copy.default,
    )
}
"""Ops that treat both parts alike."""

FUNCTIONS: dict[Any, Function] = {
    _aten.exp2.default: lambda x: torch.exp(x * math.log(2)),
    _aten.log2.default: lambda x: torch.log(x) * (1 / math.log(2)),
    _aten.log10.default: lambda x: torch.log(x) * (1 / math.log(10)),
    _aten.sigmoid.default: lambda x: (torch.tanh(x * 0.5) + 1) * 0.5,
    _aten.acosh.default: _acosh,
    _aten.isfinite.default: lambda x: torch.isfinite(x.re) & torch.isfinite(x.im),
    _aten.trace.default: lambda x: torch.diagonal(x).sum(-1),
    _aten.mv.default: lambda a, x: torch.mm(a, x.unsqueeze(-1)).squeeze(-1),
    _aten.vdot.default: lambda x, y: (torch.conj_physical(x) * y).sum(),
    _aten.std.correction: lambda x, *given, **named: torch.sqrt(torch.var(x, *given, **named)),
    _aten.addcmul.default: _addcmul,
    _aten.baddbmm.default: _baddbmm,
    _aten.lerp.Scalar: lambda x, y, weight: x + (y - x) * weight,
    _aten.lerp.Tensor: lambda x, y, weight: x + (y - x) * weight,
    _aten.index_put.default: _index_put,
}
"""Functions of complex tensors."""

MIXED: dict[Any, Function] = {
    _aten.mul.Tensor: _multiply,
    _aten.add.Tensor: _add,
    _aten.sub.Tensor: _subtract,
    _aten.div.Tensor: _divide,
    _aten.where.self: _where,
}
"""Functions of complex tensors and real ones."""

COMPOSITE: dict[Any, Function] = {
    _aten.pad.default: _pad,
    _aten.isfinite.default: FUNCTIONS[_aten.isfinite.default],
    _aten.where.ScalarOther: _where,
    _aten.where.ScalarSelf: _where,
}
"""Ops that PyTorch writes out, with ops that `ComplexTensor` lacks."""
