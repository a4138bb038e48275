"""StableHLO modules: values against the reference interpreter and JAX, weights outside, names, refusals, wrong files."""

import io
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ttstack
from tests.frontends.stablehlo_modules import CASES
from ttstack.diagnostics import InvalidIRError, SourceError, TTStackError, UnsupportedOpError
from ttstack.dialects.context import new_context
from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.dialects.functions import all_functions
from ttstack.dialects.types import read_type
from ttstack.frontends.readers import SourceModel
from ttstack.frontends.readers.text import read_string
from ttstack.frontends.source import import_model
from ttstack.frontends.stablehlo_to_ttir import CONVERSIONS
from ttstack.mlir import PassManager, ir, register_stablehlo_dialects, stablehlo

EXPORTS = Path(__file__).parent / "jax_exports"
Array = np.ndarray[Any, Any]
Interpret = Callable[..., list[Array]]
SEEDS = 4
"""Modules of each kind."""


def function(body: str, signature: str = "(%x: tensor<4xf32>) -> tensor<4xf32>") -> str:
    return f"func.func @main{signature} {{\n{body}\n}}"


def computed(source: SourceModel, inputs: list[Array], interpret: Interpret) -> list[Array]:
    with np.errstate(all="ignore"):
        return interpret(source.module, [*inputs, *source.weights.values()])


def reference(text: str, inputs: Sequence[Array]) -> list[Array]:
    module = ir.Module.parse(text)
    PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))").run(module.operation)
    (main,) = (f for f in all_functions(module) if f.name.value == "main")
    types = [read_type(a.type) for a in main.arguments]
    arguments = [elements_attribute(x, t) for x, t in zip(inputs, types, strict=True)]
    return [read_elements(values) for values in stablehlo.eval_module(module, arguments)]


@pytest.mark.parametrize("name", CASES)
def test_generated_modules_agree_with_the_reference_interpreter(name: str, interpret: Interpret):
    for seed in range(SEEDS):
        case = CASES[name](np.random.default_rng([zlib.crc32(name.encode()), seed]))
        with new_context() as context, ir.Location.unknown():
            got = computed(read_string(case.text, "<text>"), case.inputs, interpret)
            register_stablehlo_dialects(context)
            wanted = reference(case.text, case.inputs)
        for g, w in zip(got, wanted, strict=True):
            assert (g.dtype, g.shape) == (w.dtype, w.shape)
            if w.dtype.kind == "f":
                np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-6, err_msg=case.text)
            else:
                np.testing.assert_array_equal(g, w, err_msg=case.text)


_QUANTIZED = "tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>"
_COARSE = "tensor<2x3x!quant.uniform<i8:f32, 2.0:-1>>"
_X = np.array([[-1.3, 0.2, 7.9], [-99, 99, 2.25]], "f4")


def _stored(scale: float, zero: int, x: Array) -> Array:
    return np.clip(np.round(x / scale) + zero, -128, 127)


_NEAR, _FAR = ((_stored(0.5, 3, _X) - 3) / 2).astype("f4"), "tensor<2x3xf32>"
BY_HAND = {
    "partition_id": ("%p = stablehlo.partition_id : tensor<ui32>", "tensor<ui32>", np.uint32(0)),
    "replica_id": ("%p = stablehlo.replica_id : tensor<ui32>", "tensor<ui32>", np.uint32(0)),
    "real": (f"%p = stablehlo.real %x : ({_FAR}) -> {_FAR}", _FAR, _X),
    "imag": (f"%p = stablehlo.imag %x : ({_FAR}) -> {_FAR}", _FAR, np.zeros((2, 3), "f4")),
    "uniform_quantize": (
        f"""%q = stablehlo.uniform_quantize %x : ({_FAR}) -> {_QUANTIZED}
        %p = stablehlo.uniform_dequantize %q : ({_QUANTIZED}) -> {_FAR}""",
        _FAR,
        _NEAR,
    ),
    "uniform_quantize of another scale": (
        f"""%q = stablehlo.uniform_quantize %x : ({_FAR}) -> {_QUANTIZED}
        %c = stablehlo.uniform_quantize %q : ({_QUANTIZED}) -> {_COARSE}
        %p = stablehlo.uniform_dequantize %c : ({_COARSE}) -> {_FAR}""",
        _FAR,
        ((_stored(2.0, -1, _NEAR) + 1) * 2).astype("f4"),
    ),
    "dynamic_reshape": (
        f"""%s = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
        %p = stablehlo.dynamic_reshape %x, %s : ({_FAR}, tensor<2xi32>) -> tensor<3x2xf32>""",
        "tensor<3x2xf32>",
        _X.reshape(3, 2),
    ),
    "dynamic_broadcast_in_dim": (
        f"""%s = stablehlo.constant dense<[2, 4, 3]> : tensor<3xi32>
        %p = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0, 2] : ({_FAR}, tensor<3xi32>) -> tensor<2x4x3xf32>""",
        "tensor<2x4x3xf32>",
        np.broadcast_to(_X[:, None], (2, 4, 3)),
    ),
    "dynamic_pad": (
        f"""%n = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
        %z = stablehlo.constant dense<7.0> : tensor<f32>
        %p = stablehlo.dynamic_pad %x, %z, %n, %n, %n : ({_FAR}, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x3xf32>""",
        "tensor<5x3xf32>",
        np.stack([row for x in _X for row in (np.full(3, 7, "f4"), x)] + [np.full(3, 7, "f4")]),
    ),
}
"""Ops that the interpreter has not, or not by themselves, what they give, and of which values."""


@pytest.mark.parametrize("name", BY_HAND)
def test_ops_that_the_interpreter_has_not(name: str, interpret: Interpret):
    body, result, wanted = BY_HAND[name]
    text = function(f"{body}\nreturn %p : {result}", f"(%x: {_FAR}) -> {result}")
    with new_context(), ir.Location.unknown():
        (got,) = computed(read_string(text, "<text>"), [_X], interpret)
    assert got.dtype == np.asarray(wanted).dtype
    np.testing.assert_array_equal(got, wanted)


def test_every_conversion_is_named_by_a_test():
    files = [path for path in Path(__file__).parents[1].rglob("*") if path.suffix in (".py", ".mlir")]
    said = {word for path in files for word in re.findall(r"\w+", path.read_text())}
    assert not [name for name in CONVERSIONS if re.split(r"[.@]", name)[-1] not in said]


def test_there_are_200_generated_modules():
    assert len(CASES) * SEEDS >= 200


def stored(name: str) -> tuple[list[Array], list[Array]]:
    with np.load(EXPORTS / f"{name}.npz") as file:
        inputs = [file[f"input{i}"] for i in range(sum(key.startswith("input") for key in file))]
        return inputs, [file[f"output{i}"] for i in range(sum(key.startswith("output") for key in file))]


NAMES = ("mlp", "attention", "convolution", "scan", "sort", "indexing", "training", "dropout")


@pytest.mark.parametrize("name", NAMES)
def test_exports_agree_with_the_reference_interpreter(name: str, interpret: Interpret):
    inputs, _ = stored(name)
    file = EXPORTS / f"{name}.mlir"
    with import_model(file) as source:
        got = computed(source, inputs, interpret)
    with new_context() as context, ir.Location.unknown():
        register_stablehlo_dialects(context)
        wanted = reference(file.read_text(), inputs)
    for g, w in zip(got, wanted, strict=True):
        if w.dtype.kind == "f":
            np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-5 * np.abs(w).max())
        else:
            np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize("suffix", [".mlir", ".stablehlo", ".jax"])
@pytest.mark.parametrize("name", NAMES)
def test_exports_compute_what_jax_computes(name: str, suffix: str, interpret: Interpret):
    inputs, wanted = stored(name)
    with import_model(EXPORTS / f"{name}{suffix}") as source:
        got = computed(source, inputs, interpret)
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["attention", "scan"])
def test_compiled_exports_run(name: str):
    inputs, wanted = stored(name)
    program = ttstack.compile(EXPORTS / f"{name}.stablehlo")
    outputs = program.run(dict(zip(program.inputs(), inputs, strict=True))).outputs
    for got, want in zip(outputs.values(), wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_what_jax_spells_out_is_found_again():
    program = ttstack.compile(EXPORTS / "attention.mlir")
    names = [op.name for op in program.function().operations]
    assert [names.count(name) for name in ("softmax", "scaled_dot_product_attention", "layer_norm", "split_heads")] == [
        0,
        1,
        1,
        0,
    ], "heads of fewer elements than a tile has are moved by reshapes and permutations"


def test_nested_structures_give_dotted_names_and_lines_of_python_are_kept():
    program = ttstack.compile(EXPORTS / "mlp.mlir")
    assert list(program.inputs()) == ["params.0.b", "params.0.w", "params.1.b", "params.1.w", "x"]
    assert list(program.outputs()) == ["output.best.0", "output.best.1", "output.probabilities"]
    assert any("(export.py:" in op.location for op in program.function().operations)


T = "tensor<4xf32>"


_ALL_REDUCE = f"""%r = "stablehlo.all_reduce"(%x) ({{
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %c = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %c : tensor<f32>
}}) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({T}) -> {T}"""

_PADDED = f"""%i = stablehlo.convert %x : ({T}) -> tensor<4xi64>
%n = stablehlo.slice %i [0:1] : (tensor<4xi64>) -> tensor<1xi64>
%z = stablehlo.constant dense<0.0> : tensor<f32>
%p = stablehlo.dynamic_pad %x, %z, %n, %n, %n : ({T}, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<9xf32>
%r = stablehlo.slice %p [0:4] : (tensor<9xf32>) -> {T}"""

_CALLS = f"""%a = stablehlo.custom_call @f(%x) : ({T}) -> {T}
%b = stablehlo.custom_call @f(%a) : ({T}) -> {T}
%r = stablehlo.custom_call @g(%b) : ({T}) -> {T}"""

_ROUNDED_TWICE = f"""%a = stablehlo.reduce_precision %x, format = e3m2 : {T}
%r = stablehlo.reduce_precision %a, format = e4m4 : {T}"""

_ROUNDED_BESIDE = f"""%a = stablehlo.reduce_precision %x, format = e3m2 : {T}
%b = stablehlo.reduce_precision %x, format = e4m4 : {T}
%r = stablehlo.add %a, %b : {T}"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"%r = stablehlo.custom_call @mine(%x) : ({T}) -> {T}", "@mine: 1, first at <text>:2"),
        (_CALLS, "3 ops of 2 kinds cannot be compiled\n  = note: @f: 2, first at <text>:2\n  = note: @g: 1"),
        (_ROUNDED_TWICE, "rounds to 3 bits of exponent and 2 of mantissa\n  --> <text>:2"),
        (_ROUNDED_BESIDE, "2 ops cannot be compiled in the form that they have\n.* 3 bits .*\n.* 4 bits "),
        (_ALL_REDUCE, "is among 2 devices"),
        (_PADDED, "`stablehlo.dynamic_pad` has amounts that are computed by the model"),
    ],
)
def test_refusals_are_reported_together(body: str, message: str):
    with pytest.raises(UnsupportedOpError, match=message):
        ttstack.compile(function(f"{body}\nreturn %r : {T}"))


def test_recursion_and_endless_code_are_refused():
    call = function(f"%a = stablehlo.abs %x : {T}\n%r = call @main(%a) : ({T}) -> {T}\nreturn %r : {T}")
    with pytest.raises(UnsupportedOpError, match="calls 'main', which calls itself"):
        ttstack.compile(call)
    loop = function(
        f"""%z = stablehlo.constant dense<0> : tensor<i32>
        %r:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, {T}
          cond {{
            %c = stablehlo.compare GE, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          }} do {{
            %w = stablehlo.add %v, %v : {T}
            stablehlo.return %i, %w : tensor<i32>, {T}
          }}
        return %r#1 : {T}"""
    )
    with pytest.raises(UnsupportedOpError, match="more than 20,000 ops that loops are written out to"):
        ttstack.compile(loop)


def weighted(constant: str, rest: str = "") -> str:
    body = f"%w = stablehlo.constant {constant} : tensor<512xf32>\n%r = stablehlo.add %x, %w : tensor<512xf32>"
    return function(f"{body}\nreturn %r : tensor<512xf32>", "(%x: tensor<512xf32>) -> tensor<512xf32>") + rest


WEIGHT = np.arange(512, dtype=np.float32)
DENSE = weighted(f'dense<"0x{WEIGHT.tobytes().hex().upper()}">')
RESOURCE = weighted(
    "dense_resource<layer.w>", '\n{-# dialect_resources: { builtin: { layer.w: "0x04000000DATA" } } #-}'
)
FILLED = RESOURCE.replace("DATA", WEIGHT.tobytes().hex().upper())


def bytecode(text: str) -> bytes:
    with new_context() as context, ir.Location.unknown():
        register_stablehlo_dialects(context)
        written = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(written)
        return written.getvalue()


@pytest.mark.parametrize(("text", "name"), [(DENSE, "constant.0"), (FILLED, "layer.w")])
@pytest.mark.parametrize("binary", [False, True])
def test_large_constants_are_parameters_whose_values_stay_outside(text: str, name: str, binary: bool, tmp_path: Path):
    path = tmp_path / ("x.mlirbc" if binary else "x.mlir")
    path.write_bytes(bytecode(text) if binary else text.encode())
    with import_model(path) as source:
        assert len(str(source.module)) < 1000
        np.testing.assert_array_equal(source.weights[name], WEIGHT)
    program = ttstack.compile(path)
    outputs = program.run({"arg0": WEIGHT}).outputs
    np.testing.assert_array_equal(outputs["output"], 2 * WEIGHT)


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (
            RESOURCE.replace("DATA", "0000"),
            SourceError,
            "resource 'layer.w' has 2 bytes for tensor<512xf32>, which takes 2048",
        ),
        (RESOURCE.replace("DATA", "00f"), SourceError, "resource 'layer.w' has bytes that are not hexadecimal"),
        (weighted("dense_resource<w>"), SourceError, "resource 'w' has no data"),
        (function("%r = stablehlo.abs %y : tensor<4xf32>"), InvalidIRError, "undeclared SSA value"),
        (function(f"%r = stablehlo.abs %x : {T}\nreturn %r : tensor<4xi32>"), InvalidIRError, "cannot read the module"),
        (function(f"%r = stablehlo.nothing %x : {T}"), TTStackError, "nothing"),
    ],
)
def test_wrong_text_gives_one_error(content: str, error: type[TTStackError], message: str):
    with pytest.raises(error, match=message):
        ttstack.compile(content)


ARTIFACT = (EXPORTS / "scan.stablehlo").read_bytes()
EXPORTED = (EXPORTS / "scan.jax").read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.stablehlo", ARTIFACT[: len(ARTIFACT) // 2], "is cut short or damaged\n.*attempting to parse"),
        (
            "x.stablehlo",
            ARTIFACT.replace(b"_v1.", b"_v9.")[: len(ARTIFACT) // 2],
            "was written by StableHLO 9.*, this reader knows 1",
        ),
        (
            "x.stablehlo",
            (EXPORTS / "solve.stablehlo").read_bytes(),
            "uses the dialect 'sdy'.*\n.*one chip.*mlir_module",
        ),
        ("x.stablehlo", b"\x00" + ARTIFACT, "is not MLIR bytecode"),
        ("x.jax", EXPORTED[: len(EXPORTED) // 2], "is cut short: the module in it has"),
        ("x.jax", b"nothing of the kind", "is not a serialized JAX export"),
        ("x.mlir", ARTIFACT, "is not MLIR text; it looks like MLIR bytecode"),
    ],
)
def test_wrong_files_give_one_error(name: str, content: bytes, message: str, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=message):
        ttstack.compile(tmp_path / name)


@pytest.mark.parametrize("name", ["erf", "erfc", "asin", "acos", "atan", "asinh", "tan", "square"])
def test_functions_of_chlo_stay_whole(name: str):
    spelled = [f"chlo.{name} %x : {T} -> {T}", f"stablehlo.custom_call @mhlo.{name}(%x) : ({T}) -> {T}"]
    for op in spelled:
        with new_context(), ir.Location.unknown():
            source = read_string(function(f"%r = {op}\nreturn %r : {T}"), "<text>")
            assert f'"ttir.{name}"' in str(source.module)


def test_composites_with_a_counterpart_stay_whole():
    text = f"""
    func.func @main(%x: {T}) -> {T} {{
      %r = stablehlo.composite "tenstorrent.gelu" %x {{decomposition = @body}} : ({T}) -> {T}
      return %r : {T}
    }}
    func.func private @body(%x: {T}) -> {T} {{
      return %x : {T}
    }}"""
    with new_context(), ir.Location.unknown():
        assert '"ttir.gelu"' in str(read_string(text, "<text>").module)


def test_composites_without_a_counterpart_are_expanded(interpret: Interpret):
    text = f"""
    func.func @main(%x: {T}) -> {T} {{
      %r = stablehlo.composite "my.double" %x {{decomposition = @double}} : ({T}) -> {T}
      return %r : {T}
    }}
    func.func private @double(%x: {T}) -> {T} {{
      %r = stablehlo.add %x, %x : {T}
      return %r : {T}
    }}"""
    with new_context(), ir.Location.unknown():
        (got,) = computed(read_string(text, "<text>"), [np.ones(4, np.float32)], interpret)
    assert got.tolist() == [2, 2, 2, 2]


def test_negative_padding_cuts_the_input_of_a_convolution(interpret: Interpret):
    t, w = "tensor<1x5x1xf32>", "tensor<2x1x1xf32>"
    window = "dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, 1]]}"
    groups = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    body = f"%r = stablehlo.convolution(%x, %w) {window} {groups} : ({t}, {w}) -> tensor<1x4x1xf32>"
    text = function(f"{body}\nreturn %r : tensor<1x4x1xf32>", f"(%x: {t}, %w: {w}) -> tensor<1x4x1xf32>")
    x, kernel = np.arange(1, 6, dtype=np.float32), np.array([10, 1], np.float32)
    with new_context(), ir.Location.unknown():
        (got,) = computed(read_string(text, "<text>"), [x.reshape(1, 5, 1), kernel.reshape(2, 1, 1)], interpret)
    assert got.reshape(-1).tolist() == [23, 34, 45, 50]


def batch_norm(op: str, inputs: list[Array], results: int, interpret: Interpret) -> list[Array]:
    """What an op that the reference interpreter does not have gives; features are dimension 1."""
    types = [f"tensor<{'x'.join(map(str, x.shape))}xf32>" for x in inputs]
    names = [f"%{i}" for i in range(len(inputs))]
    signature = ", ".join(f"{name}: {t}" for name, t in zip(names, types, strict=True))
    given = [types[0], *types[1:results]]
    attributes, kind = (
        "{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}",
        f"({', '.join(types)}) -> ({', '.join(given)})",
    )
    body = f'%r:{results} = "stablehlo.{op}"({", ".join(names)}) {attributes} : {kind}'
    returned = ", ".join(f"%r#{i}" for i in range(results))
    text = function(f"{body}\nreturn {returned} : {', '.join(given)}", f"({signature}) -> ({', '.join(given)})")
    with new_context(), ir.Location.unknown():
        return computed(read_string(text, "<text>"), inputs, interpret)


def test_batch_norms_agree_with_pytorch(interpret: Interpret):
    rng = np.random.default_rng(0)
    x, gradient = (rng.standard_normal((2, 3, 4)).astype(np.float32) for _ in range(2))
    scale, offset = (rng.standard_normal(3).astype(np.float32) for _ in range(2))
    leaves = [torch.tensor(v, requires_grad=True) for v in (x, scale, offset)]
    y = torch.nn.functional.batch_norm(leaves[0], None, None, *leaves[1:], training=True, eps=1e-3)
    y.backward(torch.tensor(gradient))
    mean, variance = x.mean((0, 2)), x.var((0, 2))
    wanted = y.detach().numpy()
    trained = batch_norm("batch_norm_training", [x, scale, offset], 3, interpret)
    (inferred,) = batch_norm("batch_norm_inference", [x, scale, offset, mean, variance], 1, interpret)
    gradients = batch_norm("batch_norm_grad", [x, scale, mean, variance, gradient], 3, interpret)
    pairs = [*zip(trained, (wanted, mean, variance), strict=True), (inferred, wanted)]
    for got, want in [*pairs, *((g, np.asarray(leaf.grad)) for g, leaf in zip(gradients, leaves, strict=True))]:
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
