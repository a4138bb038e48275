"""Functions for layers that a program repeats."""

import re

import pytest

import ttstack
from tests.ttnn_python.values import compare
from ttstack.compiled_program import Program

COUNT = 3
NAMED = '{{ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "model.layers.{}.{}"}}'


def stacked(shapes: list[str]) -> Program:
    """Layers of a product, a norm and what lies between, one after the other; a shape for each."""
    weights = [f"%w{i}: tensor<{s}xf32> {NAMED.format(i, 'weight')}" for i, s in enumerate(shapes)]
    weights += [f"%g{i}: tensor<64xf32> {NAMED.format(i, 'norm.weight')}" for i in range(len(shapes))]
    lines, x = ['%first = "ttir.neg"(%x) : (tensor<32x64xf32>) -> tensor<32x64xf32>'], "%first"
    for i, shape in enumerate(shapes):
        narrow, wide = "tensor<32x64xf32>", f"tensor<32x{shape.partition('x')[2]}xf32>"
        bounds = "begins = [0 : i32, 0 : i32], ends = [32 : i32, 64 : i32], step = [1 : i32, 1 : i32]"
        norm = "normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 1, 0>"
        lines += [
            f'%m{i} = "ttir.matmul"({x}, %w{i}) : ({narrow}, tensor<{shape}xf32>) -> {wide}',
            f'%c{i} = "ttir.cos"(%m{i}) : ({wide}) -> {wide}',
            f'%e{i} = "ttir.exp"(%c{i}) : ({wide}) -> {wide}',
            f'%s{i} = "ttir.slice_static"(%e{i}) <{{{bounds}}}> : ({wide}) -> {narrow}',
            f'%n{i} = "ttir.rms_norm"(%s{i}, %g{i}) <{{{norm}}}> : ({narrow}, tensor<64xf32>) -> {narrow}',
            f'%r{i} = "ttir.add"({x}, %n{i}) : ({narrow}, {narrow}) -> {narrow}',
        ]
        x = f"%r{i}"
    arguments = ", ".join(["%x: tensor<32x64xf32>", *weights])
    body = "\n".join(lines)
    return ttstack.compile(
        f"func.func @f({arguments}) -> tensor<32x64xf32> {{\n{body}\nreturn {x} : tensor<32x64xf32>\n}}"
    )


@pytest.fixture(scope="module")
def alike() -> Program:
    return stacked(["64x96"] * COUNT)


def test_layers_become_one_function_with_their_number(alike: Program):
    text = alike.to_python()
    assert text.count("def run_model_layers(") == 1
    assert [int(n) for n in re.findall(r"= run_model_layers\(device, t, (\d),", text)] == list(range(COUNT))
    assert text.count('t[f"model.layers.{layer}.weight"]') == 1
    assert text.count("ttnn.matmul(") == 1


def test_comments_of_a_layer_number_the_ops_of_all(alike: Program):
    ops = alike.cost().ops
    text = alike.to_python()
    numbered = [
        n for found, _ in re.findall(r"^    # ([\d, ]+) (\w+): ", text, re.MULTILINE) for n in found.split(", ")
    ]
    assert sorted(map(int, numbered)) == list(range(len(ops)))
    for first, last, time in re.findall(r"^    # (\d+) to (\d+): ([\d.]+) µs", text, re.MULTILINE):
        total = sum(op.elapsed_ns for op in ops[int(first) : int(last) + 1])
        assert float(time) == pytest.approx(total / 1000, abs=0.06)


def test_functions_give_what_the_program_gives(alike: Program):
    assert compare(alike).differences == []


def test_layers_that_are_not_all_alike_give_it_too():
    program = stacked(["64x96", "64x96", "64x128", "64x96"])
    assert "def run_" in program.to_python()
    assert compare(program).differences == []
