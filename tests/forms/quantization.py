"""Affine quantization."""

import numpy as np

from tests.forms.form import Form


def _quantized(x, scale, zero, low=-128, high=127):
    return np.clip(np.rint(x / scale) + zero, low, high)


Q8, QU8, Q32 = "!quant.uniform<i8:f32,0.5:3>", "!quant.uniform<u8:f32,0.25:10>", "!quant.uniform<i8:f32,1.0:-2>"
AXIS = "!quant.uniform<i8:f32:1,{0.5,0.25,1.0}>"

FORMS = [
    Form("quantize", "4x3xf32", f"4x3x{Q8}", lambda x: _quantized(x, 0.5, 3), low=-9, high=9),
    Form("quantize", "4x3xf32", f"4x3x{QU8}", lambda x: _quantized(x, 0.25, 10, 0, 255), low=-9, high=99),
    Form("quantize", "4x3xf32", f"4x3x{AXIS}", lambda x: _quantized(x, [0.5, 0.25, 1.0], 0), low=-9, high=9),
    Form("dequantize", f"4x3x{Q8}", "4x3xf32", lambda x: (x - 3) * 0.5),
    Form("dequantize", f"4x3x{AXIS}", "4x3xf32", lambda x: x * [0.5, 0.25, 1.0]),
    Form("requantize", f"4x3x{Q8}", f"4x3x{Q32}", lambda x: _quantized((x - 3) * 0.5, 1.0, -2)),
    Form(
        "quantize_unrolled",
        "4x3xf32 1xf32 1xi32",
        f"4x3x{Q8}",
        lambda x, s, z: _quantized(x, 0.5, 3),
        given={1: 0.5, 2: 3},
        low=-9,
        high=9,
    ),
    Form(
        "quantize_unrolled",
        "4x3xf32 3xf32 3xi32",
        "4x3xi8",
        _quantized,
        "axis = 1 : i32",
        given={1: [0.5, 0.25, 1], 2: [0, 1, -3]},
        low=-9,
        high=9,
    ),
    Form(
        "dequantize_unrolled", f"4x3x{Q8} 1xf32 1xi32", "4x3xf32", lambda x, s, z: (x - 3) * 0.5, given={1: 0.5, 2: 3}
    ),
    Form(
        "requantize_unrolled",
        f"4x3x{Q8} 1xf32 1xi32 1xf32 1xi32",
        f"4x3x{Q32}",
        lambda x, *p: _quantized((x - 3) * 0.5, 1.0, -2),
        given={1: 0.5, 2: 3, 3: 1.0, 4: -2},
    ),
]

INVALID = [
    ("quantize", "4xi32", f"4x{Q8}", "", "not a type of real numbers"),
    ("quantize", "4xf32", "4xi8", "", "not a quantized type"),
    ("quantize", "4xbf16", f"4x{Q8}", "", "expresses f32"),
    ("dequantize", f"4x{Q8}", "4xbf16", "", "expresses f32"),
    ("dequantize", f"4x2x{AXIS}", "4x2xf32", "", "3 scales for the 2"),
    ("requantize", f"4x{Q8}", "4xi8", "", "not a quantized type"),
    ("quantize_unrolled", "4x3xf32 3xf32 1xi32", "4x3xi8", "", "no axis"),
    ("quantize_unrolled", "4x3xf32 4xf32 1xi32", "4x3xi8", "axis = 1 : i32", "does not fit"),
    ("dequantize_unrolled", f"4x3x{Q8} 1xi32 1xi32", "4x3xf32", "", "not a type of real numbers"),
]
