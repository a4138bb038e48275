"""What programs compute, whatever their types, shapes and regions."""

import numpy as np
import pytest

from tests.api.programs import T, compiled, function, op_names, outputs
from ttstack.program.records import TensorKind


def test_constants_are_loaded_with_the_program():
    lines = """
    %c = "ttir.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xbf16>} : () -> tensor<3xbf16>
    %0 = "ttir.add"(%a, %c) : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16>
    """
    program = compiled(function("%a: tensor<3xbf16>", lines, "%0 : tensor<3xbf16>"))
    (constant,) = (t for t in program.function().tensors if t.kind is TensorKind.CONSTANT)
    data = program.binary.weights[constant.name].data
    assert data is not None
    assert data.tolist() == [1, 2, 3]
    ones = np.ones(3, program.inputs()["arg0"].dtype.numpy)
    assert program.run({"arg0": ones}).outputs["output"].tolist() == [2, 3, 4]


def test_constants_in_resources():
    constant = '%c = "ttir.constant"() {value = dense_resource<r> : tensor<2xf32>} : () -> tensor<2xf32>'
    resources = '\n{-# dialect_resources: {builtin: {r: "0x040000000000803F0000803F"}} #-}'
    program = compiled(function("", constant, "%c : tensor<2xf32>") + resources)
    (values,) = program.run({}).outputs.values()
    assert values.tolist() == [1, 1]


@pytest.mark.parametrize("shape", [(), (5,), (1, 2, 1, 3, 4), (2, 1, 2, 1, 3, 4), (1, 1, 2, 2, 1, 3, 33)], ids=len)
def test_ranks(shape: tuple[int, ...]):
    t = f"tensor<{''.join(f'{e}x' for e in shape)}f32>"
    lines = f'%0 = "ttir.add"(%a, %a) : ({t}, {t}) -> {t}\n%1 = "ttir.multiply"(%0, %a) : ({t}, {t}) -> {t}'
    a = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    (out,) = outputs(function(f"%a: {t}", lines, f"%1 : {t}"), a)
    np.testing.assert_array_equal(out, (a + a) * a)


@pytest.mark.parametrize("dtype", ["i32", "i64", "ui8", "ui16", "ui32", "si32", "f64"])
def test_numbers(dtype: str):
    t = f"tensor<33x3x{dtype}>"
    lines = f'%0 = "ttir.multiply"(%a, %b) : ({t}, {t}) -> {t}\n%1 = "ttir.maximum"(%0, %b) : ({t}, {t}) -> {t}'
    text = function(f"%a: {t}, %b: {t}", lines, f"%1 : {t}")
    numpy = compiled(text).inputs()["arg0"].dtype.numpy
    a, b = np.random.default_rng(0).integers(0, 9, (2, 33, 3)).astype(numpy)
    (out,) = outputs(text, a, b)
    assert out.dtype == numpy
    np.testing.assert_array_equal(out, np.maximum(a * b, b))


def test_truth_values():
    t, b = "tensor<4x4xf32>", "tensor<4x4xi1>"
    lines = f"""
    %0 = "ttir.gt"(%x, %y) : ({t}, {t}) -> {b}
    %1 = "ttir.logical_and"(%0, %m) : ({b}, {b}) -> {b}
    %2 = "ttir.where"(%1, %x, %y) : ({b}, {t}, {t}) -> {t}
    """
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 4, 4)).astype(np.float32)
    mask = rng.integers(0, 2, (4, 4)).astype(bool)
    chosen, value = outputs(function(f"%x: {t}, %y: {t}, %m: {b}", lines, f"%1, %2 : {b}, {t}"), x, y, mask)
    assert chosen.dtype == np.bool_
    np.testing.assert_array_equal(chosen, (x > y) & mask)
    np.testing.assert_array_equal(value, np.where((x > y) & mask, x, y))


def test_large_integers_keep_all_bits():
    t = "tensor<2xi64>"
    lines = f"""
    %c = "ttir.full"() {{shape = array<i32: 2>, fill_value = 1099511627776 : i64}} : () -> {t}
    %0 = "ttir.add"(%a, %c) : ({t}, {t}) -> {t}
    """
    (out,) = outputs(function(f"%a: {t}", lines, f"%0 : {t}"), np.array([1, 2]))
    assert out.tolist() == [2**40 + 1, 2**40 + 2]


def test_large_integers_of_large_tensors_keep_all_bits():
    """Above the size that is folded, so the attribute goes through the whole pipeline."""
    t = "tensor<128x128xi64>"
    full = f'%c = "ttir.full"() {{shape = array<i32: 128, 128>, fill_value = 1099511627776 : i64}} : () -> {t}'
    (out,) = outputs(function("", full, f"%c : {t}"))
    assert (out == 2**40).all()


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ('"ttir.exp"(%a) : (tensor<0x4xf32>)', "0x4"),
        ('"ttir.softmax"(%a) {dimension = 1 : si32} : (tensor<0x4xf32>)', "0x4"),
        ('"ttir.sum"(%a) {keep_dim = false, dim_arg = [0 : i32]} : (tensor<0x4xf32>)', "4"),
        ('"ttir.matmul"(%a, %w) : (tensor<0x4xf32>, tensor<4x8xf32>)', "0x8"),
        ('"ttir.concat"(%w, %w, %b) {dim = 0 : si32} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<0x8xf32>)', "8x8"),
        ('"ttir.embedding"(%i, %w) : (tensor<0xi32>, tensor<4x8xf32>)', "0x8"),
        ('"ttir.transpose"(%a) {dim0 = 0 : si32, dim1 = 1 : si32} : (tensor<0x4xf32>)', "4x0"),
    ],
)
def test_no_elements(line: str, out: str):
    t = f"tensor<{out}xf32>"
    arguments = "%a: tensor<0x4xf32>, %b: tensor<0x8xf32>, %w: tensor<4x8xf32>, %i: tensor<0xi32>"
    (result,) = compiled(function(arguments, f"%0 = {line} -> {t}", f"%0 : {t}")).run().outputs.values()
    assert result.shape == tuple(map(int, out.split("x")))


def test_a_region_of_several_ops_is_one_op():
    tile = "!tt.tile<[32, 32], f32>"
    lines = f"""
    %e = "ttir.empty"() : () -> {T}
    %0 = "ttir.generic"(%a, %b, %e) ({{
    ^bb0(%x: {tile}, %y: {tile}, %o: {tile}):
      %1 = "ttir.tile_exp"(%x) : ({tile}) -> {tile}
      %2 = "ttir.tile_multiply"(%1, %y) : ({tile}, {tile}) -> {tile}
      "ttir.yield"(%2) : ({tile}) -> ()
    }}) {{access = ["local", "local", "local"], iterator_types = ["parallel", "parallel"], indexing_maps = [
      affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (0, d1)>, affine_map<(d0, d1) -> (d0, d1)>]}}
      : ({T}, tensor<1x96xf32>, {T}) -> {T}
    """
    text = function(f"%a: {T}, %b: tensor<1x96xf32>", lines, f"%0 : {T}")
    assert op_names(compiled(text)) == ["generic"]
    rng = np.random.default_rng(0)
    a, b = rng.random((64, 96), np.float32), rng.random((1, 96), np.float32)
    (out,) = outputs(text, a, b)
    np.testing.assert_allclose(out, np.exp(a) * b, rtol=1e-6)


def test_layouts_of_the_source_give_way_to_placement():
    layout = (
        "#tt.layout<affine_map<(d0, d1) -> (d0, d1)>, #tt.grid<[1, 1]>, [2, 3], !tt.tile<[32, 32], f32>, "
        '#tt.memory_space<"l1">, #tt.memory_layout<"interleaved">>'
    )
    l1 = f"tensor<64x96xf32, {layout}>"
    lines = f"""
    %e = "ttir.empty"() : () -> {l1}
    %0 = "ttir.to_layout"(%a, %e) : ({T}, {l1}) -> {l1}
    %1 = "ttir.exp"(%0) : ({l1}) -> {l1}
    """
    text = function(f"%a: {T}", lines, f"%1 : {l1}")
    a = np.random.default_rng(0).random((64, 96), np.float32)
    assert op_names(compiled(text)) == ["exp"]
    np.testing.assert_array_equal(outputs(text, a)[0], np.exp(a))


def test_memory_that_nothing_wrote_can_be_an_operand_and_a_destination():
    lines = f"""
    %e = "ttir.empty"() : () -> {T}
    %0 = "ttir.add"(%a, %e) : ({T}, {T}) -> {T}
    %1 = "ttir.softmax"(%0) {{dimension = 1 : si32}} : ({T}) -> {T}
    %2 = "ttir.exp"(%1) : ({T}) -> {T}
    """
    program = compiled(function(f"%a: {T}", lines, f"%2 : {T}"))
    assert op_names(program) == ["empty", "add", "softmax", "exp"]


def test_a_constant_after_other_ops_lies_in_no_buffer_of_theirs():
    lines = f"""
    %0 = "ttir.exp"(%a) : ({T}) -> {T}
    %1 = "ttir.softmax"(%0) {{dimension = 1 : si32}} : ({T}) -> {T}
    %c = "ttir.constant"() {{value = dense<2.0> : {T}}} : () -> {T}
    %2 = "ttir.multiply"(%1, %c) : ({T}, {T}) -> {T}
    """
    a = np.random.default_rng(0).random((64, 96), np.float32)
    (out,) = outputs(function(f"%a: {T}", lines, f"%2 : {T}"), a, placement="dram")
    np.testing.assert_allclose(out.sum(1), 2, rtol=1e-5)
