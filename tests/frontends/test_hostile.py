"""Files and text that native code would not survive: an error each, and the process compiles on."""

import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, parser

import ttstack
from tests.frontends.hostile import GOOD
from ttstack.diagnostics import TTStackError
from ttstack.dialects.context import new_context
from ttstack.frontends.readers.sound import check_nesting
from ttstack.frontends.stablehlo import partial_eval
from ttstack.mlir import ir
from ttstack.support.isolation.limits import SECONDS

pytestmark = pytest.mark.usefixtures("as_users_read")

ROOT = Path(__file__).parents[2]


def checked(*arguments: str) -> str:
    command = [sys.executable, "-m", "tests.frontends.hostile", *arguments]
    limited = {**os.environ, SECONDS: "2"} if arguments[0] == "mutations" else None
    done = subprocess.run(command, cwd=ROOT, env=limited, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_threads_compile_at_once():
    checked("threads", "4")


def test_damaged_artifacts_leave_the_process_sound():
    checked("mutations", "tests/frontends/jax_exports/mlp.stablehlo", "12", "1")


def test_damaged_bytecode_of_our_dialect(tmp_path: Path):
    buffer = BytesIO()
    with new_context(), ir.Location.unknown():
        text = GOOD.replace("stablehlo.exponential %a :", '"ttir.exp"(%a) : (tensor<4x8xf32>) ->')
        ir.Module.parse(text).operation.write_bytecode(buffer)
    (tmp_path / "good.mlirbc").write_bytes(buffer.getvalue())
    assert "TT0101" in checked("mutations", str(tmp_path / "good.mlirbc"), "20", "2")


def function(body: str, argument: str = "tensor<4x4xf32>", result: str = "tensor<4x4xf32>") -> str:
    return f"func.func @main(%x: {argument}) -> {result} {{\n{body}\n}}"


def exponential(result: str, op: str) -> str:
    spelled = {"ttir": '"ttir.exp"(%x) : ({0}) -> {0}', "tosa": "tosa.exp %x : ({0}) -> {0}"}
    line = spelled.get(op, "stablehlo.exponential %x : {0}").format(result)
    return function(f"%0 = {line}\nreturn %0 : {result}", result, result)


def named(text: str) -> str:
    return function(f'%0 = "ttir.exp"(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {text}\nreturn %0 : tensor<4x4xf32>')


def endless(carried: str, condition: str, step: str) -> str:
    return function(f"""
      %z = stablehlo.constant dense<0> : tensor<i32>
      %o = stablehlo.constant dense<1> : tensor<i32>
      %t = stablehlo.constant dense<true> : tensor<i1>
      %r:2 = stablehlo.while(%i = {carried}, %a = %x) : tensor<i32>, tensor<4x4xf32>
        cond {{ {condition} }}
        do {{ {step}, %a : tensor<i32>, tensor<4x4xf32> }}
      return %r#1 : tensor<4x4xf32>""")


def called(target: str, attributes: str = "", operands: int = 1) -> str:
    given, types = ", ".join(["%x"] * operands), ", ".join(["tensor<4x4xf32>"] * operands)
    call = f"stablehlo.custom_call @{target}({given}) {{{attributes}}} : ({types}) -> tensor<4x4xf32>"
    return function(f"%0 = {call}\nreturn %0 : tensor<4x4xf32>")


MARK = 'mhlo.frontend_attributes = {ttir.name = "x"}'
LAYERS = "".join(
    f"""func.func private @f{i}(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
      %0 = call @f{i + 1}(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %1 = call @f{i + 1}(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %1 : tensor<4x4xf32> }}\n"""
    for i in range(40)
)
CALLS = LAYERS + "func.func private @f40(%x: tensor<4x4xf32>) -> tensor<4x4xf32> { return %x : tensor<4x4xf32> }\n"
MAIN = "%0 = call @f0(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> return %0 : tensor<4x4xf32>"
ALIASES = "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(10_000))
HUGE = 1 << 62

TEXTS = {
    "brackets": (f"func.func @f() attributes {{a = {'[' * 10_000}{']' * 10_000}}} {{ return }}", "TT0101", "nested"),
    "types": (f"func.func @f(%a: {'tuple<' * 20_000}f32{'>' * 20_000}) {{ return }}", "TT0101", "nested"),
    "regions": ("func.func @f() {" + '"a.b"() ({' * 5000 + '"a.c"() : () -> ()' + "}) : () -> ()" * 5000 + "}", "TT0101", "nested"),
    "aliases": (f"#a0 = []\n{ALIASES}{GOOD}", "TT0101", "nested more than 200"),
    "location": (named('loc("\\FF":1:1)'), "TT0202", "not UTF-8"),
    "name": (named('loc("\\FF")'), "TT0101", "not UTF-8"),
    "attribute": (named("").replace(") :", ') {a.b = "\\C3\\28"} :'), "TT0101", "not UTF-8"),
    "character": (f"// \ud800\n{GOOD}", "TT0202", "half a character"),
    "always": (endless("%z", "stablehlo.return %t : tensor<i1>", "stablehlo.return %i"), "TT0201", "200,000 steps"),
    "calls": (CALLS + function(MAIN), "TT0101", "expands to"),
    "rank": (exponential(f"tensor<{'1x' * 70}f32>", "ttir"), "TT0101", "70 dimensions"),
    "segments": (
        named("").replace("exp", "layer_norm").replace(") :", ") {normalized_shape = array<i64: 4>, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: -1, 2, 0>} :"),
        "TT0101",
        "do not fit 1 operands",
    ),
    "operand": (
        function('%0 = "ttir.layer_norm"() {normalized_shape = array<i64: 4>} : () -> tensor<4x4xf32>\nreturn %0 : tensor<4x4xf32>'),
        "TT0101",
        "requires operand 'input'",
    ),
    "unsigned": (
        named("").replace("exp", "permute").replace(") :", ") {permutation = array<ui64: 1, 0>} :"),
        "TT0101",
        "has an attribute that cannot be read",
    ),
    **{
        f"{op} {extents}": (exponential(f"tensor<{extents}xf32>", op), "", "is too large")
        for op in ("ttir", "stablehlo", "tosa")
        for extents in (str(HUGE), f"{HUGE}x{HUGE}", f"0x{HUGE}")
        if op != "tosa" or not extents.startswith("0")
    },
    **{
        f"constant {t}": (
            function(f"%c = stablehlo.constant dense<[{v}]> : tensor<2x{t}>\nreturn %c : tensor<2x{t}>", "f32", f"tensor<2x{t}>"),
            "TT0201",
            f"tensor<2x{t}>",
        )
        for t, v in (("i4", "1, 2"), ("ui4", "1, 2"), ("f8E4M3FN", "1.0, 2.0"), ("f8E5M2", "1.0, 2.0"))
    },
    "shards of two": (called("SPMDFullToShardShape", operands=2), "TT0201", "has 2 operands and 1 results"),
    "shards of nothing": (called("SPMDFullToShardShape", operands=0), "TT0201", "has 0 operands and 1 results"),
    "sharding no string": (called("SPMDShardToFullShape", "mhlo.sharding = 3 : i32"), "TT0201", "unknown sharding"),
    "no parts": (called("SPMDShardToFullShape", 'mhlo.sharding = "{devices=[0,1]<=[0]}"'), "TT0201", "of rank 2"),
    "mark of nothing": (called("tt.mark_argument", MARK, operands=0), "TT0201", "has 0 operands"),
    "name no string": (called("tt.mark_argument", MARK.replace('"x"', "3")), "TT0101", "'ttir.name' is 3"),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTS)
def test_text(case: str):
    text, code, message = TEXTS[case]
    with pytest.raises(TTStackError, match=message) as e:
        ttstack.compile(text)
    assert code in e.value.diagnostic.code


def test_an_alias_that_ops_read_is_not_nested_in_itself():
    text = "#a = [1]\n" + "foo {a = [#a]}\n" * 300
    check_nesting(text, "text")
    with pytest.raises(TTStackError, match="nested more than 200"):
        check_nesting(f"#a = \n{'[' * 150}{']' * 150}\n#b = [[#a,\n{'[' * 60}#a", "text")


def test_constants_of_four_bits_are_converted():
    body = """%c = stablehlo.constant dense<[1, -2]> : tensor<2xi4>
      %d = stablehlo.convert %c : (tensor<2xi4>) -> tensor<2xf32>
      %e = stablehlo.add %d, %x : tensor<2xf32>
      return %e : tensor<2xf32>"""
    program = ttstack.compile(function(body, "tensor<2xf32>", "tensor<2xf32>"))
    (found,) = program.run({"arg0": np.zeros(2, np.float32)}).outputs.values()
    assert found.tolist() == [1, -2]


@pytest.mark.parametrize("op", ["stablehlo.constant dense<1.0>", '"ttir.constant"() {value = dense<1.0> : TYPE}'])
def test_one_number_everywhere_takes_no_memory(op: str):
    body = f"%c = {op} : {'() -> ' if 'ttir' in op else ''}TYPE\nreturn %c : TYPE".replace(
        "TYPE", "tensor<65536x65536xf32>"
    )
    with pytest.raises(TTStackError, match="DRAM is full: tensor<65536x65536xf32> needs 17,179,901,952 bytes"):
        ttstack.compile(function(body, "tensor<4xf32>", "tensor<65536x65536xf32>"))


def graph(inputs: str, nodes: str, domain: str = "") -> ModelProto:
    return parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17{domain}]> g ({inputs}) => (y) {{ {nodes} }}')


def flow(op: str, *inputs: str, **bodies: Any) -> ModelProto:
    model = graph("float[4] x", "c = Constant<value = int64 {1}>() y = Relu(x)")
    model.graph.node[1].CopyFrom(helper.make_node(op, inputs, ["y"], **bodies))
    return model


def element_type(model: ModelProto, number: int) -> ModelProto:
    model.graph.input[0].type.tensor_type.elem_type = number
    return model


BODY = helper.make_graph(
    [helper.make_node("Identity", ["x"], ["q"])], "b", [], [helper.make_tensor_value_info("q", TensorProto.FLOAT, [4])]
)
WEIGHTS = "float[1,16,4] w, float[1,16,4] r"
GRAPHS: dict[str, Callable[[], ModelProto]] = {
    "axis 2**31": lambda: graph("float[4,4] x, float[4] s", "y = LayerNormalization<axis = 2147483648>(x, s)"),
    "axis 2**40": lambda: graph("float[4,4] x", "y = Concat<axis = 1099511627776>(x, x)"),
    "tile": lambda: graph("float[4] x", "s = Constant<value = int64[1] {4611686018427387904}>() y = Tile(x, s)"),
    "input": lambda: graph(f"float[{HUGE}] x", "y = Relu(x)"),
    "rank": lambda: graph(f"float[{','.join('1' * 70)}] x", "y = Relu(x)"),
    "steps": lambda: graph(f"float[100000,1,4] x, {WEIGHTS}", "y, a, b = LSTM<hidden_size=4>(x, w, r)"),
    "steps 2**63": lambda: graph(f"float[{(1 << 63) - 1},1,4] x, {WEIGHTS}", "y, a, b = LSTM<hidden_size=4>(x, w, r)"),
    "parts": lambda: graph("float[99999] x", "s = SplitToSequence(x) y = ConcatFromSequence<axis=0>(s)"),
    "no branch": lambda: flow("If", "c", else_branch=BODY),
    "no condition": lambda: flow("If", then_branch=BODY, else_branch=BODY),
    "no body": lambda: flow("Loop", "c", "c", "x"),
    "another body": lambda: flow("Loop", "c", "c", "x", body=BODY),
    "type 0": lambda: element_type(graph("float[4] x", "y = Relu(x)"), 0),
    "cast to 0": lambda: graph("float[4] x", "y = Cast<to = 0>(x)"),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_onnx(tmp_path: Path, case: str):
    onnx.save(GRAPHS[case](), tmp_path / "model.onnx")
    with pytest.raises(TTStackError) as e:
        ttstack.compile(tmp_path / "model.onnx")
    assert e.value.code in ("TT0201", "TT0202")


@pytest.mark.parametrize("text", [b"\x01N", b"\x01x", b"node", b"tanh", b"approximate"])
def test_onnx_text_that_is_not_utf8(tmp_path: Path, text: bytes):
    model = graph("float[N] x", 'y = Gelu<approximate = "tanh">(x)')
    model.opset_import[0].version = 20
    model.graph.node[0].name = "node"
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString().replace(text, text[:-1] + b"\xff"))
    with pytest.raises(TTStackError, match=r"UTF-8|utf-8"):
        ttstack.compile(tmp_path / "model.onnx", {"x": (4,)})


def test_onnx_of_another_domain(tmp_path: Path):
    onnx.save(graph("float[4,3] x", "y = ai.onnx.ml.Scaler(x)", ', "ai.onnx.ml" : 3'), tmp_path / "model.onnx")
    with pytest.raises(TTStackError, match=r"it is of the domain ai.onnx.ml: only ONNX's own ops can be compiled"):
        ttstack.compile(tmp_path / "model.onnx")


def test_the_ops_of_a_body_are_steps(monkeypatch: pytest.MonkeyPatch):
    """Ten steps of five ops each, condition and body, beside the function's own."""
    monkeypatch.setattr(partial_eval, "STEPS", 40)
    counted = endless("%z", "%c = stablehlo.constant dense<10> : tensor<i32>\n%p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>", "%n = stablehlo.add %i, %o : tensor<i32>\nstablehlo.return %n")  # fmt: skip
    with pytest.raises(TTStackError, match="written out in more than 40 steps"):
        ttstack.compile(counted)
    monkeypatch.setattr(partial_eval, "STEPS", 80)
    ttstack.compile(counted)


def test_a_limit_that_the_environment_sets(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(SECONDS, "none")
    with pytest.raises(TTStackError, match=f"{SECONDS} is 'none'"):
        ttstack.compile(GOOD)
