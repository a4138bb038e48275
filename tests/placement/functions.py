"""Random functions: chains, forks, residuals, views, lookups, norms and products on matrices."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

from hypothesis import strategies as st

Shape = tuple[int, ...]
Draw = Callable[[st.SearchStrategy[Any]], Any]

ROWS = st.sampled_from((32, 64, 96, 40, 128, 256))
COLUMNS = st.sampled_from((32, 64, 96, 17, 160, 512))


def _type(shape: Shape, dtype: str) -> str:
    return f"tensor<{''.join(f'{e}x' for e in shape)}{dtype}>"


@dataclass
class Function:
    """Text under construction; every value is a matrix, or a matrix with its rows split."""

    dtype: str
    arguments: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    values: list[tuple[str, Shape]] = field(default_factory=list)

    def argument(self, shape: Shape, dtype: str | None = None, kind: str = "input") -> str:
        name = f"%p{len(self.arguments)}"
        attributes = f'{{ttir.name = "{name[1:]}", ttcore.argument_type = #ttcore.argument_type<{kind}>}}'
        self.arguments.append((name, f"{_type(shape, dtype or self.dtype)} {attributes}"))
        return name

    def op(self, mnemonic: str, operands: list[tuple[str, Shape]], out: Shape, attributes: str = "") -> str:
        return self.raw(
            mnemonic, [(n, _type(s, self.dtype)) for n, s in operands], _type(out, self.dtype), attributes, out
        )

    def raw(
        self, mnemonic: str, operands: list[tuple[str, str]], out: str, attributes: str = "", shape: Shape | None = None
    ) -> str:
        name = f"%v{len(self.lines)}"
        types = ", ".join(t for _, t in operands)
        names = ", ".join(n for n, _ in operands)
        self.lines.append(f'  {name} = "ttir.{mnemonic}"({names}) {{{attributes}}} : ({types}) -> {out}')
        if shape is not None:
            self.values.append((name, shape))
        return name

    def text(self, returned: list[tuple[str, Shape]]) -> str:
        arguments = ", ".join(f"{n}: {t}" for n, t in self.arguments)
        types = ", ".join(_type(s, self.dtype) for _, s in returned)
        lines = "\n".join(self.lines)
        names = ", ".join(n for n, _ in returned)
        return f"func.func @f({arguments}) -> ({types}) {{\n{lines}\n  return {names} : {types}\n}}\n"


def _unary(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    f.op(draw(st.sampled_from(("sigmoid", "tanh", "relu", "neg"))), [value], value[1])


def _residual(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    others = [v for v in f.values if v[1] == value[1]]
    f.op(draw(st.sampled_from(("add", "maximum", "subtract"))), [value, draw(st.sampled_from(others))], value[1])


def _row(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    shape = (value[1][-1],)
    f.op("multiply", [value, (f.argument(shape, kind="parameter"), shape)], value[1])


def _product(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    k, n = value[1][-1], draw(COLUMNS)
    weight = (f.argument((k, n), kind="parameter"), (k, n))
    out = (*value[1][:-1], n)
    product = (f.op("matmul", [value, weight], out), out)
    if draw(st.booleans()):
        bias = (f.argument((n,), kind="parameter"), (n,))
        f.op("tanh", [(f.op("add", [product, bias], out), out)], out)


def _view(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    *rows, width = value[1]
    out = (
        (rows[0] * rows[1], width)
        if len(rows) == 2
        else (2, rows[0] // 2, width)
        if rows[0] % 2 == 0
        else (1, *rows, width)
    )
    f.op("reshape", [value], out, f"shape = [{', '.join(f'{e} : i32' for e in out)}]")


def _softmax(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    f.op("softmax", [value], value[1], f"dimension = {draw(st.integers(0, len(value[1]) - 1))} : si32")


def _norm(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    shape = value[1][-1:]
    weight = (f.argument(shape, kind="parameter"), shape)
    sizes = "operandSegmentSizes = array<i32: 1, 0, 1>"
    f.op("layer_norm", [value, weight], value[1], f"normalized_shape = array<i64: {shape[0]}>, {sizes}")


def _transpose(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    *lead, rows, width = value[1]
    f.op("transpose", [value], (*lead, width, rows), "dim0 = -1 : si32, dim1 = -2 : si32")


def _reduce(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    out = (*value[1][:-1], 1)
    kind = draw(st.sampled_from(("sum", "max", "mean")))
    reduced = f.op(kind, [value], out, f"keep_dim = true, dim_arg = [{len(value[1]) - 1} : i32]")
    f.values.pop()
    f.op("subtract", [value, (reduced, out)], value[1])


def _concat(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    out = (*value[1][:-1], 2 * value[1][-1])
    f.op("concat", [value, value], out, "dim = -1 : si32")


def _lookup(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    count, width = draw(ROWS), value[1][-1]
    table = f.argument((50, width), kind="parameter")
    index, t = f.argument((count,), "i32"), f"tensor<{count}xi32>"
    if draw(st.booleans()):
        index = f.raw("maximum", [(index, t), (index, t)], t)
    operands = [(index, t), (table, _type((50, width), f.dtype))]
    f.raw("embedding", operands, _type((count, width), f.dtype), "", (count, width))


def _window(draw: Draw, f: Function, value: tuple[str, Shape]) -> None:
    """Rows as the pixels of an image that is 8 wide, under windows of 3 x 3."""
    *rows, width = value[1]
    pixels = prod(rows)
    if pixels % 8:
        return
    flat, kind = (1, 1, pixels, width), draw(st.sampled_from(("max_pool2d", "conv2d", "depthwise")))
    image = (
        f"flattened_compat_info = #ttir<flattened_compat batch_size = 1, input_height = {pixels // 8}, input_width = 8>"
    )
    slide = f"stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, {image}"
    operands = [(f.op("reshape", [value], flat, f"shape = [{', '.join(f'{e} : i32' for e in flat)}]"), flat)]
    if kind == "max_pool2d":
        out, made = flat, f.op(kind, operands, flat, f"kernel = 3 : i32, ceil_mode = false, {slide}")
    else:
        groups = width if kind == "depthwise" else 1
        channels = width if kind == "depthwise" else draw(COLUMNS)
        weight, out = (channels, width // groups, 3, 3), (1, 1, pixels, channels)
        operands.append((f.argument(weight, kind="parameter"), weight))
        made = f.op("conv2d", operands, out, f"groups = {groups} : i32, {slide}")
    del f.values[-2:]
    back = (pixels, out[-1])
    f.op("reshape", [(made, out)], back, f"shape = [{', '.join(f'{e} : i32' for e in back)}]")


_STEPS = (_unary, _residual, _row, _product, _view, _softmax, _norm, _transpose, _reduce, _concat, _lookup, _window)


@st.composite
def functions(draw: Draw, most: int = 10) -> str:
    """The text of a module of one function `f`."""
    f = Function(draw(st.sampled_from(("f32", "bf16"))))
    shape = (draw(ROWS), draw(COLUMNS))
    f.values.append((f.argument(shape), shape))
    for step in draw(st.lists(st.sampled_from(_STEPS), min_size=1, max_size=most)):
        recent = f.values[-3:]
        step(draw, f, draw(st.sampled_from(recent)))
    returned = draw(st.lists(st.sampled_from(f.values[1:]), min_size=1, max_size=2))
    return f.text([*returned, f.values[-1]])
