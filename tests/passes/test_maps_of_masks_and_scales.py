"""Random programs whose moves meet quantization and masks of attention: folded into maps or not, the same values."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.placement.compiled import computed
from ttstack.dialects.context import new_context
from ttstack.emit import emit
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import Pipeline
from ttstack.passes.pipelines import ttir_to_ttnn
from ttstack.passes.ttir.placement.fold_transposes_into_maps import FoldTransposesIntoMaps
from ttstack.program.records import Binary
from ttstack_runtime.executor import execute

CONTEXT = new_context()
OPTIONS = CompileOptions()
MOVES = ("permute", "transpose", "broadcast")


class Text:
    """A function under construction: each op gives the name and the shape of its result."""

    def __init__(self) -> None:
        self.arguments: list[str] = []
        self.lines: list[str] = []

    def argument(self, shape: tuple[int, ...], element: str = "f32") -> str:
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {spell(shape, element)}")
        return name

    def op(self, name: str, attributes: str, operands: list[tuple[str, str]], result: str) -> str:
        values, types = zip(*operands, strict=True)
        new = f"%{len(self.lines)}"
        given = f"({', '.join(values)}) {attributes} : ({', '.join(types)}) -> {result}"
        self.lines.append(f'  {new} = "ttir.{name}"{given}')
        return new

    def function(self, value: str, t: str) -> str:
        body = "\n".join([*self.lines, f"  return {value} : {t}"])
        return f"func.func @f({', '.join(self.arguments)}) -> {t} {{\n{body}\n}}"


def spell(shape: tuple[int, ...], element: str = "f32") -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def numbers(values: Any) -> str:
    return f"array<i64: {', '.join(map(str, values))}>"


def moved(draw: Random, text: Text, shape: tuple[int, ...], element: str = "f32") -> str:
    """A value of the shape: an argument, or one that was permuted or repeated, or both."""
    order = draw.choice([[*range(len(shape))], draw.sample(range(len(shape)), len(shape))])
    repeated = [draw.random() < 0.4 for _ in shape]
    small = tuple(1 if again else extent for again, extent in zip(repeated, shape, strict=True))
    source = tuple(small[order.index(d)] for d in range(len(shape)))
    value = text.argument(source, element)
    if order != sorted(order):
        attributes = f"{{permutation = {numbers(order)}}}"
        value = text.op("permute", attributes, [(value, spell(source, element))], spell(small, element))
    if any(repeated):
        factors = [e // s for e, s in zip(shape, small, strict=True)]
        attributes = f"{{broadcast_dimensions = {numbers(factors)}}}"
        value = text.op("broadcast", attributes, [(value, spell(small, element))], spell(shape, element))
    return value


def dequantized(draw: Random, text: Text, shape: tuple[int, ...]) -> str:
    """Numbers that were integers with scales, of which each may have been moved."""
    columns = draw.choice([(1,), shape[-1:]])
    scale, zero = moved(draw, text, columns), moved(draw, text, columns, "si32")
    parameters = [(scale, spell(columns)), (zero, spell(columns, "si32"))]
    axis = f"{{axis = {len(shape) - 1} : i32}}"
    integers = draw.random() < 0.5 and moved(draw, text, shape, "si8")
    if not integers:
        real = [(moved(draw, text, shape), spell(shape)), *parameters]
        integers = text.op("quantize_unrolled", axis, real, spell(shape, "si8"))
    if draw.random() < 0.3:
        changed = [(integers, spell(shape, "si8")), *parameters, *parameters]
        integers = text.op("requantize_unrolled", axis, changed, spell(shape, "si8"))
    return text.op("dequantize_unrolled", axis, [(integers, spell(shape, "si8")), *parameters], spell(shape))


def quantization(draw: Random) -> str:
    """A product or a sum of dequantized numbers and others."""
    text, batch, rows, columns = Text(), draw.choice([1, 3]), draw.choice([32, 40, 64]), draw.choice([32, 64])
    shape = (batch, rows, columns)
    x = dequantized(draw, text, shape)
    if draw.random() < 0.5:
        other, result = (batch, columns, 32), (batch, rows, 32)
        y = draw.choice([moved, dequantized])(draw, text, other)
        return text.function(
            text.op("matmul", "", [(x, spell(shape)), (y, spell(other))], spell(result)), spell(result)
        )
    y = moved(draw, text, shape)
    operation = draw.choice(["add", "multiply"])
    return text.function(text.op(operation, "", [(x, spell(shape)), (y, spell(shape))], spell(shape)), spell(shape))


def attention(draw: Random) -> str:
    """Attention whose mask was moved, computed or dequantized, and whose operands may have been moved too."""
    text, batch, heads = Text(), draw.choice([1, 2]), draw.choice([1, 4])
    rows, keys = draw.choice([32, 64]), draw.choice([32, 96])
    query, key, value = (batch, heads, rows, 32), (batch, heads, keys, 32), (batch, heads, keys, 32)
    q, k, v = (draw.choice([moved, plain])(draw, text, shape) for shape in (query, key, value))
    mask = (draw.choice([1, batch]), draw.choice([1, heads]), rows, keys)
    m = draw.choice([moved, moved, dequantized])(draw, text, mask)
    operands = [(q, spell(query)), (k, spell(key)), (v, spell(value)), (m, spell(mask))]
    sizes = "<{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, is_causal = false}>"
    return text.function(text.op("scaled_dot_product_attention", sizes, operands, spell(query)), spell(query))


def plain(_: Random, text: Text, shape: tuple[int, ...]) -> str:
    return text.argument(shape)


def compiled(text: str, *, folded: bool) -> Binary:
    pipeline = ttir_to_ttnn(OPTIONS)
    kept = tuple(step for step in pipeline.passes if folded or not isinstance(step, FoldTransposesIntoMaps))
    with CONTEXT, ir.Location.unknown():
        module = parse(text)
        Pipeline(kept).run(module)
        return emit(module, weights={}, pipeline="", options="", version="")


def arguments(binary: Binary, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    given: dict[str, np.ndarray[Any, Any]] = {}
    for name, tensor in binary.functions[0].arguments.items():
        t = tensor.type
        if t.dtype.is_float:
            given[name] = rng.uniform(0.1, 1.5, t.shape).astype(np.float32)
        else:
            given[name] = rng.integers(-5, 6, t.shape).astype(t.dtype.numpy)
    return given


@pytest.mark.parametrize("program", [quantization, attention])
def test_values_are_those_of_the_source(program: Callable[[Random], str]):
    draw, folded_away = Random(program.__name__), 0
    for seed in range(15):
        text = program(draw)
        one, apart = compiled(text, folded=True), compiled(text, folded=False)
        names = [[op.name for op in binary.functions[0].operations] for binary in (one, apart)]
        folded_away += sum(map(names[1].count, MOVES)) - sum(map(names[0].count, MOVES))
        given = arguments(one, seed)
        (got,), (want,) = execute(one, given).values(), execute(apart, given).values()
        np.testing.assert_allclose(got, want, 1e-6, 1e-6, err_msg=text)
        (source,) = computed(text, given)
        np.testing.assert_allclose(got, source, 1e-5, 1e-5, err_msg=text)
    assert folded_away > 1
