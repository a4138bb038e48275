"""Counter-based random numbers: Threefry-2x32 with 20 rounds, in ops on ui32."""

from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice

from ttstack.dialects.ttir.build import scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir

_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_PARITY = 0x1BD11BDA
"""Constants of Threefry-2x32: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011."""

_ROUNDS = 20

OPS = "add bitwise_xor bitwise_or logical_left_shift logical_right_shift"
"""The ops of a Threefry round."""


def threefry(key: Sequence[ir.Value], counter: Sequence[ir.Value]) -> list[ir.Value]:
    """Return two random words for each two words of the counter and two words of a key, with broadcast shapes."""
    xor = partial(_word_op, "bitwise_xor")
    keys = [*key, xor(xor(*key), _PARITY)]
    x, y = (_word_op("add", word, part) for word, part in zip(counter, key, strict=True))
    for i, count in enumerate(islice(cycle(_ROTATIONS), _ROUNDS), 1):
        x = _word_op("add", x, y)
        y = xor(_rotate(y, count), x)
        if i % 4 == 0:
            turn = i // 4
            x = _word_op("add", x, keys[turn % 3])
            y = _word_op("add", y, _word_op("add", keys[(turn + 1) % 3], turn))
    return [x, y]


def _rotate(x: ir.Value, count: int) -> ir.Value:
    return _word_op(
        "bitwise_or", _word_op("logical_left_shift", x, count), _word_op("logical_right_shift", x, 32 - count)
    )


def _word_op(mnemonic: str, x: ir.Value, y: ir.Value | int) -> ir.Value:
    return ttir.build(mnemonic, x, scalar(y, read_type(x.type)) if isinstance(y, int) else y)
