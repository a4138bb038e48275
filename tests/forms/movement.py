"""Shapes, slices, and elements picked or written by index."""

from itertools import product

import numpy as np
import torch

from tests.forms.form import NUMBERS, Form


def _ints(*values):
    return "[" + ", ".join(f"{v} : i32" for v in values) + "]"


def _slice(*bounds):
    begins, ends, step = zip(*bounds, strict=True)
    return f"begins = {_ints(*begins)}, ends = {_ints(*ends)}, step = {_ints(*step)}"


def _cut(*bounds):
    return lambda x: x[tuple(slice(*b) for b in bounds)]


def _extent(size, begin, end, step):
    return len(range(size)[slice(begin, end, step)])


def _pads(*amounts):
    return f"padding = array<i32: {', '.join(map(str, amounts))}>, value = 0.5 : f32"


def _scatter(kind):
    def run(x, i, s):
        given = [torch.from_numpy(np.ascontiguousarray(v)) for v in (x, i, s)]
        if kind is None:
            return given[0].scatter(0, *given[1:]).numpy()
        return given[0].scatter_reduce(0, *given[1:], reduce=kind).numpy()

    return run


SLICES = [
    (0, 8, 1),
    (1, 7, 2),
    (-3, 8, 1),
    (0, -1, 3),
    (7, 0, -1),
    (7, 2, -2),
    (-1, -8, -3),
    (6, 5, -4),
    (3, 3, 1),
    (3, 3, -1),
    (8, 8, 1),
]
PADS = {(0, 0): 8, (1, 2): 11, (-1, 2): 9, (3, -2): 9, (-3, -5): 0, (-2, -2): 4, (0, -8): 0}
KINDS = {"sum": "sum", "prod": "prod", "min": "amin", "max": "amax"}
INDEX = [[2, 0, 1], [0, 0, 2]]
MOVES = [
    ("permute", "4x8", "8x4", lambda x: x.T, "permutation = array<i64: 1, 0>"),
    ("transpose", "4x8", "8x4", lambda x: x.T, "dim0 = 0 : si32, dim1 = -1 : si32"),
    ("reshape", "4x8", "2x16", lambda x: x.reshape(2, 16), "shape = [2 : i32, -1 : i32]"),
    ("squeeze", "4x1x8", "4x8", lambda x: x[:, 0], "dim = -2 : si32"),
    ("unsqueeze", "4x8", "4x8x1", lambda x: x[..., None], "dim = -1 : si32"),
    ("rearrange", "2x4x8", "8x2x4", lambda x: x.transpose(2, 0, 1), 'pattern = "a b c -> c a b"'),
    ("broadcast", "1x8", "4x8", lambda x: np.tile(x, (4, 1)), "broadcast_dimensions = array<i64: 4, 1>"),
    ("repeat", "2x8", "6x8", lambda x: np.tile(x, (3, 1)), "repeat_dimensions = array<i64: 3, 1>"),
    ("repeat_interleave", "2x4", "2x12", lambda x: np.repeat(x, 3, 1), "repeats = 3 : ui32, dim = -1 : si32"),
    ("reverse", "4x8", "4x8", lambda x: x[:, ::-1], "dimensions = array<i64: 1>"),
]
FORMS = [
    *(
        Form(op, f"{s}x{a}", f"{t}x{r}", f, attributes)
        for (op, s, t, f, attributes), (a, r) in product(
            MOVES, (("f32", "f32"), ("f32", "bf16"), ("bf16", "f32"), ("i32", "f32"), ("i64", "i32"), ("i1", "i1"))
        )
    ),
    *(
        Form("permute", f"4x8x{a}", f"8x4x{r}", lambda x: x.T, "permutation = array<i64: 1, 0>")
        for a, r in product(NUMBERS, ("f16", "ui8"))
    ),
    *(
        Form("slice_static", "8x5xf32", f"{_extent(8, *b)}x5xf32", _cut(b, (None,)), _slice(b, (0, 5, 1)))
        for b in SLICES
    ),
    *(
        Form("slice_static", "5x8xbf16", f"2x{_extent(8, *b)}xbf16", _cut((4, 0, -2), b), _slice((4, 0, -2), b))
        for b in SLICES
    ),
    *(
        Form(
            "index",
            "8x5xi32",
            f"{_extent(8, *b)}x5xi32",
            _cut(b),
            "dim = 0 : i32, begin = {} : i32, end = {} : i32, step = {} : i32".format(*b),
        )
        for b in SLICES
    ),
    *(Form("pad", "8xf32", f"{n}xf32", lambda x, p=p: _padded(x, p), _pads(*p)) for p, n in PADS.items()),
    Form(
        "pad", "4x8xbf16", "3x9xf32", lambda x: np.pad(x[1:], ((0, 0), (0, 1)), constant_values=0.5), _pads(-1, 0, 0, 1)
    ),
    Form("pad", "f32", "f32", lambda x: x, "padding = array<i32>, value = 1.0 : f32"),
    Form("reverse", "4x8xf32", "4x8xf32", lambda x: x, "dimensions = array<i64>"),
    Form("reverse", "4x8xf32", "4x8xf32", lambda x: x[::-1, ::-1], "dimensions = array<i64: 1, 0>"),
    Form("concat", "2x3xf32 2x5xf32 2x1xf32", "2x9xf32", lambda *x: np.concatenate(x, 1), "dim = -1 : si32"),
    Form("concat", "2x3xf32 2x5xbf16", "2x8xf32", lambda *x: np.concatenate(x, 1), "dim = 1 : si32"),
    Form("concat", "2x3xf32 1x3xf32", "3x3xbf16", lambda *x: np.concatenate(x, 0), "dim = 0 : si32"),
    Form("concat", "2x3xi32", "2x3xi32", lambda x: x, "dim = 0 : si32"),
    Form("concat", "2x0xf32 2x3xf32", "2x3xf32", lambda a, b: b, "dim = 1 : si32"),
    Form("reshape", "0x4xf32", "2x0xf32", lambda x: x.reshape(2, 0), "shape = [2 : i32, 0 : i32]"),
    Form("reshape", "1xf32", "f32", lambda x: x.reshape(()), "shape = []"),
    Form("repeat_interleave", "2x4xf32", "4x4xf32", lambda x: np.repeat(x, 2, 0), "repeats = 2 : ui32, dim = 0 : si32"),
    Form(
        "slice_dynamic",
        "8x5xf32 2xi32 2xi32",
        "3x2xf32",
        lambda x, b, e: x[1:7:2, 3:5],
        f"step = {_ints(2, 1)}",
        given={1: [1, 3], 2: [7, 5]},
    ),
    Form("slice_dynamic", "8xf32 1xi64 1xi64", "8xf32", lambda x, b, e: x, given={1: [0], 2: [8]}),
    Form(
        "index_select", "3x9xf32", "3x2xf32", lambda x: x[:, 3:5], "dim = 1 : si32, begin = 3 : si32, length = 2 : si32"
    ),
    Form(
        "index_select",
        "9xf32",
        "5xf32",
        lambda x: x[[0, 1, 4, 5, 8]],
        "dim = 0 : si32, begin = 0 : si32, length = 2 : si32, stride = 4 : si32",
    ),
    *(
        Form(
            "gather",
            f"3x4xf32 2x3x{i}",
            "2x3xf32",
            lambda x, i: np.take_along_axis(x[:, :3], i, 0),
            "dim = 0 : i32",
            given={1: INDEX},
        )
        for i in ("i32", "ui32", "i64")
    ),
    Form("gather", "4xf32 6xi32", "6xf32", lambda x, i: x[i], "dim = -1 : i32", given={1: [3, 3, 0, 1, 2, 0]}),
    Form(
        "scatter",
        "3x3xf32 2x3xi32 2x3xf32",
        "3x3xf32",
        _scatter(None),
        "dim = 0 : i32, scatter_reduce_type = #ttcore.reduce_type<invalid>",
        given={1: [[2, 0, 1], [0, 1, 2]]},
    ),
    *(
        Form(
            "scatter",
            f"3x3x{t} 2x3xi32 2x3x{t}",
            f"3x3x{t}",
            _scatter(torch_name),
            f"dim = 0 : i32, scatter_reduce_type = #ttcore.reduce_type<{kind}>",
            given={1: INDEX},
        )
        for (kind, torch_name), t in product(KINDS.items(), ("f32", "i32"))
    ),
    *(
        Form("get_dimension_size", "4x8xf32", f"1x{r}", lambda x, d=d: [x.shape[d]], f"dimension = {d} : i32")
        for d, r in product((0, 1), ("i32", "ui32"))
    ),
    Form("clone", "4x8xbf16", "4x8xbf16", lambda x: x),
    Form("ttnn_metal_layout_cast", "4x8xf32", "4x8xf32", lambda x: x),
    Form("to_layout", "4x8xf32 4x8xf32", "4x8xf32", lambda x, into: x),
    Form("to_layout", "4x8xf32 4x8xbf16", "4x8xbf16", lambda x, into: x),
    Form("to_layout", "4x8xbf16 4x8xi32", "4x8xi32", lambda x, into: x),
]


def _padded(x, amounts):
    low, high = amounts
    cut = x[max(-low, 0) : len(x) - max(-high, 0)]
    return np.pad(cut, (max(low, 0), max(high, 0)), constant_values=0.5)


F = "4x8xf32"
INVALID = [
    (
        "index",
        "8xf32",
        "4xf32",
        "dim = -1 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32",
        "counted from the front",
    ),
    ("alloc", "", "4xf32", "address = 0 : i64, size = 0 : i64, memory_space = #ttcore.memory_space<dram>", "size is 0"),
    ("reshape", F, "4x9xf32", "shape = [4 : i32, 9 : i32]", "36 elements"),
    ("reshape", F, F, "shape = [-4 : i32, -8 : i32]", "has 32 elements"),
    ("reshape", F, F, "shape = [-1 : i32, -1 : i32]", "elements"),
    ("reshape", F, "8x4xf32", "shape = [4 : i32, 8 : i32]", "inferred tensor<4x8xf32>"),
    ("squeeze", F, "8xf32", "dim = 0 : si32", "is not 1"),
    ("squeeze", F, "8xf32", "dim = 2 : si32", "out of range"),
    ("unsqueeze", F, "4x8x1xf32", "dim = 3 : si32", "out of range"),
    ("permute", F, F, "permutation = array<i64: 0, 0>", "not a permutation"),
    ("permute", F, F, "permutation = array<i64: 0>", "not a permutation"),
    ("permute", F, "8x4xf32", "permutation = array<i64: -1, 0>", "not a permutation"),
    ("transpose", F, F, "dim0 = 0 : si32, dim1 = 2 : si32", "out of range"),
    ("rearrange", "2x4x8xf32", "8x2x4xf32", 'pattern = "a b c -> c a"', "pattern"),
    ("concat", "4x8xf32 3x8xf32", "4x16xf32", "dim = 1 : si32", "does not join"),
    ("concat", "4x8xf32 4x8xf32", "4x16xf32", "dim = 2 : si32", "out of range"),
    ("broadcast", F, "8x8xf32", "broadcast_dimensions = array<i64: 2, 1>", "needs extent 1"),
    ("broadcast", "1x8xf32", "0x8xf32", "broadcast_dimensions = array<i64: 0, 1>", "factor 0"),
    ("repeat", F, F, "repeat_dimensions = array<i64: 0, 1>", "not all positive"),
    ("repeat", F, F, "repeat_dimensions = array<i64: 1>", "1 counts for rank 2"),
    ("repeat_interleave", F, F, "repeats = 0 : ui32, dim = 0 : si32", "repeats is 0"),
    ("pad", F, F, "padding = array<i32: 1, 1>, value = 0.0 : f32", "2 entries for rank 2"),
    ("pad", "4xf32", "0xf32", "padding = array<i32: -3, -2>, value = 0.0 : f32", "cuts 5 off the 4"),
    ("pad", "4xf32", "1xf32", "padding = array<i32: -5, 2>, value = 0.0 : f32", "cuts 5 off the 4"),
    ("reverse", F, F, "dimensions = array<i64: 0, 0>", "twice"),
    ("reverse", F, F, "dimensions = array<i64: -1>", "counted from the front"),
    ("reverse", F, F, "dimensions = array<i64: 2>", "out of range"),
    ("slice_static", "8xf32", "0xf32", _slice((2, 6, 0)), "is 0"),
    ("slice_static", "8xf32", "4xf32", _slice((6, 2, 1)), "turned round"),
    ("slice_static", "8xf32", "4xf32", _slice((2, 6, -1)), "turned round"),
    ("slice_static", "8xf32", "9xf32", _slice((0, 9, 1)), "outside"),
    ("slice_static", "8xf32", "8xf32", _slice((8, 0, -1)), "outside"),
    ("slice_static", "8xf32", "8xf32", _slice((-9, 8, 1)), "outside"),
    ("slice_static", "8xf32", "8xbf16", _slice((0, 8, 1)), "inferred tensor<8xf32>"),
    ("slice_static", F, F, _slice((0, 4, 1)), "1 entries for rank 2"),
    ("index", "8xf32", "4xf32", "dim = 1 : i32, begin = 0 : i32, end = 4 : i32, step = 1 : i32", "out of range"),
    ("index", "8xf32", "4xf32", "dim = 0 : i32, begin = 0 : i32, end = 4 : i32, step = 0 : i32", "is 0"),
    ("index", "8xf32", "4xf32", "dim = 0 : i32, begin = 0 : i32, end = 4 : i32, step = -1 : i32", "turned round"),
    ("index_select", "9xf32", "4xf32", "dim = 0 : si32, begin = 8 : si32, length = 4 : si32", "outside"),
    (
        "index_select",
        "9xf32",
        "9xf32",
        "dim = 0 : si32, begin = 0 : si32, length = 4 : si32, stride = 2 : si32",
        "overlap",
    ),
    ("index_select", "9xf32", "4xf32", "dim = 0 : si32, begin = 0 : si32, length = 0 : si32", "window of 0"),
    ("slice_dynamic", "8xf32 2xi32 1xi32", "4xf32", "", "expected [1]"),
    ("slice_dynamic", "8xf32 1xf32 1xi32", "4xf32", "", "not an integer"),
    ("slice_dynamic", "8xf32 1xi32 1xi32", "9xf32", "", "is not a slice"),
    ("gather", "3x4xf32 2x3xf32", "2x3xf32", "dim = 0 : i32", "not an integer"),
    ("gather", "3x4xf32 2x5xi32", "2x5xf32", "dim = 0 : i32", "does not fit"),
    ("gather", "3x4xf32 2x3xi32", "2x3xf32", "dim = 2 : i32", "out of range"),
    ("scatter", "3x3xf32 2x3xi32 1x3xf32", "3x3xf32", "dim = 0 : i32", "does not fit source"),
    (
        "scatter",
        "3x3xf32 2x3xi32 2x3xf32",
        "3x3xf32",
        "dim = 0 : i32, scatter_reduce_type = #ttcore.reduce_type<mean>",
        "not one of",
    ),
    ("get_dimension_size", F, "1xi32", "dimension = 2 : i32", "out of range"),
    ("get_dimension_size", F, "1xf32", "dimension = 0 : i32", "not one integer"),
    ("to_layout", "4x8xf32 8x4xf32", "8x4xf32", "", "destination"),
    ("to_layout", "4x8xf32 4x8xbf16", "4x8xf32", "", "destination"),
]
