"""Random programs that write to buffers, and to views of them, mean the same once the order of their ops counts."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from ttstack.buffers.aliasing import through_aliases
from ttstack.dialects.context import new_context
from ttstack.dialects.ttir.destination import destination
from ttstack.mlir import ir
from ttstack.passes.base import Builtin, Pipeline
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.functional.hoist_assigns import HoistAssigns
from ttstack.passes.ttir.functional.insert_copies import InsertCopies
from ttstack.passes.ttir.functional.version_buffers import VersionBuffers
from ttstack.passes.ttir.queries.aliases import VIEWS, view_sources

PIPELINE = Pipeline(
    (VersionBuffers(), Builtin(pipeline="canonicalize"), Builtin(pipeline="cse"), HoistAssigns(), InsertCopies())
)
FLAT, DEEP = "tensor<64x32xf32>", "tensor<2x32x32xf32>"
SPELLED = {
    "assign": '"ttir.assign"({0}, {1}) : ({t}, {t}) -> ()',
    "flat": f'{{new}} = "ttir.reshape"({{0}}) {{{{shape = [64 : i32, 32 : i32]}}}} : ({{t}}) -> {FLAT}',
    "deep": f'{{new}} = "ttir.reshape"({{0}}) {{{{shape = [2 : i32, 32 : i32, 32 : i32]}}}} : ({{t}}) -> {DEEP}',
    "zeros": f'{{new}} = "ttir.zeros"() {{{{shape = array<i32: 64, 32>}}}} : () -> {FLAT}',
    "clone": '{new} = "ttir.clone"({0}) : ({t}) -> {t}',
    "neg": '{new} = "ttir.neg"({0}) : ({t}) -> {t}',
    "add": '{new} = "ttir.add"({0}, {1}) : ({t}, {t}) -> {t}',
}
FREQUENCIES = (4, 2, 2, 1, 1, 1, 1)
RESULT_TYPES = {"flat": FLAT, "zeros": FLAT, "deep": DEEP}
CONTEXT = new_context()
COMPUTED: dict[str, Callable[..., Any]] = {
    "ttir.zeros": lambda: np.zeros((64, 32)),
    "ttir.clone": np.copy,
    "ttir.neg": np.negative,
    "ttir.add": np.add,
}


def random_program(draw: Random) -> str:
    """A function that reads, views and overwrites values of two shapes, and gives some of them."""
    values, lines = {"%a": FLAT, "%b": FLAT, "%c": DEEP}, list[str]()
    for i, op in enumerate(draw.choices([*SPELLED], FREQUENCIES, k=draw.randint(2, 12))):
        value = draw.choice([*values])
        t, new = values[value], f"%{i}"
        other = draw.choice([v for v in values if values[v] == t])
        lines.append(SPELLED[op].format(value, other, t=t, new=new))
        if op != "assign":
            values[new] = RESULT_TYPES.get(op, t)
    results = draw.sample([*values], k=3)
    types = ", ".join(values[v] for v in results)
    text = "\n  ".join([*lines, f"return {', '.join(results)} : {types}"])
    return f"func.func @f(%a: {FLAT}, %b: {FLAT}, %c: {DEEP}) -> ({types}) {{\n  {text}\n}}"


def results(ops: Sequence[ir.Operation], arguments: Sequence[ir.Value], is_alias: Callable[[ir.Value], bool]) -> Any:
    """The results and what the arguments are afterwards, where views that are aliases share their operand's memory."""
    memory = {a: np.full(ir.RankedTensorType(a.type).shape, i + 1.0) for i, a in enumerate(arguments)}
    for op in ops[:-1]:
        operands = [memory[v] for v in op.operands]
        if op.name == "ttir.assign":
            operands[0][...] = operands[1].copy()
        elif op.name in VIEWS:
            seen = operands[0].reshape(ir.RankedTensorType(op.results[0].type).shape)
            memory[op.results[0]] = seen if is_alias(op.results[0]) else seen.copy()
        else:
            memory[op.results[0]] = COMPUTED[op.name](*operands)
    return np.stack([memory[v].reshape(64, 32) for v in (*ops[-1].operands, *arguments)])


@pytest.mark.parametrize("seed", range(8))
def test_what_is_read_is_what_a_buffer_held_then(seed: int):
    draw = Random(seed)
    for text in (random_program(draw) for _ in range(25)):
        with CONTEXT:
            wanted, got = before_and_after(ir.Module.parse(text))
        np.testing.assert_array_equal(got, wanted, text)


def before_and_after(module: ir.Module) -> tuple[Any, Any]:
    """What the function of a module gives as it is, and with all ops in the order in which they count."""
    (function,) = functions(module)
    ops, arguments = body(function), list(function.arguments)
    views = view_sources(ops)
    targets = {v for op in ops if (t := destination(op)) is not None for v in through_aliases(t, views)}
    wanted = results(ops, arguments, lambda view: view in targets)
    PIPELINE.run(module)
    (function,) = functions(module)
    return wanted, results(body(function), list(function.arguments), lambda _: True)
