"""JAX's counter-based random numbers, where an export for another device calls a kernel for them."""

from functools import partial
from itertools import cycle, islice

from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import scalar
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = StablehloConversionTable()

_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_PARITY = 0x1BD11BDA
"""Constants of Threefry-2x32: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011."""

_ROUNDS = 20


@CONVERSIONS(
    "@cu_threefry2x32",
    "@cu_threefry2x32_ffi",
    "@hip_threefry2x32",
    "@hip_threefry2x32_ffi",
    to="add bitwise_xor bitwise_or logical_left_shift logical_right_shift",
)
def _threefry(call: StablehloOp) -> list[ir.Value]:
    """Threefry-2x32 of 20 rounds, on two words of a key and two of a counter."""
    if len(call.operands) != 4 or {t.dtype for t in call.types} != {DType.UI32}:
        call.refuse("takes other operands than two words of a key and two of a counter, each ui32")
    first, second, *words = call.operands
    xor = partial(_word_op, "bitwise_xor")
    keys = [first, second, xor(xor(first, second), _PARITY)]
    x, y = (_word_op("add", word, key) for word, key in zip(words, keys, strict=False))
    for i, count in enumerate(islice(cycle(_ROTATIONS), _ROUNDS), 1):
        x = _word_op("add", x, y)
        y = xor(_rotate(y, count), x)
        if i % 4 == 0:
            turn = i // 4
            x = _word_op("add", x, keys[turn % 3])
            y = _word_op("add", _word_op("add", y, keys[(turn + 1) % 3]), turn)
    return [x, y]


def _rotate(x: ir.Value, count: int) -> ir.Value:
    return _word_op(
        "bitwise_or", _word_op("logical_left_shift", x, count), _word_op("logical_right_shift", x, 32 - count)
    )


def _word_op(mnemonic: str, x: ir.Value, y: ir.Value | int) -> ir.Value:
    return ttir.build(mnemonic, x, scalar(y, read_type(x.type)) if isinstance(y, int) else y)
