"""Weights over the banks of DRAM: where they pay, where they cannot be, and that values stay what they are."""

from dataclasses import replace

import numpy as np
import pytest

import ttstack
from ttstack.device.layout import Grid, Layout, MemoryLayout
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.placement.graph_from_program import overrides_of
from ttstack.program.buffers import bank_bytes
from ttstack_runtime.memory_check import check_memory

WIDE = 3072


def decode(*, transposed: bool = False, extra: str = "", rows: int = 32, depth: int = 4096) -> str:
    """Few rows times many weights, as in the decode step of a language model."""
    weights = f"tensor<{WIDE}x{depth}xbf16>" if transposed else f"tensor<{depth}x{WIDE}xbf16>"
    x, y = f"tensor<{rows}x{depth}xbf16>", f"tensor<{rows}x{WIDE}xbf16>"
    flags = f"transpose_b = {str(transposed).lower()}"
    return f"""
    func.func @f(%x: {x}, %w: {weights} {{ttir.name = "w", ttcore.argument_type = #ttcore.argument_type<parameter>}})
        -> {y} {{
      %0 = "ttir.exp"(%x) : ({x}) -> {x}
      %1 = "ttir.matmul"(%0, %w) {{{flags}}} : ({x}, {weights}) -> {y}
      {extra.format(w=weights)}
      %2 = "ttir.relu"(%1) : ({y}) -> {y}
      return %2 : {y}
    }}"""


def weights(program: ttstack.Program) -> Layout:
    return program.function().parameters["w"].layout


@pytest.mark.parametrize("placement", ["greedy", "optimal"])
@pytest.mark.parametrize("transposed", [False, True])
def test_each_bank_holds_its_share_of_the_columns(placement: str, transposed: bool):
    program = ttstack.compile(decode(transposed=transposed), placement=placement)
    function, chip = program.function(), program.binary.system_desc.chips[0]
    kind = MemoryLayout.HEIGHT_SHARDED if transposed else MemoryLayout.WIDTH_SHARDED
    assert weights(program) == Layout(weights(program).dtype, memory_layout=kind, grid=Grid(1, 12))
    assert bank_bytes(function.parameters["w"], chip) == 128 * 8 * 2048
    (product,) = (
        op
        for op in function.operations
        if isinstance(op.config, MatmulConfig) and op.config.type is MatmulProgram.DRAM_SHARDED
    )
    assert product.grid.cores == 12
    check_memory(function, chip)


def test_every_core_makes_columns_of_the_result():
    """The library leaves no shard on a core that has none: 50,304 columns on 64 cores are those of 63."""
    program = ttstack.compile(decode(depth=768).replace(str(WIDE), "50304"), placement="optimal")
    function = program.function()
    (product,) = (op for op in function.operations if op.name == "matmul")
    result = function.tensors[product.results[0]]
    assert result.layout.fills(result.type)


def test_reading_takes_little_more_than_the_banks_need():
    reports = (ttstack.compile(decode(depth=8192), placement=p, dtype="bfp8_b").cost() for p in ("dram", "optimal"))
    (slow,), (fast,) = ([op for op in r.ops if op.name == "matmul"] for r in reports)
    least = 8192 * WIDE * 1.0625 / 267
    assert least < fast.kernel_ns < 1.25 * least < slow.kernel_ns


@pytest.mark.parametrize("rows", [1, 32])
def test_values_are_those_of_interleaved_weights(rows: int):
    compiled = [ttstack.compile(decode(rows=rows), placement=p) for p in ("dram", "optimal")]
    assert [weights(p).sharded for p in compiled] == [False, True]
    want, got = (next(iter(p.run(seed=0).outputs.values())) for p in compiled)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("extra", ['%3 = "ttir.exp"(%w) : ({w}) -> {w}', '%3 = "ttir.add"(%w, %w) : ({w}, {w}) -> {w}'])
def test_weights_that_others_read_stay_on_pages(extra: str):
    text = decode(extra=extra).replace(f"-> tensor<32x{WIDE}xbf16> {{", f"-> (tensor<32x{WIDE}xbf16>, {{w}}) {{", 1)
    text = text.replace("return %2 : ", "return %2, %3 : ").replace("xbf16>\n    }", "xbf16>, {w}\n    }")
    program = ttstack.compile(text.replace("{w}", f"tensor<4096x{WIDE}xbf16>"), placement="optimal")
    assert not weights(program).sharded


def test_many_rows_keep_all_cores_busy_instead():
    assert not weights(ttstack.compile(decode(rows=2048), placement="optimal")).sharded


def test_the_choice_can_be_exported_and_refused(tmp_path):
    program = ttstack.compile(decode(), placement="optimal")
    path = tmp_path / "chosen.yaml"
    path.write_text(overrides_of(program.function()).text())
    again = ttstack.compile(decode(), overrides=path).function()
    assert again == replace(program.function(), bound_ns=None)
    refused = {"ops": [{"location": "*", "name": "matmul", "operands": [None, {"layout": "interleaved"}]}]}
    assert not weights(ttstack.compile(decode(), placement="optimal", overrides=refused)).sharded
