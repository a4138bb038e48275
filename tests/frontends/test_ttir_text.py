"""TTIR text in the spellings that tt-mlir has had, from text to values."""

import numpy as np
import pytest

import ttstack
from ttstack.diagnostics import InvalidIRError, TTStackError, UnsupportedOpError

T = "tensor<2x4xf32>"
RELU = f'%0 = "ttir.relu"(%a) : ({T}) -> {T}\n return %0 : {T}'
X = np.array([[-2, -1, 0, 1], [2, 3, -4, 5]], np.float32)


def function(body: str, *, arguments: str = f"%a: {T}", result: str = T, head: str = "@f") -> str:
    return f"func.func {head}({arguments}) -> {result} {{\n {body}\n}}\n"


def values(text: str, *inputs: np.ndarray) -> np.ndarray:
    program = ttstack.compile(text)
    (found,) = program.run(dict(zip(program.inputs(), inputs, strict=True))).outputs.values()
    return found


MODULES = {
    "a module for devices beside one for the host": f"""
module {{
  ttcore.device_module {{
    builtin.module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>}} {{
      ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, (d0, d1) -> (0, d0, d1)>, chipIds = [0]>
      {function(RELU)}
    }}
  }}
  ttcore.cpu_module {{
    builtin.module {{ {function(f"return %a : {T}", head="@hoisted")} }}
  }}
}}""",
    "constants that are made once": function(RELU, head="private @made") + function(
        f"%0 = ttcore.load_cached(@made, [%a]) : ({T}) -> {T}\n return %0 : {T}"
    ),
    "functions of constants that are public": function(
        RELU, result=f"{T} attributes {{tt.function_type = \"const_eval\"}}", head="@made"
    ) + function(f"%0 = call @made(%a) : ({T}) -> {T}\n return %0 : {T}"),
    "layouts of the form of 2024": "#l = #tt.layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x4xf32, #tt.memory_space<l1>>>\n"
    + function(RELU.replace(T, "tensor<2x4xf32, #l>"), arguments="%a: tensor<2x4xf32, #l>", result="tensor<2x4xf32, #l>"),
    "parts of what is not divided": function(
        f'%1 = "ttir.mesh_shard"(%a) <{{shard_dims = array<i64: -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, '
        f"shard_shape = array<i64: 1>, shard_type = #ttcore.shard_type<identity>}}> : ({T}) -> {T}\n{RELU.replace('%a', '%1')}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str):
    assert np.array_equal(values(MODULES[name], X), np.maximum(X, 0))


@pytest.mark.parametrize(
    ("op", "result", "expected"),
    [
        ('"ttir.reshape"(%a) <{shape = [4 : i32, -1 : i32]}>', "tensor<4x2xf32>", X.reshape(4, 2)),
        ('"ttir.clamp"(%a) <{max = 1.0 : f32, min = -1.0 : f32}>', T, X.clip(-1, 1)),
        (
            '"ttir.slice"(%a) <{begins = [0 : i32, 1 : i32], ends = [1 : i32, 4 : i32], step = [1 : i32, 2 : i32]}>',
            "tensor<1x2xf32>",
            X[:1, 1::2],
        ),
    ],
)
def test_ops_that_had_other_names_or_forms(op: str, result: str, expected: np.ndarray):
    found = values(function(f"%0 = {op} : ({T}) -> {result}\n return %0 : {result}", result=result), X)
    assert np.array_equal(found, expected)


def test_attributes_that_were_one_for_each_side():
    image, pooled = "tensor<1x4x4x1xf32>", "tensor<1x2x3x1xf32>"
    sides = ["kernel_height = 2", "kernel_width = 2", "stride_height = 2", "stride_width = 2", "dilation_height = 1"]
    sides += ["dilation_width = 1", "padding_top = 0", "padding_bottom = 0", "padding_left = 1", "padding_right = 1"]
    attributes = ", ".join(f"{side} : si32" for side in sorted(sides))
    body = f"""%e = tensor.empty() : {pooled}
    %0 = "ttir.max_pool2d"(%a, %e) <{{ceil_mode = false, {attributes}, operand_constraints = [#x, #x]}}> : ({image}, {pooled}) -> {pooled}
    return %0 : {pooled}"""
    text = "#x = #tt.operand_constraint<dram|l1>\n" + function(body, arguments=f"%a: {image}", result=pooled)
    found = values(text, np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
    assert found.ravel().tolist() == [4, 6, 7, 12, 14, 15]


@pytest.mark.parametrize(
    ("element", "data", "expected"), [("f32", "0x040000000000803F00000040", [1, 2]), ("i1", "0x040000000100", [1, 0])]
)
def test_constants_in_resources(element: str, data: str, expected: list[int]):
    t = f"tensor<2x{element}>"
    body = f'%0 = "ttir.constant"() <{{value = dense_resource<w> : {t}}}> : () -> {t}\n return %0 : {t}'
    resources = f'{{-# dialect_resources: {{ builtin: {{ w: "{data}" }} }} #-}}'
    assert values(function(body, arguments="", result=t) + resources).tolist() == expected


@pytest.mark.parametrize(
    ("text", "kind", "message", "hint"),
    [
        (
            function(f"%0 = ttir.relu %a : {T}\n return %0 : {T}"),
            InvalidIRError,
            "'ttir.relu' is not in generic form",
            '"ttir.relu"',
        ),
        (f"module {{ {function(RELU)} }}\n// -----\n" * 2, InvalidIRError, "several modules", "one at a time"),
        (
            function(RELU, arguments="%a: tensor<1x1x!ttcore.tile<32x32, f32>>"),
            UnsupportedOpError,
            "'ttcore' is not known",
            "give ttstack the TTIR instead",
        ),
        (
            function(f'%0 = "d2m.generic"(%a) : ({T}) -> {T}\n return %0 : {T}'),
            UnsupportedOpError,
            "'d2m' is not known",
            "give ttstack the TTIR instead",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, kind: type[TTStackError], message: str, hint: str):
    with pytest.raises(kind, match=message) as e:
        ttstack.compile(text)
    assert hint in (e.value.diagnostic.hint or "")
