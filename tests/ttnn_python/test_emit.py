"""Programs as Python."""

import ast
import re

import pytest

import ttstack
from tests.docs.pages import ROOT
from ttstack.compiled_program import Program
from ttstack.device.program_config import config_fields


@pytest.fixture(scope="module")
def encoder() -> Program:
    return ttstack.compile(ROOT / "examples/encoder_layer.mlir")


def test_the_file_is_python_with_every_op_in_order(encoder: Program):
    text = encoder.to_python()
    ast.parse(text)
    numbered = [(int(n), name) for n, name in re.findall(r"^    # (\d+) (\w+): ", text, re.MULTILINE)]
    assert numbered == [(op.index, op.name) for op in encoder.cost().ops]
    freed = [op for op in encoder.function().operations if op.name == "deallocate"]
    assert text.count("ttnn.deallocate(") == len(freed)


def test_all_names_are_defined_before_they_are_used(encoder: Program):
    tree = ast.parse(encoder.to_python())
    (forward,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "forward")
    defined = {"ttnn", "device", "t"} | {
        name for node in tree.body if isinstance(node, ast.Assign) for name in stored(node)
    }
    for statement in forward.body:
        read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        assert read <= defined
        defined |= stored(statement)


def stored(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def test_configurations_are_those_of_the_program(encoder: Program):
    text = encoder.to_python()
    for op in encoder.function().operations:
        fields = config_fields(op.config)
        for name in ("per_core_M", "per_core_N", "in0_block_w"):
            assert name not in fields or f"{name}={fields[name]}" in text


def test_a_bias_stays_on_the_host_through_views_and_its_transposed_weights_with_it():
    parameter = '{tt.argument_type = #tt.argument_type<"parameter">}'
    attributes = ", ".join(
        f"{name} = array<i32: {value}, {value}>"
        for name, value in (("stride", 2), ("dilation", 1), ("output_padding", 0))
    )
    text = f"""func.func @f(%x: tensor<1x8x8x32xbf16>, %w: tensor<32x16x2x2xbf16> {parameter},
                            %b: tensor<16xbf16> {parameter}) -> tensor<1x16x16x16xbf16> {{
      %r = "ttir.reshape"(%b) {{shape = [1 : i32, 1 : i32, 1 : i32, 16 : i32]}}
        : (tensor<16xbf16>) -> tensor<1x1x1x16xbf16>
      %y = "ttir.conv_transpose2d"(%x, %w, %r) {{{attributes}, padding = array<i32: 0, 0, 0, 0>, groups = 1 : i32}}
        : (tensor<1x8x8x32xbf16>, tensor<32x16x2x2xbf16>, tensor<1x1x1x16xbf16>) -> tensor<1x16x16x16xbf16>
      return %y : tensor<1x16x16x16xbf16>
    }}"""
    emitted = ttstack.compile(text).to_python()
    assert "prepare_conv_transpose2d_weights" not in emitted
    assert re.search(r'ttnn\.reshape\(t\["arg2"\], \[1, 1, 1, 16\]\)', emitted)
