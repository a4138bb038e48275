"""What a user fixes is kept, what cannot be is refused with its reason, and what was chosen can be fixed again."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import ttstack
from ttstack.device.layout import Grid
from ttstack.device.program_config import RowwiseConfig, config_fields
from ttstack.diagnostics import OverrideError, PassOptionError
from ttstack.placement.explain import explain
from ttstack.placement.graph_from_program import overrides_of
from ttstack.placement.overrides import load_overrides
from ttstack.program.records import Operation

TEXT = """
func.func @f(%x: tensor<256x512xbf16>, %w: tensor<512x512xbf16>, %v: tensor<512x256xbf16>) -> tensor<256x256xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<256x512xbf16>, tensor<512x512xbf16>) -> tensor<256x512xbf16>
  %1 = "ttir.softmax"(%0) {dimension = 1 : si32} : (tensor<256x512xbf16>) -> tensor<256x512xbf16>
  %2 = "ttir.add"(%0, %1) : (tensor<256x512xbf16>, tensor<256x512xbf16>) -> tensor<256x512xbf16>
  %3 = "ttir.matmul"(%2, %v) : (tensor<256x512xbf16>, tensor<512x256xbf16>) -> tensor<256x256xbf16>
  return %3 : tensor<256x256xbf16>
}
"""


def compiled(*ops: dict[str, Any], **options: Any) -> ttstack.Program:
    return ttstack.compile(TEXT, overrides={"ops": list(ops)} if ops else None, **options)


def named(program: ttstack.Program, name: str) -> Operation:
    return next(op for op in program.function().operations if op.name == name)


def result(program: ttstack.Program, name: str) -> str:
    return str(program.function().tensors[named(program, name).results[0]].layout)


def test_an_op_that_writes_to_its_operand_is_exported_too():
    """It has no result; another view of one is not an op of its own."""
    text = """
      func.func @f(%c: tensor<2x2x64x32xbf16>, %r: tensor<2x2x1x32xbf16>, %i: tensor<1xi32>) -> tensor<2x2x64x32xbf16> {
        "ttir.update_cache"(%c, %r, %i) <{batch_offset = 0 : i32}>
          : (tensor<2x2x64x32xbf16>, tensor<2x2x1x32xbf16>, tensor<1xi32>) -> ()
        %0 = "ttir.exp"(%c) : (tensor<2x2x64x32xbf16>) -> tensor<2x2x64x32xbf16>
        return %0 : tensor<2x2x64x32xbf16>
      }"""
    program = ttstack.compile(text, without="all")
    exported = overrides_of(program.function()).ops
    assert [op.name for op in exported] == ["update_cache", "exp"]


@pytest.mark.parametrize("placement", ["greedy", "optimal"])
def test_each_kind_is_applied(placement: str):
    asked = {"name": "softmax", "location": "*"}
    program = compiled({**asked, "grid": [2, 4]}, placement=placement)
    assert named(program, "softmax").grid == Grid(2, 4)
    assert "dram/interleaved" in result(compiled({**asked, "memory": "dram"}, placement=placement), "softmax")
    sharded = compiled({**asked, "layout": "height_sharded", "grid": [1, 8]}, placement=placement)
    assert "l1/height_sharded@1x8" in result(sharded, "softmax")
    assert result(compiled({**asked, "dtype": "bfp8_b"}, placement=placement), "softmax").startswith("bfp8_b")
    narrow = compiled({**asked, "config": {"block_w": 3}}, placement=placement)
    assert named(narrow, "softmax").config == RowwiseConfig(3)
    product = compiled({"name": "matmul", "location": "*", "config": {"in0_block_w": 2}}, placement=placement)
    assert [config_fields(op.config)["in0_block_w"] for op in product.function().operations if op.name == "matmul"] == [
        2,
        2,
    ]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"name": "relu"}, "no op is relu at *"),
        ({"location": "nowhere.py:1"}, "no op is nowhere.py:1"),
        ({"name": "add", "number": 3}, "no op is add at *, number 3"),
        ({"grid": [99, 1]}, "grid 99x1 is larger than the device's 8x8"),
        (
            {"name": "softmax", "layout": "width_sharded"},
            "its result cannot be width_sharded, it can be interleaved or",
        ),
        ({"name": "add", "operands": [None]}, "it has 2 operands, not 1"),
        ({"name": "matmul", "config": {"in0_block_w": 1000}}, "does not fit its loops"),
        ({"name": "matmul", "config": {"in0_block_w": 3}}, "does not fit its loops"),
        ({"name": "matmul", "config": {"in0_block_w": 3}}, "must be divisible by in0_block_w (3)"),
        ({"name": "matmul", "config": {"depth": 1}}, "no configuration has depth; there are type, in0_block_w"),
        ({"dtype": "si32"}, "is not one of f32, bf16, bfp8_b, bfp4_b"),
        ({"memory": "dram", "layout": "block_sharded"}, "a result in DRAM is interleaved, not block_sharded"),
        ({"memory": "system_memory"}, "ops.0.memory: memory is dram or l1"),
        ({"colour": 1}, "ops.0.colour: nothing that can be fixed"),
        ({"grid": [0, 1]}, "ops.0.grid.0: Input should be greater than or equal to 1"),
    ],
)
def test_each_kind_that_cannot_be_is_refused(asked: dict[str, Any], reason: str):
    with pytest.raises(OverrideError) as error:
        compiled({"location": "*", **asked})
    assert any(reason in note for note in error.value.diagnostic.notes), error.value


NORM = """func.func @f(%x: tensor<64x256xbf16>, %w: tensor<256xbf16>) -> tensor<64x256xbf16> {
  %0 = "ttir.relu"(%x) : (tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %1 = "ttir.rms_norm"(%0, %w) <{normalized_shape = array<i64: 256>, operandSegmentSizes = array<i32: 1, 1, 0>}>
    : (tensor<64x256xbf16>, tensor<256xbf16>) -> tensor<64x256xbf16>
  return %1 : tensor<64x256xbf16>
}"""


def test_the_rule_is_said_that_what_is_asked_for_breaks():
    rows = {"memory": "l1", "layout": "height_sharded", "grid": [1, 2]}
    asked = {"location": "*", "name": "rms_norm", **rows, "operands": [rows, None]}
    with pytest.raises(OverrideError, match="a norm takes no height shards"):
        ttstack.compile(NORM, overrides={"ops": [asked]})


def test_all_that_cannot_be_is_said_at_once():
    arguments = [{"name": "nobody", "dtype": "bf16"}]
    ops = [{"name": "relu"}, {"name": "softmax", "grid": [99, 1]}, {"name": "add", "operands": [None]}]
    asked = {"arguments": arguments, "ops": [{"location": "*", **of} for of in ops]}
    with pytest.raises(OverrideError) as error:
        ttstack.compile(TEXT, overrides=asked)
    reasons = ("no op is relu", "no argument is named nobody", "grid 99x1 is larger", "it has 2 operands, not 1")
    notes = error.value.diagnostic.notes
    assert all(reason in note for reason, note in zip(reasons, notes, strict=True)), notes


def test_the_format_of_arguments_is_fixed_by_name():
    asked = {"arguments": [{"name": "arg[12]", "dtype": "bfp4_b"}]}
    program = ttstack.compile(TEXT, dtype="bfp8_b", overrides=asked)
    formats = [str(t.layout.dtype) for t in program.function().arguments.values()]
    assert formats == ["bfp8_b", "bfp4_b", "bfp4_b"]
    again = ttstack.compile(TEXT, overrides=yaml.safe_load(overrides_of(program.function()).text()))
    assert again.function() == program.function(), "formats are part of what is exported"


@pytest.mark.parametrize(("name", "close"), [("arg00", "arg0"), ("scale", "scale.folded")])
def test_a_name_that_is_close_is_suggested(name: str, close: str):
    text = """func.func @f(%arg0: tensor<8xf32>, %s: tensor<8xf32> {ttir.name = "scale", ttcore.argument_type =
        #ttcore.argument_type<parameter>}) -> tensor<8xf32> {
      %0 = "ttir.exp"(%s) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = "ttir.add"(%arg0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    }"""
    with pytest.raises(OverrideError) as error:
        ttstack.compile(text, overrides={"arguments": [{"name": name, "dtype": "bf16"}]})
    assert error.value.diagnostic.notes == (f"no argument is named {name}; did you mean {close}?",)


def test_a_format_for_indices_is_refused():
    text = "func.func @f(%i: tensor<32xi32>) -> tensor<32xi32> {\n  return %i : tensor<32xi32>\n}"
    with pytest.raises(OverrideError) as error:
        ttstack.compile(text, overrides={"arguments": [{"name": "arg0", "dtype": "bf16"}]})
    assert "argument arg0 holds no real numbers" in error.value.diagnostic.notes[0]


@pytest.mark.parametrize(
    ("limit", "note"),
    [
        ({"placement_budget": 3}, "a budget is for the policy optimal, not greedy"),
        ({"placement_nodes": 3}, "nodes are for the policy optimal, not greedy"),
    ],
)
def test_a_limit_without_a_search_is_refused(limit: dict[str, int], note: str):
    with pytest.raises(PassOptionError) as error:
        compiled(**limit)
    assert error.value.diagnostic.notes == (note,)


@pytest.mark.parametrize("given", [-1, 1.5, True])
def test_what_is_no_number_of_nodes_is_refused(given: Any):
    with pytest.raises(PassOptionError, match="placement_nodes:"):
        compiled(placement="optimal", placement_nodes=given)


def test_what_other_ops_write_to_stays_in_dram():
    cache, x, i = "tensor<1x2x64x32xf32>", "tensor<1x2x1x32xf32>", "tensor<1xui32>"
    text = f"""
    func.func @f(%c: {cache}, %x: {x}, %i: {i}) -> {cache} {{
      %0 = "ttir.exp"(%c) : ({cache}) -> {cache}
      %1 = "ttir.update_cache"(%0, %x, %i) {{batch_offset = 0 : i32}} : ({cache}, {x}, {i}) -> {cache}
      return %1 : {cache}
    }}"""
    with pytest.raises(OverrideError) as error:
        ttstack.compile(text, overrides={"ops": [{"location": "*", "name": "exp", "memory": "l1"}]})
    assert any("its results are in DRAM: other ops write to them" in note for note in error.value.diagnostic.notes)


def test_a_result_of_the_function_can_be_made_in_l1_and_is_returned_in_dram():
    program = compiled({"name": "matmul", "number": 1, "location": "*", "memory": "l1", "layout": "block_sharded"})
    function = program.function()
    made, returned = [op for op in function.operations if op.name != "deallocate"][-2:]
    assert [made.name, returned.name] == ["matmul", "to_layout"]
    layouts = [str(function.tensors[op.results[0]].layout) for op in (made, returned)]
    assert layouts == ["bf16 tile l1/block_sharded@8x8", "bf16 tile dram/interleaved"]
    assert function.outputs[0].tensor == returned.results[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot read"), ("ops: [", "is neither YAML nor JSON"), ("[1]", "the overrides have faults")],
)
def test_files_that_cannot_be_read_are_refused(tmp_path: Path, text: str | None, message: str):
    path = tmp_path / "overrides.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(OverrideError, match=message):
        ttstack.compile(TEXT, overrides=path)


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (
            "arguments:\n- name: x\n  dtype: bf17\nops:\n- location: a\n  memory: l3\n- {location: b, colour: red}\n",
            [
                "3: arguments.0.dtype: 'bf17' is not one of f32, bf16, bfp8_b, bfp4_b",
                "6: ops.0.memory: memory is dram or l1",
                "7: ops.1.colour: nothing that can be fixed",
            ],
        ),
        ('{\n\t"ops": [\n\t\t{"memory": "l1"}]}', ["3: ops.0.location: missing"]),
    ],
)
def test_faults_of_a_file_have_their_lines(tmp_path: Path, text: str, notes: list[str]):
    path = tmp_path / ("overrides.json" if "{\n" in text else "overrides.yaml")
    path.write_text(text)
    with pytest.raises(OverrideError) as error:
        load_overrides(path)
    assert error.value.diagnostic.notes == tuple(f"{path}:{note}" for note in notes)


ALIASES = "\n".join(["a0: &a0 [1, 2, 3]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)])


@pytest.mark.parametrize("suffix", ["yaml", "json"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"ops":' * 100_000, "nested too deeply"),
        (b"\xff", "cannot read"),
        (b"ops: &a [*a]", "nested too deeply|is neither YAML nor JSON"),
        (ALIASES.encode(), "values are repeated|is neither YAML nor JSON"),
        (b'{"ops": ' + b"9" * 5000 + b"}", "is neither YAML nor JSON"),
        (b"ops: !!bool spam", "is neither YAML nor JSON"),
        (b"ops: !!int ''", "is neither YAML nor JSON"),
        (b"ops: !!timestamp spam", "is neither YAML nor JSON"),
        (b"ops: 2021-13-45", "is neither YAML nor JSON"),
        (b"ops: !!python/object/apply:os.getcwd []", "is neither YAML nor JSON"),
        (b'{"ops": [{"location": "\\ud800"}]}', "the overrides have faults"),
    ],
)
def test_files_of_strangers_are_refused(tmp_path: Path, suffix: str, content: bytes, message: str):
    path = tmp_path / f"overrides.{suffix}"
    path.write_bytes(content)
    with pytest.raises(OverrideError, match=message):
        load_overrides(path)


def test_aliases_are_read_as_what_they_repeat(tmp_path: Path):
    path = tmp_path / "overrides.yaml"
    path.write_text("ops:\n- {location: a, grid: &g [1, 2]}\n- {location: b, grid: *g}\n")
    assert [op.grid for op in load_overrides(path).ops] == [(1, 2), (1, 2)]


@pytest.mark.parametrize("placement", ["greedy", "optimal", "dram"])
def test_the_chosen_placement_as_overrides_gives_the_identical_program(placement: str, tmp_path: Path):
    path = tmp_path / "overrides.yaml"
    function = compiled(placement=placement).function()
    path.write_text(overrides_of(function).text())
    again = ttstack.compile(TEXT, overrides=path).function()
    assert replace(again, bound_ns=None) == replace(function, bound_ns=None)


def test_the_bound_is_of_the_time_that_the_report_shows():
    program = compiled(placement="optimal")
    bound = program.function().bound_ns
    assert bound is not None
    assert program.cost().total_ns == pytest.approx(bound)
    program = compiled(placement="optimal", placement_caution=0)
    bound = program.function().bound_ns
    assert bound is not None
    greedy = compiled(placement="greedy", placement_caution=0).cost().total_ns
    assert greedy > bound or greedy == pytest.approx(bound, rel=1e-12), "the same times, added up in another order"
    assert compiled().function().bound_ns is None


def test_an_explanation_says_what_alternatives_would_cost():
    """Times as predicted: where doubt has a price, the optimum is that of prices, and others may be predicted faster."""
    certain: dict[str, Any] = {"placement": "optimal", "placement_caution": 0.0}
    program = compiled(**certain)
    function, binary = program.function(), program.binary
    position = next(i for i, op in enumerate(function.operations) if op.name == "softmax")
    first, *others = explain(function, position, binary.chip(function), binary.system_desc, anew_seconds=30)
    assert first.chosen
    assert first.device_op == function.device_op(function.operations[position])
    assert others
    for other in others:
        assert other.why != "chosen"
        (layout,) = other.device_op.results
        asked = {"memory": str(layout.memory_space), "layout": str(layout.memory_layout)}
        forced = compiled({"name": "softmax", "location": "*", **asked}, **certain).cost().total_ns
        assert forced <= program.cost().total_ns + other.more_ns + 1e-6, "others may be placed anew"
        assert other.more_ns >= -1e-6, "nothing is better than the optimum"
        assert other.anew_ns is not None
        assert -1e-6 <= other.anew_ns <= other.more_ns + 1e-6
        assert forced <= program.cost().total_ns + other.anew_ns + 1e-6
