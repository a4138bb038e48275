"""Dilated average pools become sums of slices; one of too many is refused."""

import pytest

import ttstack
from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.limits import DILATED_TAPS


def pool(kernel: int) -> str:
    rows = 2 * kernel + 1
    x, y = f"tensor<1x{rows}x2x1xf32>", f"tensor<1x{rows - 2 * (kernel - 1)}x2x1xf32>"
    said = f"kernel = array<i32: {kernel}, 1>, stride = array<i32: 1, 1>, dilation = array<i32: 2, 1>"
    rest = "padding = array<i32: 0, 0, 0, 0>, ceil_mode = false, count_include_pad = true"
    return f"""func.func @main(%x: {x}) -> {y} {{
      %r = "ttir.avg_pool2d"(%x) <{{{said}, {rest}}}> : ({x}) -> {y}
      return %r : {y}
    }}"""


def test_a_dilated_pool_of_few_taps():
    names = [op.name for op in ttstack.compile(pool(3)).function().operations]
    assert "avg_pool2d" not in names
    assert names.count("add") == 2


def test_one_of_many_taps_is_refused_with_the_reason():
    with pytest.raises(UnsupportedOpError, match=f"of a kernel of {DILATED_TAPS} x 1") as caught:
        ttstack.compile(pool(DILATED_TAPS))
    assert f"at most {DILATED_TAPS} rows and columns are written out" in str(caught.value)
