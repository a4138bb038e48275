"""tt-mlir's text in, text that MLIR parses out; nothing else changes, and no line moves."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttstack.dialects.text import elide
from ttstack.frontends.ttir_compat import looks_like, respell
from ttstack.mlir import ir

DESTINATIONS = """\
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {tt.system_desc = #tt.system_desc<[<#tt.arch<wormhole_b0>, #tt.grid<8x8>>], [0], [<pcie|host_mmio>], [<0, 0, 0, 0>]>} {
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
%0 = tensor.empty() : tensor<64x128xf32>
%1 = "ttir.multiply"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
return %1 : tensor<64x128xf32>
}
}
"""

CURRENT = """\
#input = #ttcore.argument_type<input>
#device = #ttcore.device<workerGrid = #ttcore.grid<8x8, (d0, d1) -> (0, d0, d1)>, meshShape = , chipIds = [0]>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86"}], [{arch = <wormhole_b0>}], [0x0x0x0]>
module @model attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>, ttcore.system_desc = #system_desc} {
  ttcore.device @default_device = #device loc(#loc)
  ttcore.device @other = <workerGrid = #ttcore.grid<8x8, (d0, d1) -> (0, d0, d1)>, chipIds = [0]>
  func.func @main(%arg0: tensor<64x128xbf16> {ttcore.argument_type = #input, ttir.name = "x"},
                  %arg1: tensor<128x32xbf16> {ttcore.shard_status = #ttcore.shard_status<unsharded>})
      -> (tensor<64x32xbf16> {jax.result_info = "", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<8x4xf32>>}) {
    %0 = ttir.empty() : tensor<64x32xbf16> loc(#loc1)
    %1 = "ttir.matmul"(%arg0, %arg1) <{transpose_a = false, transpose_b = false}> : (tensor<64x128xbf16>, tensor<128x32xbf16>) -> tensor<64x32xbf16> loc(#loc1)
    %2 = "ttir.all_reduce"(%1) <{cluster_axis = 1 : ui32,
        reduce_type = #ttcore.reduce_type<sum>}> {ttir.note = "<{a = 1}>"} : (tensor<64x32xbf16>) -> tensor<64x32xbf16>
    %3:2 = "ttir.sort"(%2) <{dim = -1 : si32}> : (tensor<64x32xbf16>) -> (tensor<64x32xbf16>, tensor<64x32xi32>)
    %4 = ttir.to_layout %3#0, %0 : tensor<64x32xbf16> into tensor<64x32xbf16> -> tensor<64x32xbf16>
    return %4 : tensor<64x32xbf16>
  }
}
#loc = loc("model.py":1:2)
#loc1 = loc("ttir.matmul"(#loc))
"""

REGIONS = """\
%0 = "ttir.generic"(%a) <{grid = #ttcore.grid<8x8>, // "a comment"
    note = "// no comment"}> ({
^bb0(%x: f32):
  %1 = "ttir.tile_exp"(%x) <{fast}> : (f32) -> f32
  "ttir.yield"(%1) : (f32) -> ()
}) {last = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
"""

OURS = """\
#any = #tt.operand_constraint<"dram|l1">
#grid = #tt.grid<[8, 8]>
#layout = #tt.layout<affine_map<(d0, d1) -> (d0, d1)>, #grid, [1, 1], #tt.memory_space<"l1">, bf16, -1 : i64>
module attributes {tt.system_desc = #tt.system_desc<{arch = "wormhole", chips = [{l1 = 1.5e+06 : f64, x}]}>} {
  %0 = "ttir.empty"() : () -> tensor<4xf32, #layout>
  %1 = "ttir.exp"(%0) {operand_constraints = [#any], grid = #tt.grid<[8]>} : (tensor<4xf32, #layout>) -> f32
}
"""


def parse(text: str, *, unregistered: bool = True) -> ir.Module:
    with ir.Context() as context:
        context.allow_unregistered_dialects = unregistered
        return ir.Module.parse(text)


def squeeze(text: str) -> str:
    return re.sub(r" +", " ", text).replace(" )", ")").replace("{ }", "{}").strip()


@pytest.mark.parametrize("text", [DESTINATIONS, CURRENT, REGIONS, OURS])
def test_lines_stay_and_a_second_time_changes_nothing(text: str) -> None:
    once = respell(text)
    assert once.count("\n") == text.count("\n")
    assert respell(once) == once


@pytest.mark.parametrize("text", [DESTINATIONS, CURRENT, OURS])
def test_the_result_parses(text: str) -> None:
    assert parse(respell(text)).operation.verify()


def test_the_form_with_destinations_and_constraints() -> None:
    lines = [squeeze(line) for line in respell(DESTINATIONS).split("\n")]
    assert lines[0] == ""
    assert lines[1] == "module attributes {} {"
    assert lines[2:4] == DESTINATIONS.split("\n")[2:4]
    assert lines[4] == (
        '%1 = "ttir.multiply"(%arg0, %arg1) {} : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>'
    )


def test_the_current_form() -> None:
    text = respell(CURRENT)
    assert '#input = #tt.argument_type<"input">' in text
    assert 'ttcore.shard_status = #tt.shard_status<"unsharded">' in text
    assert 'ttcore.local_shape = #tt.local_shape<"local_shape = tensor<8x4xf32>">' in text
    assert '%0 = "ttir.empty"() : () -> tensor<64x32xbf16> loc(#loc1)' in text
    assert 'reduce_type = #tt.reduce_type<"sum">' in text
    assert '%4 = "ttir.to_layout"(%3#0, %0) : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x32xbf16>' in text
    assert "system_desc" not in text
    assert "device" not in text
    assert "<{transpose" not in text


def test_locations_and_columns_stay() -> None:
    text = respell(DESTINATIONS)
    for line, old in zip(text.split("\n"), DESTINATIONS.split("\n"), strict=True):
        assert line.find(" -> ") == old.find(" -> ")
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        ops = list(module.body.operations[0].regions[0].blocks[0])
        assert [str(op.location) for op in ops] == [f'loc("-":{line}:{col})' for line, col in ((4, 6), (5, 6), (6, 1))]


def test_discardable_attributes_need_no_dialect_of_their_name() -> None:
    parse(
        'func.func private @f(tensor<4xf32> {ttcore.argument_type = "input", tt.x = 1 : i32})',
        unregistered=False,
    )


def test_properties_move_behind_regions() -> None:
    text = respell(REGIONS)
    assert text.split("\n")[5] == (
        '}) {grid = #tt.grid<[8, 8]>, note = "// no comment", last = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>'
    )
    assert squeeze(text.split("\n")[3]) == '%1 = "ttir.tile_exp"(%x) {fast} : (f32) -> f32'
    assert squeeze("\n".join(text.split("\n")[:2])).split("\n") == ['%0 = "ttir.generic"(%a) ', " ({"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"ttir.a"() <{x = 1 : i32}> : () -> ()', '"ttir.a"() {x = 1 : i32} : () -> ()'),
        ('"ttir.a"() <{x}> {y} : () -> ()', '"ttir.a"() {x, y} : () -> ()'),
        ('"ttir.a"() <{}> {y} : () -> ()', '"ttir.a"() { y} : () -> ()'),
        ('"ttir.a"() <{x}> {} : () -> ()', '"ttir.a"() {x } : () -> ()'),
        ('"ttir.a"() <{x = {y = [{z}]}}> : () -> ()', '"ttir.a"() {x = {y = [{z}]}} : () -> ()'),
        ('"ttir.a"()[^bb1] <{x}> : () -> ()', '"ttir.a"()[^bb1] {x} : () -> ()'),
        ('"ttir.a"() <{x}> ({}, {}) : () -> ()', '"ttir.a"() ({}, {}) {x} : () -> ()'),
        ('"ttir.a"() <{x}> ({}) {} : () -> ()', '"ttir.a"() ({}) {x} : () -> ()'),
        ('"ttnn.a"() <{x = "}>"}> : () -> ()', '"ttnn.a"() {x = "}>"} : () -> ()'),
        (
            '"ttir.a"() <{x = dense<"0xFF"> : f32}> : () -> ()',
            '"ttir.a"() {x = dense<"0xFF"> : f32} : () -> ()',
        ),
        ("%0 = ttir.empty() {a = 1} : f32", '%0 = "ttir.empty"() {a = 1} : () -> f32'),
        ("ttir.to_layout %a, %b : f32 into f16", '"ttir.to_layout"(%a, %b) : (f32, f16) -> ()'),
        (
            "%0 = ttir.to_layout %a, %b : f32 into f16 hostInfo = #l {x}",
            '%0 = "ttir.to_layout"(%a, %b) {layout = #l, x} : (f32, f16) -> f16',
        ),
        ('"ttcore.device"() <{sym_name = "x"}> : () -> ()', ""),
    ],
)
def test_one_op(old: str, new: str) -> None:
    assert squeeze(respell(old)) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#tt.reduce_type<sum>", '#tt.reduce_type<"sum">'),
        ("#ttcore.moe_activation<Silu>", '#tt.moe_activation<"Silu">'),
        ("#ttcore<reduce_type sum>", '#tt.reduce_type<"sum">'),
        ("#ttir<flattened_compat>", "#ttir.flattened_compat"),
        ("#ttnn.buffer_type<l1>", '#ttnn.buffer_type<"l1">'),
        ("#ttcore.grid<8x8>", "#tt.grid<[8, 8]>"),
        ("#ttcore.grid<[8, 8]>", "#tt.grid<[8, 8]>"),
        ("#ttcore.arg_alloc<1, 2, #ttcore.memory_space<l1>>", '#tt.arg_alloc<1, 2, #tt.memory_space<"l1">>'),
        (r'#tt.mesh<"a\5C" = 2x4>', r'#tt.mesh<"\"a\\5C\" = 2x4">'),
        ("#ttcore.unit", "#tt.unit"),
        ("#tt.tile_type<bf16>", "#tt.tile_type<bf16>"),
        ("#stablehlo.kind<sum>", "#stablehlo.kind<sum>"),
    ],
)
def test_one_attribute(old: str, new: str) -> None:
    assert respell(f"#alias = {old}\n#other = [{old}]") == f"#alias = {new}\n#other = [{new}]"


def test_attributes_that_no_dialect_defines_become_strings() -> None:
    text = "#a = #ttcore.grid<8x8>\n#b = #ttcore.meshes<[2x4]>\n#c = #ttcore.role<host>\n#d = #tt.mine<1>"
    expected = '#a = #tt.grid<[8, 8]>\n#b = "[2x4]"\n#c = "host"\n#d = #tt.mine<1>'
    assert respell(text, attributes={"tt.grid"}) == expected


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ("x.a, tt.system_desc = #x, x.b", "x.a , x.b"),
        ("tt.system_desc = #x, tt.device = #ttcore.device<8x8>, x.b", "x.b"),
        ("x.a, tt.device = #tt.device<8x8>, tt.system_desc = #x", "x.a"),
        ("tt.device = #tt.device<8x8>,\n tt.system_desc = #x", ""),
    ],
)
def test_the_target_leaves_a_dictionary(entries: str, left: str) -> None:
    text = respell(f"#x = #ttcore.system_desc<[{{role = host}}]>\nmodule attributes {{{entries}}} {{}}")
    assert (
        re.sub(r"\s+", " ", text).replace("{ ", "{").replace(" }", "}").strip() == f"module attributes {{{left}}} {{}}"
    )
    assert text.count("\n") == 1 + entries.count("\n")
    parse(text)


def test_our_own_spelling_survives() -> None:
    assert respell(OURS) == OURS


T = "tensor<4xf32>"


@pytest.mark.parametrize(
    ("operands", "properties", "left"),
    [
        ("%a, %b, %c", "operand_constraints = [#x, #x, #x]", ("%a, %b", "")),
        ("%a, %b, %c", "operand_constraints = [#x, #x]", ("%a, %b, %c", "")),
        ("%a", "operand_constraints = [#tt.operand_constraint<any>], x", ("", "x")),
        ("%a, %b, %c", "operandSegmentSizes = array<i32: 2, 1>", ("%a, %b", "")),
        (
            "%a, %b, %c",
            "operandSegmentSizes = array<i32: 1, 1, 1>",
            ("%a, %b, %c", "operandSegmentSizes = array<i32: 1, 1, 1>"),
        ),
        (
            "%a, %b, %c",
            "operandSegmentSizes = array<i32: 1, 1, 0, 1>, operand_constraints = [#x, #x, #x], y",
            ("%a, %b", "operandSegmentSizes = array<i32: 1, 1, 0>, y"),
        ),
        (
            "%a, %b, %c",
            "operandSegmentSizes = array<i32: 5, 1>",
            ("%a, %b, %c", "operandSegmentSizes = array<i32: 5, 1>"),
        ),
    ],
)
def test_destinations_that_properties_name(operands: str, properties: str, left: tuple[str, str]) -> None:
    def op(operands: str, attributes: str) -> str:
        types = ", ".join([T] * len(operands.split(", "))) if operands else ""
        return f'%0 = "ttir.add"({operands}) {attributes} : ({types}) -> {T}'

    text = squeeze(respell(op(operands, f"<{{{properties}}}>"))).replace("{ ", "{").replace("( ", "(")
    assert text == op(left[0], f"{{{left[1]}}}")


def test_destinations_that_only_an_empty_op_marks() -> None:
    text = f"""\
%0 = ttir.empty() : {T}
%1 = "ttir.add"(%a, %b, %0) : ({T}, {T}, {T}) -> {T}
%2 = "ttir.add"(%a, %0) : ({T}, {T}) -> {T}
%3 = "ttir.to_layout"(%a, %0) : ({T}, {T}) -> {T}
%4 = "ttir.add"(%a, %b, %1) : ({T}, {T}, {T}) -> {T}
%0 = "ttir.exp"(%a) : ({T}) -> {T}
%5 = "ttir.add"(%a, %b, %0) : ({T}, {T}, {T}) -> {T}
"""
    lines = respell(text, accepts=lambda _, count: count == 2).split("\n")
    assert squeeze(lines[1]) == f'%1 = "ttir.add"(%a, %b) : ({T}, {T}) -> {T}'
    assert lines[2:] == text.split("\n")[2:]
    assert respell(text).split("\n")[1:] == text.split("\n")[1:]


def test_segments_are_asked_for_and_elided() -> None:
    asked = []

    def segments(name: str, count: int, given: tuple[int, ...] | None) -> tuple[int, ...] | None:
        asked.append((name, count, given))
        return (1,) * count + (0,) if name in {"ttir.concat", "ttir.generic"} else None

    text = """\
%0 = "ttir.concat"(%a, %b) {dim = 0 : si32} : (f32, f32) -> f32
%1 = "ttir.generic"(%a) ({
  "ttir.yield"() : () -> ()
}) : (f32) -> f32
%2 = "ttir.x"(%a, %b) {operandSegmentSizes = array<i32: 1, 1>} : (f32, f32) -> f32
%3 = "ttir.concat"(%a) : (f32) -> f32
"""
    full = respell(text, segments).split("\n")
    assert asked == [
        ("ttir.concat", 2, None),
        ("ttir.generic", 1, None),
        ("ttir.yield", 0, None),
        ("ttir.x", 2, (1, 1)),
        ("ttir.concat", 1, None),
    ]
    assert "(%a, %b) {operandSegmentSizes = array<i32: 1, 1, 0>, dim = 0 : si32} : (f32, f32)" in full[0]
    assert full[3] == "}) {operandSegmentSizes = array<i32: 1, 0>} : (f32) -> f32"
    assert squeeze(full[4]) == '%2 = "ttir.x"(%a, %b) {} : (f32, f32) -> f32'
    elided = elide("\n".join(full), {"ttir.concat", "ttir.generic"})
    assert elided.split("\n")[:4] == text.split("\n")[:4]
    assert elided.split("\n")[5] == text.split("\n")[5]
    assert respell(elided, segments) == "\n".join(full)


def test_segments_at_the_end_of_a_dictionary_are_elided() -> None:
    text = '"ttir.a"(%a) {x = 1, operandSegmentSizes = array<i32: 1>} : (f32) -> ()'
    assert elide(text, {"ttir.a"}) == '"ttir.a"(%a) {x = 1} : (f32) -> ()'
    assert elide(text, {"ttir.b"}) == text


@pytest.mark.parametrize(
    "text",
    [
        '// "ttir.a"() <{x}> : () -> () and #ttcore.reduce_type<sum>',
        '"other.op"() <{x = "ttir.empty() : f32 #ttcore.a<b>"}> : () -> ()',
        '"arith.constant"() <{value = 1 : i32}> : () -> i32 // ttir.',
        '#loc = loc("ttir.add"("#ttcore.a<b>":1:2))',
        '"func.func"() <{sym_name = "ttir.x"}> ({}) {ttir.a} : () -> ()',
        'module {}\n{-#\n dialect_resources: {builtin: {x: "0x00", y: "#tt.a<b>"}}, #tt.a<b>\n#-}\n',
        'x = dense<["#tt.a<b>", "ttir.empty() : f32"]> ttir.',
    ],
)
def test_strings_comments_and_other_dialects_are_left_alone(text: str) -> None:
    assert respell(text) == text


@pytest.mark.parametrize(
    "tail",
    ['"ttir.a"(', '"ttir.a"() <{x', '"ttir.a"() <{x}> : (', "#a = #tt.x<", "ttir.empty(", '"ttir',
     "ttir.to_layout %a", "ttir.to_layout %a, %b : f32 into", "tt.device @x =", "dense<", "{-# ttir.", "}",
     '"ttir.a"(]) <{x}> : () -> ()'],
)  # fmt: skip
def test_malformed_text_is_left_from_there(tail: str) -> None:
    good = '"ttir.a"() <{x}> : () -> ()'
    assert respell(f"{good}\n{tail}") == f"{respell(good)}\n{tail}"


def test_an_error_is_reported_on_the_line_of_the_source() -> None:
    lines = DESTINATIONS.split("\n")
    lines[4] = lines[4].replace(", tensor<64x128xf32>) ->", ") -> ->")
    with pytest.raises(ir.MLIRError) as caught:
        parse(respell("\n".join(lines)))
    assert str(caught.value.error_diagnostics[0].location).startswith('loc("-":5:')


FRAGMENTS = [
    *'(){}<>[]=,"\\x\n',
    "%0 = ",
    "arith.addf",
    '"s"',
    "<{",
    "}>",
    " : ",
    " -> ",
    "#map",
    "dense<",
    "//",
]
FRAGMENTS += ["{-#", "#-}", "tensor<4xf32>"]
SPELLINGS = [
    '"ttir.a"',
    '"ttir.a"() <{x}>',
    "ttir.empty()",
    "#tt.a<b>",
    "#ttcore.",
    "ttir.to_layout",
    "tt.device @x =",
]


@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join), st.text())
def test_text_of_other_dialects_is_unchanged(text: str, noise: str) -> None:
    assert respell(text) == text
    marked = f"{text}\n// ttir. \n"
    assert respell(marked) == marked
    assert respell(noise).count("\n") == noise.count("\n")


@given(st.lists(st.sampled_from(FRAGMENTS + SPELLINGS)).map("".join))
def test_any_jumble_keeps_its_lines(text: str) -> None:
    assert respell(text, lambda *_: (1,), lambda *_: True).count("\n") == text.count("\n")
    assert elide(text, {"ttir.a"}).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (DESTINATIONS, "ttir"),
        (CURRENT, "ttir"),
        (
            '%0 = stablehlo.add %a, %b : f32 // ttir.add ttir.add\n%1 = "chlo.erf"(%0) {ttir.a = #tt.a<b>}',
            "stablehlo",
        ),
        ('%0 = "stablehlo.add"(%a) : (f32) -> f32 loc("ttir.a"("ttir.b"(#x)))', "stablehlo"),
        ("%0 = tosa.add %a, %b : tensor<4xf32>", "tosa"),
        ("%0 = torch.aten.mm %a, %b : !torch.vtensor", "torch"),
        ('%0 = "ttnn.add"(%a) <{x = "ttir.a"}> : (f32) -> f32', "ttnn"),
        ("func.func @f() { return }", "ttir"),
        ("", "ttir"),
    ],
)
def test_the_kind_of_a_text(text: str, kind: str) -> None:
    assert looks_like(text) == kind
