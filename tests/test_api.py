"""The Python API: what compiles, what it gives, and what each wrong call says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttstack
from ttstack.context import new_context
from ttstack.diagnostics import (
    ExecutionError,
    InputError,
    InvalidIRError,
    OverrideError,
    PassOptionError,
    SourceError,
    SystemDescError,
    UnsupportedOpError,
)
from ttstack.mlir import ir
from ttstack.program.records import TensorKind
from ttstack.program.validate import validate_binary

T = "tensor<64x96xf32>"
SOURCE = f"""
func.func @forward(%a: {T}, %b: {T}) -> {T} {{
  %0 = "ttir.add"(%a, %b) : ({T}, {T}) -> {T}
  %1 = "ttir.relu"(%0) : ({T}) -> {T}
  return %1 : {T}
}}
"""

OLD_FORM = """\
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {tt.system_desc = #tt.system_desc<[<#tt.arch<wormhole_b0>, #tt.grid<8x8>>], [0], [<pcie|host_mmio>], [<0, 0, 0, 0>]>} {
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
%0 = tensor.empty() : tensor<64x128xf32>
%1 = "ttir.multiply"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
return %1 : tensor<64x128xf32>
}
}
"""


def compiled(text: str, **options: Any) -> ttstack.Program:
    program = ttstack.compile(f"\n{text}", **options)
    validate_binary(program.binary)
    return program


def function(arguments: str, lines: str, returned: str) -> str:
    """A module of one function; `returned` is `values : types`."""
    types = returned.partition(" : ")[2]
    return f"func.func @f({arguments}) -> ({types}) {{\n{lines}\n  return {returned}\n}}\n"


def outputs(text: str, *arrays: np.ndarray, **options: Any) -> list[np.ndarray]:
    inputs = {f"arg{i}": a for i, a in enumerate(arrays)}
    return list(compiled(text, **options).run(inputs).outputs.values())


def op_names(program: ttstack.Program) -> list[str]:
    return [op.name for op in program.function().operations if op.name not in ("deallocate", "to_layout")]


class TestSurface:
    def test_every_public_name_is_there(self):
        assert set(dir(ttstack)) == set(ttstack.__all__)
        assert all(getattr(ttstack, name) is not None for name in ttstack.__all__)

    def test_every_error_is_one_family(self):
        for error in (InvalidIRError, UnsupportedOpError, SourceError, PassOptionError, InputError, ExecutionError):
            assert issubclass(error, ttstack.TTStackError)

    def test_an_unknown_name_is_an_attribute_error(self):
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            _ = ttstack.nothing


class TestSources:
    def test_text(self):
        a, b = np.random.default_rng(0).standard_normal((2, 64, 96)).astype(np.float32)
        run = compiled(SOURCE).run({"arg0": a, "arg1": b})
        np.testing.assert_array_equal(run.outputs["output"], np.maximum(a + b, 0))

    @pytest.mark.parametrize("kind", [str, Path])
    def test_path(self, tmp_path: Path, kind: type):
        path = tmp_path / "model.mlir"
        path.write_text(SOURCE)
        program = ttstack.compile(kind(path))
        assert program.function().operations[0].location == f"{path}:3"

    def test_module(self):
        with new_context(), ir.Location.unknown():
            module = ir.Module.parse(SOURCE)
        assert op_names(ttstack.compile(module)) == ["add", "relu"]

    def test_the_old_form_compiles_and_runs(self):
        a, b = np.random.default_rng(0).standard_normal((2, 64, 128)).astype(np.float32)
        (product,) = outputs(OLD_FORM, a, b)
        np.testing.assert_array_equal(product, a * b)

    def test_signature(self):
        program = compiled(SOURCE)
        assert {n: str(t) for n, t in program.inputs().items()} == {"arg0": T, "arg1": T}
        assert {n: str(t) for n, t in program.outputs().items()} == {"output": T}
        assert program.phases["parse"] > 0


class TestErrors:
    def test_no_such_file(self):
        with pytest.raises(SourceError, match=r"'nowhere\.mlir' does not exist"):
            ttstack.compile("nowhere.mlir")

    def test_a_folder(self, tmp_path: Path):
        with pytest.raises(SourceError, match="is a folder"):
            ttstack.compile(tmp_path)

    def test_binary_data(self, tmp_path: Path):
        (tmp_path / "x.mlir").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(SourceError, match="is not MLIR text"):
            ttstack.compile(tmp_path / "x.mlir")

    def test_something_else(self):
        with pytest.raises(SourceError, match="cannot compile a int"):
            ttstack.compile(3)

    def test_text_that_does_not_parse(self):
        with pytest.raises(InvalidIRError) as e:
            compiled('func.func @f() { "ttir.add"( }')
        assert e.value.diagnostic.loc == "<text>:2:29"

    def test_unsupported_ops_are_all_listed(self):
        lines = [f'  %{i} = "ttir.{n}"(%a) : ({T}) -> {T}' for i, n in enumerate(("nope", "nix", "nope"))]
        with pytest.raises(UnsupportedOpError) as e:
            compiled(function(f"%a: {T}", "\n".join(lines), f"%2 : {T}"))
        assert "ttir.nope" in str(e.value)
        assert "ttir.nix" in str(e.value)
        assert "2" in next(n for n in e.value.diagnostic.notes if "nope" in n)

    def test_ops_of_other_dialects_are_unsupported_in_private_functions_too(self):
        text = """
        func.func private @g(%a: i32) -> i32 { %0 = arith.addi %a, %a : i32  return %0 : i32 }
        func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
        """
        with pytest.raises(UnsupportedOpError, match=r"arith\.addi"):
            compiled(text)

    @pytest.mark.parametrize("text", ["module {}", "func.func private @f(tensor<4xf32>)"])
    def test_nothing_to_compile(self, text: str):
        with pytest.raises(InvalidIRError, match="no public function with a body"):
            compiled(text)

    def test_dtype(self):
        with pytest.raises(PassOptionError) as e:
            compiled(SOURCE, dtype="i32", weights_dtype=8)
        assert e.value.diagnostic.notes == (
            "dtype: 'i32' is not one of f32, bf16, bfp8_b, bfp4_b",
            "weights_dtype: 8 is not one of f32, bf16, bfp8_b, bfp4_b",
        )

    def test_placement(self):
        with pytest.raises(PassOptionError, match="placement: Input should be 'greedy'"):
            compiled(SOURCE, placement="best")

    def test_overrides(self):
        with pytest.raises(OverrideError, match="add: nothing that can be fixed"):
            compiled(SOURCE, overrides={"add": {}})

    def test_device(self):
        with pytest.raises(SystemDescError, match="nothing"):
            compiled(SOURCE, system_desc="nothing")

    def test_what_is_no_device(self):
        with pytest.raises(SystemDescError, match="system_desc is a int"):
            compiled(SOURCE, system_desc=7)

    @pytest.mark.parametrize("given", [[np.zeros((64, 96), np.float32)], np.zeros((64, 96), np.float32)])
    def test_inputs_without_names(self, given: Any):
        with pytest.raises(InputError, match=r"not values by name[\s\S]*takes arg0: tensor<64x96xf32>, arg1"):
            compiled(SOURCE).run(given)

    @pytest.mark.parametrize("seed", [-1, "a", None])
    def test_seeds(self, seed: Any):
        with pytest.raises(InputError, match=f"seed is {seed!r}"):
            compiled(SOURCE).run(seed=seed)

    def test_two_arguments_of_one_name(self):
        argument = '{ttir.name = "x"}'
        text = function(f"%a: {T} {argument}, %b: {T} {argument}", "", f"%a : {T}")
        with pytest.raises(InvalidIRError, match="two arguments of function 'f' are called 'x'"):
            compiled(text)

    def test_one_parameter_of_two_types(self):
        kind = '{ttir.name = "w", ttcore.argument_type = #ttcore.argument_type<parameter>}'
        text = "\n".join(
            f"func.func @f{n}(%w: tensor<{n}xf32> {kind}) -> tensor<{n}xf32> {{ return %w : tensor<{n}xf32> }}"
            for n in (4, 5)
        )
        with pytest.raises(InvalidIRError, match="parameter 'w' is tensor<4xf32> in one function and tensor<5xf32>"):
            compiled(text)

    def test_control_flow(self):
        text = function("%a: tensor<4xf32>", "  cf.br ^end\n^end:", "%a : tensor<4xf32>")
        with pytest.raises(UnsupportedOpError, match=r"cf\.br"):
            compiled(text)

    @pytest.mark.parametrize(
        ("given", "says"), [({"arg1": (64, 96)}, "arg0"), ({"arg1": (96, 64)}, "arg1"), ({"x": (1,)}, "x")]
    )
    def test_inputs(self, given: dict[str, tuple[int, ...]], says: str):
        with pytest.raises(InputError, match=says):
            compiled(SOURCE).run({name: np.zeros(shape, np.float32) for name, shape in given.items()})


class TestFunctions:
    def test_every_public_function_is_a_program(self):
        t = "tensor<4xf32>"
        text = "\n".join(
            f'func.func @{n}(%a: {t}) -> {t} {{ %0 = "ttir.{n}"(%a) : ({t}) -> {t}\nreturn %0 : {t} }}'
            for n in ("exp", "neg")
        )
        program = compiled(text)
        assert [f.name for f in program.binary.functions] == ["exp", "neg"]
        assert program.run({"arg0": np.ones(4, np.float32)}, function="neg").outputs["output"].tolist() == [-1] * 4
        with pytest.raises(InputError, match="a function must be named; the program has exp, neg"):
            program.run()
        with pytest.raises(InputError, match="there is no function 'log'"):
            program.cost("log")

    def test_private_functions_are_inlined(self):
        text = """
        func.func private @square(%a: tensor<4xf32>) -> tensor<4xf32> {
          %0 = "ttir.multiply"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
          %0 = call @square(%a) : (tensor<4xf32>) -> tensor<4xf32>
          %1 = call @square(%0) : (tensor<4xf32>) -> tensor<4xf32>
          return %1 : tensor<4xf32>
        }
        """
        (out,) = outputs(text, np.full(4, 2, np.float32))
        assert out.tolist() == [16] * 4

    def test_an_argument_can_be_returned_twice(self):
        a = np.arange(4, dtype=np.float32)
        first, second = outputs(function("%a: tensor<4xf32>", "", "%a, %a : tensor<4xf32>, tensor<4xf32>"), a)
        np.testing.assert_array_equal(first, a)
        np.testing.assert_array_equal(second, a)

    def test_no_ops_cost_nothing(self):
        program = compiled(function("%a: tensor<4xf32>", "", "%a : tensor<4xf32>"))
        assert program.cost().total_ns == 0
        assert not program.cost().ops

    def test_a_result_that_nothing_uses_is_not_computed(self):
        lines = f'%0 = "ttir.exp"(%a) : ({T}) -> {T}\n%1 = "ttir.neg"(%a) : ({T}) -> {T}'
        assert op_names(compiled(function(f"%a: {T}", lines, f"%1 : {T}"))) == ["neg"]

    def test_equal_ops_are_computed_once(self):
        lines = f'%0 = "ttir.exp"(%a) : ({T}) -> {T}\n%1 = "ttir.exp"(%a) : ({T}) -> {T}'
        program = compiled(function(f"%a: {T}", lines, f"%0, %1 : {T}, {T}"))
        assert op_names(program) == ["exp"]
        assert len(program.outputs()) == 2


class TestValues:
    def test_constants_are_loaded_with_the_program(self):
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

    def test_constants_in_resources(self):
        constant = '%c = "ttir.constant"() {value = dense_resource<r> : tensor<2xf32>} : () -> tensor<2xf32>'
        resources = '\n{-# dialect_resources: {builtin: {r: "0x040000000000803F0000803F"}} #-}'
        program = compiled(function("", constant, "%c : tensor<2xf32>") + resources)
        (values,) = program.run({}).outputs.values()
        assert values.tolist() == [1, 1]

    @pytest.mark.parametrize("shape", [(), (5,), (1, 2, 1, 3, 4), (2, 1, 2, 1, 3, 4), (1, 1, 2, 2, 1, 3, 33)], ids=len)
    def test_ranks(self, shape: tuple[int, ...]):
        t = f"tensor<{''.join(f'{e}x' for e in shape)}f32>"
        lines = f'%0 = "ttir.add"(%a, %a) : ({t}, {t}) -> {t}\n%1 = "ttir.multiply"(%0, %a) : ({t}, {t}) -> {t}'
        a = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        (out,) = outputs(function(f"%a: {t}", lines, f"%1 : {t}"), a)
        np.testing.assert_array_equal(out, (a + a) * a)

    @pytest.mark.parametrize("dtype", ["i32", "i64", "ui8", "ui16", "ui32", "si32", "f64"])
    def test_numbers(self, dtype: str):
        t = f"tensor<33x3x{dtype}>"
        lines = f'%0 = "ttir.multiply"(%a, %b) : ({t}, {t}) -> {t}\n%1 = "ttir.maximum"(%0, %b) : ({t}, {t}) -> {t}'
        text = function(f"%a: {t}, %b: {t}", lines, f"%1 : {t}")
        numpy = compiled(text).inputs()["arg0"].dtype.numpy
        a, b = np.random.default_rng(0).integers(0, 9, (2, 33, 3)).astype(numpy)
        (out,) = outputs(text, a, b)
        assert out.dtype == numpy
        np.testing.assert_array_equal(out, np.maximum(a * b, b))

    def test_truth_values(self):
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

    def test_large_integers_keep_all_bits(self):
        t = "tensor<2xi64>"
        lines = f"""
        %c = "ttir.full"() {{shape = array<i32: 2>, fill_value = 1099511627776 : i64}} : () -> {t}
        %0 = "ttir.add"(%a, %c) : ({t}, {t}) -> {t}
        """
        (out,) = outputs(function(f"%a: {t}", lines, f"%0 : {t}"), np.array([1, 2]))
        assert out.tolist() == [2**40 + 1, 2**40 + 2]

    def test_large_integers_of_large_tensors_keep_all_bits(self):
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
    def test_no_elements(self, line: str, out: str):
        t = f"tensor<{out}xf32>"
        arguments = "%a: tensor<0x4xf32>, %b: tensor<0x8xf32>, %w: tensor<4x8xf32>, %i: tensor<0xi32>"
        (result,) = compiled(function(arguments, f"%0 = {line} -> {t}", f"%0 : {t}")).run().outputs.values()
        assert result.shape == tuple(map(int, out.split("x")))

    def test_a_region_of_several_ops_is_one_op(self):
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

    def test_layouts_of_the_source_give_way_to_placement(self):
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

    def test_memory_that_nothing_wrote_can_be_an_operand_and_a_destination(self):
        lines = f"""
        %e = "ttir.empty"() : () -> {T}
        %0 = "ttir.add"(%a, %e) : ({T}, {T}) -> {T}
        %1 = "ttir.softmax"(%0) {{dimension = 1 : si32}} : ({T}) -> {T}
        %2 = "ttir.exp"(%1) : ({T}) -> {T}
        """
        program = compiled(function(f"%a: {T}", lines, f"%2 : {T}"))
        assert op_names(program) == ["empty", "add", "softmax", "exp"]

    def test_a_constant_after_other_ops_lies_in_no_buffer_of_theirs(self):
        lines = f"""
        %0 = "ttir.exp"(%a) : ({T}) -> {T}
        %1 = "ttir.softmax"(%0) {{dimension = 1 : si32}} : ({T}) -> {T}
        %c = "ttir.constant"() {{value = dense<2.0> : {T}}} : () -> {T}
        %2 = "ttir.multiply"(%1, %c) : ({T}, {T}) -> {T}
        """
        a = np.random.default_rng(0).random((64, 96), np.float32)
        (out,) = outputs(function(f"%a: {T}", lines, f"%2 : {T}"), a, placement="dram")
        np.testing.assert_allclose(out.sum(1), 2, rtol=1e-5)


class TestOptions:
    @pytest.mark.parametrize("dtype", ["f32", "bf16", "bfp8_b", "bfp4_b"])
    def test_dtype_is_the_format_on_the_device(self, dtype: str):
        program = compiled(SOURCE, dtype=dtype)
        assert {t.layout.dtype.value for t in program.function().tensors} == {dtype}
        assert {str(t.type) for t in program.function().tensors} == {T}

    def test_device_numerics_round_to_the_format(self):
        a = np.random.default_rng(0).random((64, 96), np.float32)
        program = compiled(SOURCE, dtype="bf16")
        exact, rounded = (program.run({"arg0": a, "arg1": a}, numerics=n).outputs["output"] for n in ("ieee", "device"))
        np.testing.assert_array_equal(exact, a + a)
        assert (rounded != exact).any()
        np.testing.assert_allclose(rounded, exact, rtol=1e-2)

    def test_random_inputs_are_the_seeds(self):
        program = compiled(SOURCE)
        first, again, other = (program.run(seed=s).outputs["output"] for s in (1, 1, 2))
        np.testing.assert_array_equal(first, again)
        assert (first != other).any()

    def test_ir_after_every_pass_that_changed_it(self, tmp_path: Path):
        compiled(SOURCE, dump_ir=tmp_path / "ir")
        files = sorted(p.name for p in (tmp_path / "ir").iterdir())
        assert files[0] == "00-input.mlir"
        assert {f.split("-", 1)[1] for f in files} >= {"dispatch.mlir", "place.mlir", "assign-addresses.mlir"}

    def test_ir_in_the_program(self):
        stages = compiled(SOURCE, keep_ir=True).binary.stages
        assert "ttir.add" in stages["ttir"]
        assert "ttnn.add" in stages["ttnn"]

    def test_progress_names_every_phase(self):
        seen: list[str] = []
        program = compiled(SOURCE, progress=lambda phase, _: seen.append(phase))
        assert {"parse", "place"} <= set(seen) <= set(program.phases)

    def test_costs_are_of_the_ops(self):
        report = compiled(SOURCE).cost()
        assert [op.name for op in report.ops] == ["add", "relu"]
        assert report.total_ns > 0

    def test_a_program_survives_its_file(self, tmp_path: Path):
        program = compiled(SOURCE)
        program.save(tmp_path / "x.ttb")
        assert ttstack.load(tmp_path / "x.ttb").run().outputs.keys() == {"output"}


def test_a_device_can_be_a_path(tmp_path: Path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nchips:\n  - {base: wormhole.yaml, grid: [3, 5]}\n")
    assert compiled(SOURCE, system_desc=file).cost().system == "mine"


def test_a_program_in_a_line():
    assert repr(compiled(SOURCE)) == "Program for n150: forward(arg0: tensor<64x96xf32>, arg1: tensor<64x96xf32>)"


def test_a_report_in_print():
    printed = str(compiled(SOURCE).cost()).splitlines()
    assert printed[0].startswith("forward on n150: ")
    assert any(line.split()[1:2] == ["relu"] or " add " in line for line in printed)
    assert printed == [line.rstrip() for line in printed]
