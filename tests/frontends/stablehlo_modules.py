"""Random StableHLO modules of ops with regions, windows and indices, and all kinds of modules by name."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.frontends.stablehlo_text import (
    INTEGERS,
    REDUCERS,
    Array,
    Case,
    Make,
    Rng,
    binary,
    bitcast,
    broadcast_in_dim,
    clamp,
    compare,
    concatenate,
    constant,
    convert,
    dynamic_slice,
    dynamic_update_slice,
    element_of,
    halves,
    index_values,
    iota,
    is_finite,
    listed,
    module,
    pad,
    positive,
    reduce_precision,
    region,
    reshape,
    reverse,
    select,
    shape_of,
    slice_,
    tensor,
    transpose,
    unary,
    values,
)


def dot_general(rng: Rng) -> Case:
    element = str(rng.choice(["f32", "i32", "i8", "ui16"]))
    batch, inner, left, right = (shape_of(rng, int(n), 4) for n in rng.integers(0, 3, 4))
    lhs_order, rhs_order = rng.permutation(len(batch + inner + left)), rng.permutation(len(batch + inner + right))
    lhs, rhs = [(batch + inner + left)[i] for i in lhs_order], [(batch + inner + right)[i] for i in rhs_order]

    def places(order: Array, first: int, count: int) -> list[int]:
        return [list(order).index(first + i) for i in range(count)]

    b, k = len(batch), len(inner)
    # Free dimensions come in the order in which the operands have them.
    free = [[n for n, i in zip(s, o, strict=True) if i >= b + k] for s, o in ((lhs, lhs_order), (rhs, rhs_order))]
    out = tensor([*batch, *free[0], *free[1]], element)
    batching = f"batching_dims = {places(lhs_order, 0, b)} x {places(rhs_order, 0, b)}, " if b else ""
    contracting = f"contracting_dims = {places(lhs_order, b, k)} x {places(rhs_order, b, k)}"
    types = f"({tensor(lhs, element)}, {tensor(rhs, element)}) -> {out}"
    body = f"%r = stablehlo.dot_general %0, %1, {batching}{contracting} : {types}"
    return module([(values(rng, s, element), element) for s in (lhs, rhs)], body, [out])


def convolution(rng: Rng) -> Case:
    rank, element = int(rng.integers(1, 4)), str(rng.choice(["f32", "f32", "i32"]))
    groups, batches = [(1, 1), (2, 1), (1, 2)][rng.integers(3)]
    features, outputs, batch = (
        int(rng.integers(1, 3)),
        int(rng.integers(1, 3)) * groups * batches,
        int(rng.integers(1, 3)) * batches,
    )
    kernel, size = shape_of(rng, rank, 3), [int(n) for n in rng.integers(3, 6, rank)]
    strides, lhs, rhs = ([int(n) for n in rng.integers(1, 3, rank)] for _ in range(3))
    pads = [[int(n) for n in rng.integers(-1, 3, 2)] for _ in range(rank)]
    axes = list(map(str, range(rank)))
    layouts = [[str(d) for d in rng.permutation([first, *axes, second])] for first, second in ("bf", "oi")]
    layouts.append(["b", *axes, "f"])  # the interpreter ends the process at others
    counts = [
        ((n - 1) * a + 1 + sum(p) - ((k - 1) * d + 1)) // s + 1
        for n, a, p, k, d, s in zip(size, lhs, pads, kernel, rhs, strides, strict=True)
    ]
    if min(counts) < 1:
        return convolution(rng)
    extents = [
        dict(zip(axes, size, strict=True)) | {"b": batch, "f": features * groups},
        dict(zip(axes, kernel, strict=True)) | {"o": outputs, "i": features},
        dict(zip(axes, counts, strict=True)) | {"b": batch // batches, "f": outputs},
    ]
    x, w, out = ([e[letter] for letter in layout] for e, layout in zip(extents, layouts, strict=True))
    dims = "x".join(f"[{', '.join(layout)}]" for layout in layouts[:2]) + f"->[{', '.join(layouts[2])}]"
    turned = [int(n) for n in rng.integers(0, 2, rank)]
    window = f"stride = {strides}, pad = {pads}, lhs_dilate = {lhs}, rhs_dilate = {rhs}, reverse = {turned}"
    counted = f"{{batch_group_count = {batches} : i64, feature_group_count = {groups} : i64}}"
    types = f"({tensor(x, element)}, {tensor(w, element)}) -> {tensor(out, element)}"
    body = f"%r = stablehlo.convolution(%0, %1) dim_numbers = {dims}, window = {{{window}}} {counted} : {types}"
    return module([(values(rng, s, element), element) for s in (x, w)], body, [tensor(out, element)])


def reduce_(rng: Rng) -> Case:
    shape, element = shape_of(rng), str(rng.choice(["f32", "i1", *INTEGERS]))
    dims = sorted(int(d) for d in rng.permutation(len(shape))[: rng.integers(1, len(shape) + 1)])
    bits = ["and", "or"] if element == "i1" else ["and", "or", "xor"] if element != "f32" else []
    op = rng.choice([*(REDUCERS if element != "i1" else ()), *bits])
    out = tensor([n for d, n in enumerate(shape) if d not in dims], element)
    types = f"({tensor(shape, element)}, tensor<{element}>) -> {out}"
    attributes = f"{{dimensions = {listed(dims)}}}"
    body = f'%r = "stablehlo.reduce"(%0, %1) {region(str(op), element)} {attributes} : {types}'
    return module([(values(rng, shape, element), element), (values(rng, [], element), element)], body, [out])


def argmax(rng: Rng) -> Case:
    shape = shape_of(rng)
    dim, which = int(rng.integers(len(shape))), str(rng.choice(["GT", "LT"]))
    left = [n for d, n in enumerate(shape) if d != dim]
    results = [tensor(left, "f32"), tensor(left, "i32")]
    start = "0xFF800000" if which == "GT" else "0x7F800000"
    body = f"""
    %i = stablehlo.iota dim = {dim} : {tensor(shape, "i32")}
    %v = stablehlo.constant dense<{start}> : tensor<f32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %r:2 = "stablehlo.reduce"(%0, %i, %v, %z) ({{
    ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: tensor<f32>, %bi: tensor<i32>):
      %1 = stablehlo.compare {which}, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.or %1, %2 : tensor<i1>
      %4 = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.compare LT, %ai, %bi : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.and %4, %5 : tensor<i1>
      %7 = stablehlo.or %3, %6 : tensor<i1>
      %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
      %9 = stablehlo.select %7, %ai, %bi : tensor<i1>, tensor<i32>
      stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
    }}) {{dimensions = {listed([dim])}}} : ({tensor(shape, "f32")}, {tensor(shape, "i32")}, tensor<f32>, tensor<i32>) -> ({", ".join(results)})
    """
    return module([(halves(rng, shape, "f32"), "f32")], body, results)


def reduce_window(rng: Rng) -> Case:
    rank, element = int(rng.integers(1, 5)), element_of(rng)
    shape, window = [int(n) for n in rng.integers(2, 6, rank)], shape_of(rng, rank, 3)
    ones = rng.random() < 0.5
    strides, base, dilations = ([1 if ones else int(n) for n in rng.integers(1, 3, rank)] for _ in range(3))
    pads = [[int(n) for n in rng.integers(0, 2, 2)] for _ in range(rank)]
    counts = [
        ((n - 1) * a + 1 + sum(p) - ((k - 1) * d + 1)) // s + 1
        for n, a, p, k, d, s in zip(shape, base, pads, window, dilations, strides, strict=True)
    ]
    return (
        windowed(rng, element, shape, counts, (window, strides, base, dilations, pads))
        if min(counts) > 0
        else reduce_window(rng)
    )


def running(rng: Rng) -> Case:
    """Cumulative sums, products and extremes, forwards and backwards."""
    shape, element = shape_of(rng), element_of(rng)
    dim, ones = int(rng.integers(len(shape))), [1] * len(shape)
    window = [n if d == dim else 1 for d, n in enumerate(shape)]
    ahead = [[n - 1, 0], [0, n - 1]][rng.integers(2)] if (n := shape[dim]) else []
    pads = [ahead if d == dim else [0, 0] for d in range(len(shape))]
    return windowed(rng, element, shape, shape, (window, ones, ones, ones, pads))


def windowed(rng: Rng, element: str, shape: list[int], counts: list[int], window: tuple[Any, ...]) -> Case:
    op, number = str(rng.choice(REDUCERS)), f"tensor<{element}>"
    start = {"add": 0, "multiply": 1, "maximum": None, "minimum": 2}[op]
    if element == "f32" and op == "maximum":
        spelled = "0xFF800000"
    else:
        spelled = f"{float(start or 0):.1f}" if element == "f32" else str(start or 0)
    sizes, strides, base, dilations, pads = window
    out = tensor(counts, element)
    attributes = ", ".join(
        f"{name} = {listed(numbers)}"
        for name, numbers in (
            ("window_dimensions", sizes),
            ("window_strides", strides),
            ("base_dilations", base),
            ("window_dilations", dilations),
        )
    )
    attributes += f", padding = dense<{pads}> : tensor<{len(shape)}x2xi64>"
    body = f"""%s = stablehlo.constant dense<{spelled}> : {number}
    %r = "stablehlo.reduce_window"(%0, %s) {region(op, element)} {{{attributes}}} : ({tensor(shape, element)}, {number}) -> {out}"""
    return module([(values(rng, shape, element), element)], body, [out])


def select_and_scatter(rng: Rng) -> Case:
    shape, window = [int(n) for n in rng.integers(2, 6, 2)], shape_of(rng, 2, 2)
    strides = [int(n) for n in rng.integers(1, 3, 2)]
    pads = [[int(rng.integers(0, k)), int(rng.integers(0, k))] for k in window]
    counts = [(n + sum(p) - k) // s + 1 for n, p, k, s in zip(shape, pads, window, strides, strict=True)]
    t, source, number = tensor(shape, "f32"), tensor(counts, "f32"), "tensor<f32>"
    chosen = f"({{^bb0(%a: {number}, %b: {number}):\n %c = stablehlo.compare GE, %a, %b : ({number}, {number}) -> tensor<i1>\n stablehlo.return %c : tensor<i1>\n}}, "
    regions = chosen + region("add", "f32")[1:]
    attributes = f"window_dimensions = {listed(window)}, window_strides = {listed(strides)}, padding = dense<{pads}> : tensor<2x2xi64>"
    body = f"""%s = stablehlo.constant dense<0.0> : {number}
    %r = "stablehlo.select_and_scatter"(%0, %1, %s) {regions} {{{attributes}}} : ({t}, {source}, {number}) -> {t}"""
    return module([(values(rng, s, "f32"), "f32") for s in (shape, counts)], body, [t])


def sort(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    dim, direction = int(rng.integers(len(shape))), rng.choice(["LT", "GT"])
    t, number = tensor(shape, element), f"tensor<{element}>"
    kind = "FLOAT" if element == "f32" else "UNSIGNED" if element[0] == "u" else "SIGNED"
    two = rng.integers(2)
    first = f"%l = stablehlo.compare {direction}, %a, %b, {kind} : ({number}, {number}) -> tensor<i1>"
    tie = f"""
      %e = stablehlo.compare EQ, %a, %b, {kind} : ({number}, {number}) -> tensor<i1>
      %m = stablehlo.compare GT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %n = stablehlo.and %e, %m : tensor<i1>
      %o = stablehlo.or %l, %n : tensor<i1>"""
    body = f"""%r:3 = "stablehlo.sort"(%0, %1, %2) ({{
    ^bb0(%a: {number}, %b: {number}, %c: tensor<i32>, %d: tensor<i32>, %f: tensor<f32>, %g: tensor<f32>):
      {first}{tie if two else ""}
      stablehlo.return {"%o" if two else "%l"} : tensor<i1>
    }}) {{dimension = {dim} : i64, is_stable = true}} : ({t}, {tensor(shape, "i32")}, {tensor(shape, "f32")}) -> ({t}, {tensor(shape, "i32")}, {tensor(shape, "f32")})"""
    inputs = [(values(rng, shape, element, small=True), element), (values(rng, shape, "i32", small=True), "i32")]
    inputs.append((values(rng, shape, "f32"), "f32"))
    return module(inputs, body, [t, tensor(shape, "i32"), tensor(shape, "f32")])


@dataclass(frozen=True)
class Indexing:
    """What gathers and scatters have in common: an operand, indices into it, and windows at them."""

    operand: list[int]
    indices: list[int]
    sizes: list[int]
    mapped: list[int]
    dropped: list[int]
    batching: list[int]
    index_batching: list[int]
    vector_dim: int
    window_dims: list[int]
    result: list[int]

    def spelled(self, kind: str) -> str:
        names = {
            "gather": (
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map",
            ),
            "scatter": (
                "update_window_dims",
                "inserted_window_dims",
                "input_batching_dims",
                "scatter_indices_batching_dims",
                "scatter_dims_to_operand_dims",
            ),
        }[kind]
        lists = (self.window_dims, self.dropped, self.batching, self.index_batching, self.mapped)
        fields = ", ".join(f"{name} = {numbers}" for name, numbers in zip(names, lists, strict=True) if numbers)
        return f"#stablehlo.{kind}<{fields}, index_vector_dim = {self.vector_dim}>"


def indexing(rng: Rng) -> Indexing:
    rank = int(rng.integers(1, 5))
    operand = [int(n) for n in rng.integers(1, 5, rank)]
    dims = [int(d) for d in rng.permutation(rank)]
    batching = sorted(dims[: int(rng.integers(0, min(2, rank)))])
    free = [d for d in dims if d not in batching]
    mapped = free[: int(rng.integers(1, len(free) + 1))]
    sizes = [
        1 if d in batching else int(rng.integers(1, n + 1)) if rng.random() < 0.6 else n for d, n in enumerate(operand)
    ]
    dropped = sorted(d for d in range(rank) if d not in batching and sizes[d] == 1 and rng.random() < 0.6)
    batch = [operand[d] for d in batching] + shape_of(rng, int(rng.integers(0, 3)), 3)
    order = [int(i) for i in rng.permutation(len(batch))]
    shape = [batch[i] for i in order]
    vector_dim = int(rng.integers(0, len(shape) + 1))
    indices = [*shape[:vector_dim], len(mapped), *shape[vector_dim:]]
    at = [order.index(i) for i in range(len(batching))]
    index_batching = [a + (a >= vector_dim) for a in at]
    windows = [sizes[d] for d in range(rank) if d not in dropped and d not in batching]
    total = len(shape) + len(windows)
    window_dims = sorted(int(d) for d in rng.permutation(total)[: len(windows)])
    rest, inner = iter(shape), iter(windows)
    result = [next(inner) if d in window_dims else next(rest) for d in range(total)]
    return Indexing(operand, indices, sizes, mapped, dropped, batching, index_batching, vector_dim, window_dims, result)


def gather(rng: Rng) -> Case:
    given, element, index = indexing(rng), element_of(rng), str(rng.choice(INTEGERS))
    out = tensor(given.result, element)
    attributes = f"{{dimension_numbers = {given.spelled('gather')}, slice_sizes = {listed(given.sizes)}, indices_are_sorted = false}}"
    types = f"({tensor(given.operand, element)}, {tensor(given.indices, index)}) -> {out}"
    inputs = [
        (values(rng, given.operand, element), element),
        (index_values(rng, given.indices, index), index),
    ]
    return module(inputs, f'%r = "stablehlo.gather"(%0, %1) {attributes} : {types}', [out])


def scatter(rng: Rng) -> Case:
    given, element, index = indexing(rng), element_of(rng), str(rng.choice(INTEGERS))
    t, number = tensor(given.operand, element), f"tensor<{element}>"
    op = str(rng.choice([*REDUCERS, "replace"]))
    replace = f"({{^bb0(%a: {number}, %b: {number}):\n stablehlo.return %b : {number}\n}})"
    attributes = f"{{scatter_dimension_numbers = {given.spelled('scatter')}, indices_are_sorted = false, unique_indices = false}}"
    types = f"({t}, {tensor(given.indices, index)}, {tensor(given.result, element)}) -> {t}"
    inputs = [
        (values(rng, given.operand, element), element),
        (values(rng, given.indices, index, small=True), index),
        (values(rng, given.result, element), element),
    ]
    body = f'%r = "stablehlo.scatter"(%0, %1, %2) {replace if op == "replace" else region(op, element)} {attributes} : {types}'
    return module(inputs, body, [t])


def map_(rng: Rng) -> Case:
    shape = shape_of(rng)
    t = tensor(shape, "f32")
    dims = listed(list(range(len(shape))))
    body = f'%r = "stablehlo.map"(%0, %1) {region("subtract", "f32")} {{dimensions = {dims}}} : ({t}, {t}) -> {t}'
    return module([(values(rng, shape, "f32"), "f32") for _ in range(2)], body, [t])


def case_(rng: Rng) -> Case:
    """A branch that the model chooses."""
    t = tensor([3], "f32")
    branches = ", ".join(
        f"{{\n %b = stablehlo.{op} %0, %0 : {t}\n stablehlo.return %b : {t}\n}}" for op in REDUCERS[:3]
    )
    body = f'%r = "stablehlo.case"(%1) ({branches}) : (tensor<i32>) -> {t}'
    return module([(values(rng, [3], "f32"), "f32"), (np.array(rng.integers(-1, 5), "i4"), "i32")], body, [t])


def if_(rng: Rng) -> Case:
    t = tensor([3], "f32")
    branches = ", ".join(
        f"{{\n %b = stablehlo.{op} %0, %0 : {t}\n stablehlo.return %b : {t}\n}}" for op in REDUCERS[:2]
    )
    return module(
        [(values(rng, [3], "f32"), "f32"), (values(rng, [], "i1"), "i1")],
        f'%r = "stablehlo.if"(%1) ({branches}) : (tensor<i1>) -> {t}',
        [t],
    )


def while_(rng: Rng) -> Case:
    """A loop in a loop, the inner one as long as the outer one has run."""
    rounds, t, n = int(rng.integers(0, 4)), tensor([3], "i32"), "tensor<i32>"
    body = f"""
    %z = stablehlo.constant dense<0> : {n}
    %one = stablehlo.constant dense<1> : {n}
    %n = stablehlo.constant dense<{rounds}> : {n}
    %r:2 = stablehlo.while(%i = %z, %x = %0) : {n}, {t}
      cond {{
        %c = stablehlo.compare LT, %i, %n : ({n}, {n}) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }} do {{
        %w:2 = stablehlo.while(%j = %z, %y = %x) : {n}, {t}
          cond {{
            %c = stablehlo.compare LE, %j, %i : ({n}, {n}) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          }} do {{
            %s = stablehlo.dynamic_slice %0, %j, sizes = [1] : ({t}, {n}) -> tensor<1xi32>
            %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<1xi32>) -> {t}
            %a = stablehlo.add %y, %b : {t}
            %k = stablehlo.add %j, %one : {n}
            stablehlo.return %k, %a : {n}, {t}
          }}
        %k = stablehlo.add %i, %one : {n}
        stablehlo.return %k, %w#1 : {n}, {t}
      }}"""
    return module([(values(rng, [3], "i32"), "i32")], body, [n, t])


_FLOATS = [
    "cbrt",
    "ceil",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "floor",
    "logistic",
    "sine",
    "sqrt",
    "tan",
    "tanh",
    "rsqrt",
    "log",
    "log_plus_one",
]

CASES: dict[str, Make] = {
    **{
        name: unary(name, ["f32"], positive if name in ("sqrt", "rsqrt", "log", "log_plus_one", "cbrt") else values)
        for name in _FLOATS
    },
    **{name: unary(name, ["f32", "i8", "i32", "i64"]) for name in ("abs", "negate", "sign")},
    **{name: unary(name, ["f32"], halves) for name in ("round_nearest_afz", "round_nearest_even")},
    **{name: unary(name, INTEGERS) for name in ("count_leading_zeros", "popcnt")},
    "not": unary("not", ["i1", *INTEGERS]),
    **{
        name: binary(name, ["f32", *INTEGERS])
        for name in ("add", "subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum")
    },
    **{name: binary(name, ["i1", *INTEGERS]) for name in ("and", "or", "xor")},
    **{name: binary(name, INTEGERS) for name in ("shift_left", "shift_right_logical", "shift_right_arithmetic")},
    "atan2": binary("atan2", ["f32"]),
    "compare": compare,
    "select": select,
    "clamp": clamp,
    "convert": convert,
    "bitcast_convert": bitcast,
    "is_finite": is_finite,
    "reduce_precision": reduce_precision,
    "iota": iota,
    "constant": constant,
    "reshape": reshape,
    "transpose": transpose,
    "broadcast_in_dim": broadcast_in_dim,
    "reverse": reverse,
    "concatenate": concatenate,
    "slice": slice_,
    "pad": pad,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "dot_general": dot_general,
    "convolution": convolution,
    "reduce": reduce_,
    "argmax": argmax,
    "reduce_window": reduce_window,
    "running": running,
    "select_and_scatter": select_and_scatter,
    "sort": sort,
    "gather": gather,
    "scatter": scatter,
    "map": map_,
    "case": case_,
    "if": if_,
    "while": while_,
}
