"""Fourier transforms: the custom ops of `ttstack.frontends.torch.fourier`."""

from collections.abc import Sequence

from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("torch.ttstack.fourier", to="fourier")
def _fourier(call: TorchOp) -> Sequence[ir.Value]:
    """Both parts of `fft`, `ifft` or `rfft`."""
    imaginary = [] if call.is_none(1) else [call.tensor(1)]
    dim, inverse, onesided, divisor, root = call.integer(2), call.flag(3), call.flag(4), call.integer(5), call.flag(6)
    attributes = {"dim": dim, "inverse": inverse, "onesided": onesided, "divisor": divisor, "root": root}
    return list(ttir.fourier(call.tensor(0), *imaginary, **attributes))


@CONVERSIONS("torch.ttstack.real_fourier", to="real_fourier")
def _real_fourier(call: TorchOp) -> ir.Value:
    """The result of `irfft`."""
    dim, size, divisor, root = call.integer(2), call.integer(3), call.integer(4), call.flag(5)
    return ttir.real_fourier(call.tensor(0), call.tensor(1), dim=dim, size=size, divisor=divisor, root=root)
