"""Random StableHLO modules of one op each, elementwise or moving elements, and how a module is spelled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Rng = np.random.Generator
Make = Callable[[Rng], "Case"]

INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
REDUCERS = ("add", "multiply", "maximum", "minimum")


@dataclass(frozen=True)
class Case:
    """A module with one function `main`, and values for its arguments."""

    text: str
    inputs: list[Array]


def dtype_of(element: str) -> np.dtype[Any]:
    if element == "i1":
        return np.dtype(bool)
    kind = "f" if element[0] == "f" else "u" if element[0] == "u" else "i"
    return np.dtype(f"{kind}{int(element.lstrip('uif')) // 8}")


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def values(rng: Rng, shape: Sequence[int], element: str, *, small: bool = False) -> Array:
    """Numbers of all sizes: integers at the limits of their type among them, unless `small`."""
    dtype = dtype_of(element)
    if element == "i1":
        return rng.integers(0, 2, shape).astype(bool)
    if element[0] == "f":
        return rng.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    near = rng.integers(-5 if limits.min else 0, 9, shape).astype(dtype)
    far = rng.choice(np.array([limits.min, limits.max, limits.max // 2, limits.min + 1], dtype), shape)
    return near if small else np.where(rng.random(shape) < 0.3, far, near)


def index_values(rng: Rng, shape: Sequence[int], element: str) -> Array:
    """Indices inside and outside; unsigned ones are small, as the interpreter takes large ones for negative."""
    return values(rng, shape, element, small=element[0] == "u")


def shape_of(rng: Rng, rank: int | None = None, most: int = 5) -> list[int]:
    return [int(n) for n in rng.integers(1, most + 1, rng.integers(1, 5) if rank is None else rank)]


def element_of(rng: Rng) -> str:
    return str(rng.choice(["f32", "f32", *INTEGERS]))


def module(inputs: Sequence[tuple[Array, str]], body: str, results: Sequence[str]) -> Case:
    """`body` computes `%r`, or `%r#0`, ... from `%0`, `%1`, ...; `results` are its types."""
    arguments = ", ".join(f"%{i}: {tensor(x.shape, element)}" for i, (x, element) in enumerate(inputs))
    given = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    types = ", ".join(results)
    text = f"func.func @main({arguments}) -> ({types}) {{\n{body}\nfunc.return {given} : {types}\n}}"
    return Case(text, [x for x, _ in inputs])


def listed(numbers: Sequence[int]) -> str:
    return f"array<i64{': ' if len(numbers) else ''}{', '.join(map(str, numbers))}>"


def region(op: str, element: str) -> str:
    """A region that combines two scalars."""
    t = f"tensor<{element}>"
    return f"({{^bb0(%a: {t}, %b: {t}):\n %c = stablehlo.{op} %a, %b : {t}\n stablehlo.return %c : {t}\n}})"


def unary(op: str, elements: Sequence[str], make: Callable[[Rng, Sequence[int], str], Array] = values) -> Make:
    def case(rng: Rng) -> Case:
        shape, element = shape_of(rng), str(rng.choice(list(elements)))
        t = tensor(shape, element)
        return module([(make(rng, shape, element), element)], f"%r = stablehlo.{op} %0 : {t}", [t])

    return case


def binary(op: str, elements: Sequence[str]) -> Make:
    def case(rng: Rng) -> Case:
        shape, element = shape_of(rng), str(rng.choice(list(elements)))
        t, x, y = tensor(shape, element), values(rng, shape, element), values(rng, shape, element)
        if op in ("divide", "remainder") and element != "f32":
            y = np.where((y == 0) | (y == np.array(-1).astype(y.dtype)), np.array(3, y.dtype), y)
        if op == "power":
            x, y = (np.abs(x), y) if element == "f32" else (x, np.where(y < 0, np.array(2, y.dtype), y))
        return module([(x, element), (y, element)], f"%r = stablehlo.{op} %0, %1 : {t}", [t])

    return case


def positive(rng: Rng, shape: Sequence[int], element: str) -> Array:
    return np.abs(values(rng, shape, element)) + np.array(0.1, dtype_of(element))


def halves(rng: Rng, shape: Sequence[int], element: str) -> Array:
    return (rng.integers(-9, 10, shape) / 2).astype(dtype_of(element))


def compare(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    t, out = tensor(shape, element), tensor(shape, "i1")
    kind = "FLOAT" if element == "f32" else "UNSIGNED" if element[0] == "u" else "SIGNED"
    direction = rng.choice(["EQ", "NE", "GE", "GT", "LE", "LT"])
    body = f"%r = stablehlo.compare {direction}, %0, %1, {kind} : ({t}, {t}) -> {out}"
    return module([(values(rng, shape, element, small=True), element) for _ in range(2)], body, [out])


def select(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    t, condition = tensor(shape, element), shape if rng.integers(2) else []
    inputs = [(values(rng, condition, "i1"), "i1"), *((values(rng, shape, element), element) for _ in range(2))]
    return module(inputs, f"%r = stablehlo.select %0, %1, %2 : {tensor(condition, 'i1')}, {t}", [t])


def clamp(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    t, bound = tensor(shape, element), shape if rng.integers(2) else []
    low, x, high = (values(rng, s, element) for s in (bound, shape, bound))
    b = tensor(bound, element)
    body = f"%r = stablehlo.clamp %0, %1, %2 : ({b}, {t}, {b}) -> {t}"
    return module([(low, element), (x, element), (np.maximum(low, high), element)], body, [t])


def convert(rng: Rng) -> Case:
    shape, source, target = shape_of(rng), element_of(rng), str(rng.choice(["f32", "i1", *INTEGERS]))
    x = values(rng, shape, source, small=source == "f32")
    if source == "f32" and target[0] == "u":
        x = np.abs(x)
    types = f"({tensor(shape, source)}) -> {tensor(shape, target)}"
    return module([(x, source)], f"%r = stablehlo.convert %0 : {types}", [tensor(shape, target)])


def bitcast(rng: Rng) -> Case:
    shape = shape_of(rng)
    source, target, result = [
        ("f32", "i32", shape),
        ("i16", "ui16", shape),
        ("i32", "ui8", [*shape, 4]),
        ("f32", "i16", [*shape, 2]),
        ("ui64", "i32", [*shape, 2]),
    ][rng.integers(5)]
    if rng.integers(2) and dtype_of(source).itemsize != dtype_of(target).itemsize:
        source, target, shape, result = target, source, result, shape
    x = values(rng, shape, source, small=target == "f32")
    types = f"({tensor(shape, source)}) -> {tensor(result, target)}"
    if target == "f32":  # any bits, but no NaN, which is not equal to itself
        x = values(rng, result, "f32").view(dtype_of(source)).reshape(shape)
    return module([(x, source)], f"%r = stablehlo.bitcast_convert %0 : {types}", [tensor(result, target)])


def is_finite(rng: Rng) -> Case:
    shape = shape_of(rng)
    x = np.where(rng.random(shape) < 0.5, values(rng, shape, "f32"), rng.choice([np.inf, -np.inf, np.nan], shape))
    types = f"({tensor(shape, 'f32')}) -> {tensor(shape, 'i1')}"
    return module([(x.astype("f4"), "f32")], f"%r = stablehlo.is_finite %0 : {types}", [tensor(shape, "i1")])


def reduce_precision(rng: Rng) -> Case:
    t = tensor([7], "f32")
    form = rng.choice(["e8m7", "e5m10", "e8m23"])
    return module([(values(rng, [7], "f32"), "f32")], f"%r = stablehlo.reduce_precision %0, format = {form} : {t}", [t])


def iota(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    return module(
        [], f"%r = stablehlo.iota dim = {rng.integers(len(shape))} : {tensor(shape, element)}", [tensor(shape, element)]
    )


def constant(rng: Rng) -> Case:
    shape, element = shape_of(rng), str(rng.choice(["i1", "f32", *INTEGERS]))
    data = values(rng, shape, element).tobytes() if element != "i1" else None
    t = tensor(shape, element)
    spelled = (
        f'"0x{data.hex().upper()}"'
        if data and np.prod(shape) > 1
        else "true"
        if element == "i1"
        else "1"
        if element[0] != "f"
        else "1.5"
    )
    return module([], f"%r = stablehlo.constant dense<{spelled}> : {t}", [t])


def reshape(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    target = [int(n) for n in rng.permutation([*shape, 1])]
    out = tensor(target, element)
    body = f"%r = stablehlo.reshape %0 : ({tensor(shape, element)}) -> {out}"
    return module([(values(rng, shape, element), element)], body, [out])


def transpose(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    order = [int(d) for d in rng.permutation(len(shape))]
    out = tensor([shape[d] for d in order], element)
    body = f"%r = stablehlo.transpose %0, dims = {order} : ({tensor(shape, element)}) -> {out}"
    return module([(values(rng, shape, element), element)], body, [out])


def broadcast_in_dim(rng: Rng) -> Case:
    result, element = shape_of(rng), element_of(rng)
    dims = [int(d) for d in rng.permutation(len(result))[: rng.integers(0, len(result) + 1)]]
    shape = [1 if rng.random() < 0.3 else result[d] for d in dims]
    out = tensor(result, element)
    body = f"%b = stablehlo.broadcast_in_dim %0, dims = {dims} : ({tensor(shape, element)}) -> {out}\n%r = stablehlo.add %b, %1 : {out}"
    return module([(values(rng, shape, element), element), (values(rng, result, element), element)], body, [out])


def reverse(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    dims = [int(d) for d in rng.permutation(len(shape))[: rng.integers(0, len(shape) + 1)]]
    t = tensor(shape, element)
    return module([(values(rng, shape, element), element)], f"%r = stablehlo.reverse %0, dims = {dims} : {t}", [t])


def concatenate(rng: Rng) -> Case:
    shape, element, dim = shape_of(rng), element_of(rng), 0
    dim = int(rng.integers(len(shape)))
    shapes = [[*shape[:dim], int(rng.integers(0, 4)), *shape[dim + 1 :]] for _ in range(rng.integers(1, 4))]
    out = tensor([*shape[:dim], sum(s[dim] for s in shapes), *shape[dim + 1 :]], element)
    names, types = ", ".join(f"%{i}" for i in range(len(shapes))), ", ".join(tensor(s, element) for s in shapes)
    body = f"%r = stablehlo.concatenate {names}, dim = {dim} : ({types}) -> {out}"
    return module([(values(rng, s, element), element) for s in shapes], body, [out])


def slice_(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    begins = [int(rng.integers(0, n)) for n in shape]
    ends = [int(rng.integers(b, n + 1)) for b, n in zip(begins, shape, strict=True)]
    steps = [int(rng.integers(1, 4)) for _ in shape]
    parts = list(zip(begins, ends, steps, strict=True))
    out = tensor([max(0, -(-(e - b) // s)) for b, e, s in parts], element)
    spelled = ", ".join(f"{b}:{e}:{s}" for b, e, s in parts)
    body = f"%r = stablehlo.slice %0 [{spelled}] : ({tensor(shape, element)}) -> {out}"
    return module([(values(rng, shape, element), element)], body, [out])


def pad(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    low, high = ([int(rng.integers(-1, 3)) for _ in shape] for _ in range(2))
    interior = [int(rng.integers(0, 3)) for _ in shape]
    low = [max(a, 0) if n == 1 else a for a, n in zip(low, shape, strict=True)]
    result = [n + (n - 1) * i + a + b for n, a, b, i in zip(shape, low, high, interior, strict=True)]
    if min(result) < 0:
        high, result = [2] * len(shape), [n + (n - 1) * i + a + 2 for n, a, i in zip(shape, low, interior, strict=True)]
    out, number = tensor(result, element), f"tensor<{element}>"
    types = f"({tensor(shape, element)}, {number}) -> {out}"
    body = f"%r = stablehlo.pad %0, {'%p' if rng.integers(2) else '%1'}, low = {low}, high = {high}, interior = {interior} : {types}"
    body = f"%p = stablehlo.constant dense<{'1.5' if element == 'f32' else '7'}> : {number}\n{body}"
    return module([(values(rng, shape, element), element), (values(rng, [], element), element)], body, [out])


def dynamic_slice(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    sizes = [int(rng.integers(1, n + 1)) for n in shape]
    index = str(rng.choice(INTEGERS))
    starts = [(index_values(rng, [], index), index) for _ in shape]
    names, scalars = ", ".join(f"%{i + 1}" for i in range(len(shape))), ", ".join(f"tensor<{index}>" for _ in shape)
    out = tensor(sizes, element)
    body = f"%r = stablehlo.dynamic_slice %0, {names}, sizes = {sizes} : ({tensor(shape, element)}, {scalars}) -> {out}"
    return module([(values(rng, shape, element), element), *starts], body, [out])


def dynamic_update_slice(rng: Rng) -> Case:
    shape, element = shape_of(rng), element_of(rng)
    sizes = [n if rng.random() < 0.4 else int(rng.integers(1, n + 1)) for n in shape]
    index = str(rng.choice(INTEGERS))
    starts = [(index_values(rng, [], index), index) for _ in shape]
    names = ", ".join(f"%{i + 2}" for i in range(len(shape)))
    t, scalars = tensor(shape, element), ", ".join(f"tensor<{index}>" for _ in shape)
    body = f"%r = stablehlo.dynamic_update_slice %0, %1, {names} : ({t}, {tensor(sizes, element)}, {scalars}) -> {t}"
    return module([(values(rng, s, element), element) for s in (shape, sizes)] + starts, body, [t])
