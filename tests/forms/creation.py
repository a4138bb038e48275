"""Constants and other ops without operands, of every element type."""

from itertools import product

import numpy as np

from tests.forms.form import NUMBERS, Form


def _arange(start, end, step, dim=0):
    return f"start = {start} : si64, end = {end} : si64, step = {step} : si64, arange_dimension = {dim} : i64"


Q8, QU8, Q32 = "!quant.uniform<i8:f32,0.5:3>", "!quant.uniform<u8:f32,0.25:10>", "!quant.uniform<i8:f32,1.0:-2>"

FORMS = [
    *(
        Form(
            "constant",
            "",
            f"2x3x{r}",
            lambda: [[1, 2, 3], [0, 1, 5]],
            f"value = dense<[[{v[0]}, {v[1]}, {v[2]}], [{v[3]}, {v[0]}, {v[4]}]]> : tensor<2x3x{a}>",
        )
        for (a, v), r in product(
            (
                ("i32", "12305"),
                ("i64", "12305"),
                ("ui8", "12305"),
                ("f32", ("1.0", "2.0", "3.0", "0.0", "5.0")),
                ("bf16", ("1.0", "2.0", "3.0", "0.0", "5.0")),
            ),
            ("f32", "bf16", "i32", "ui8", "i64"),
        )
    ),
    Form("constant", "", "2xi1", lambda: [1, 0], "value = dense<[true, false]> : tensor<2xi1>"),
    Form("constant", "", "2xf32", lambda: [1, 0], "value = dense<[true, false]> : tensor<2xi1>"),
    Form("constant", "", "2x2xi1", lambda: np.ones((2, 2)), "value = dense<3.0> : tensor<2x2xf32>"),
    Form("constant", "", "2xi32", lambda: [1, -1], "value = dense<[1.9, -1.9]> : tensor<2xf32>"),
    Form("constant", "", "f32", lambda: 7.0, "value = dense<7> : tensor<i64>"),
    *(
        Form("full", "", f"2x3x{r}", lambda: np.full((2, 3), 3), "shape = array<i32: 2, 3>, fill_value = 3 : i32")
        for r in NUMBERS
    ),
    *(
        Form("full", "", f"2x3x{r}", lambda: np.full((2, 3), 2), "shape = array<i32: 2, 3>, fill_value = 2.0 : f32")
        for r in NUMBERS
    ),
    *(
        Form(op, "", f"2x3x{r}", lambda v=v: np.full((2, 3), v), "shape = array<i32: 2, 3>")
        for (op, v), r in product((("zeros", 0), ("ones", 1)), ("f32", "bf16", "i32", "i1"))
    ),
    Form("zeros", "", "0x3xf32", lambda: np.zeros((0, 3)), "shape = array<i32: 0, 3>"),
    *(
        Form("arange", "", f"5x{r}", lambda: np.arange(1, 11, 2), _arange(1, 11, 2))
        for r in ("f32", "bf16", "i32", "ui32", "i64")
    ),
    Form("arange", "", "4xi32", lambda: [9, 6, 3, 0], _arange(9, -1, -3)),
    Form("arange", "", "2x4x3xf32", lambda: np.broadcast_to(np.arange(4)[:, None], (2, 4, 3)), _arange(0, 4, 1, 1)),
    Form("dropout", "4x8xf32", "4x8xf32", lambda x: 2 * x, "prob = 0.0 : f32, scale = 2.0 : f32"),
    Form("dropout", "4x8xf32", "4x8xf32", lambda x: 0 * x, "prob = 1.0 : f32"),
]

INVALID = [
    ("constant", "", "8xf32", "value = dense<1.0> : tensor<4xf32>", "holds tensor<4xf32>"),
    ("constant", "", "f32", "value = 1.0 : f32", "expected elements"),
    ("constant", "", f"4x{Q8}", "value = dense<1.0> : tensor<4xf32>", "holds tensor<4xf32>"),
    ("zeros", "", "4x8xf32", "shape = array<i32: 4, 4>", "differs from the result's"),
    ("full", "", "4xf32", "shape = array<i32: 4>", "requires attribute 'fill_value'"),
    ("full", "", "4xf32", 'shape = array<i32: 4>, fill_value = "1"', "expected number"),
    ("arange", "", "4xi32", _arange(0, 4, 0), "step is 0"),
    ("arange", "", "5xi32", _arange(0, 4, 1), "has 4 values"),
    ("arange", "", "4xi32", _arange(0, 4, 1, 1), "out of range"),
    ("rand", "", "4xf32", "size = [4 : i32], low = 1.0 : f32, high = 1.0 : f32", "is not below"),
    ("rand", "", "4xf32", "size = [4 : i32], low = 2.0 : f32, high = 1.0 : f32", "is not below"),
    ("rand", "", "4xi32", "size = [4 : i32]", "real numbers"),
    ("rand", "", "4xf32", "size = [5 : i32]", "differs from the result's"),
    ("dropout", "4xf32", "4xf32", "prob = 1.5 : f32", "not from 0 to 1"),
    ("dropout", "4xi32", "4xi32", "prob = 0.5 : f32", "not real numbers"),
]
