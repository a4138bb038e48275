"""Time and rate with the transfers of inputs and outputs, next to the time of the device."""

from dataclasses import replace

import pytest

import ttstack
from ttstack.cost.mesh import pcie_ns
from ttstack.program.records import Binary
from ttstack.report.build import build_report
from ttstack.report.facts import facts
from ttstack.report.report import Report
from ttstack.system_desc import load

BATCH = """func.func @main(%x: tensor<8x64x64xbf16>, %t: tensor<1xbf16>) -> tensor<8x64x64xbf16> {
  %0 = "ttir.multiply"(%x, %t) : (tensor<8x64x64xbf16>, tensor<1xbf16>) -> tensor<8x64x64xbf16>
  return %0 : tensor<8x64x64xbf16>
}"""
DECODE = """func.func @main(%x: tensor<4x8x{rows}x64xbf16>, %c: tensor<4x8x128x64xbf16>, %i: tensor<1xi32>)
    -> (tensor<4x8x{rows}x64xbf16>, tensor<4x8x128x64xbf16>) {{
  %0 = "ttir.relu"(%x) : (tensor<4x8x{rows}x64xbf16>) -> tensor<4x8x{rows}x64xbf16>
  %1 = "ttir.update_cache"(%c, %0, %i) <{{batch_offset = 0 : i32}}> : (tensor<4x8x128x64xbf16>,
    tensor<4x8x{rows}x64xbf16>, tensor<1xi32>) -> tensor<4x8x128x64xbf16>
  return %0, %1 : tensor<4x8x{rows}x64xbf16>, tensor<4x8x128x64xbf16>
}}"""


def fact_of(report: Report) -> str:
    (fact,) = (fact for fact in facts(report) if fact.title == "with I/O")
    return f"{fact.value}, {fact.note}"


def test_inputs_are_written_and_outputs_read_one_by_one(report: Report, binary: Binary) -> None:
    function, pcie = binary.functions[0], load("wormhole").chips[0].pcie
    (x,), y = function.arguments.values(), function.tensors[5]
    assert pcie is not None
    written, read = (
        pcie_ns(pcie, t.layout.nbytes(t.type), t.layout.page_bytes(t.type), to_device=to_device)
        for t, to_device in ((x, True), (y, False))
    )
    run = report.end_to_end
    assert run is not None
    assert run.elapsed_ns == pytest.approx(report.total_ns + written + read)
    assert report.to_dict()["end_to_end"]["inputs_ns"] == pytest.approx(written)
    assert not run.per_pass, "the first dimensions are 128 and 1"
    assert "passes/s" in fact_of(report)


def test_samples_are_the_first_dimension_that_all_share() -> None:
    report = ttstack.compile(BATCH).cost()
    run = report.end_to_end
    assert run is not None
    assert run.per_second == {"samples": pytest.approx(8e9 / run.elapsed_ns)}
    assert "samples/s (batch 8)" in fact_of(report)
    assert "tokens/s (32 per pass)" in fact_of(report.count_in_pass(tokens=32)), "what the user gives comes first"


def test_a_decode_step_has_a_token_for_each_user_and_keeps_its_caches() -> None:
    report = ttstack.compile(DECODE.format(rows=1)).cost()
    run = report.end_to_end
    assert run is not None
    assert run.per_pass == {"tokens": 4}
    cache = 4 * 8 * 128 * 64 * 2
    assert 0 < run.input_bytes < cache
    assert 0 < run.output_bytes < cache


def test_rows_of_a_prompt_are_not_tokens_of_a_decode_step() -> None:
    report = ttstack.compile(DECODE.format(rows=2)).cost()
    run = report.end_to_end
    assert run is not None
    assert run.per_pass == {"samples": 4}


def test_devices_without_pcie_state_that_transfers_are_not_included(binary: Binary) -> None:
    system = load("wormhole")
    chips = (system.chips[0].model_copy(update={"pcie": None}),)
    report = build_report(replace(binary, system_desc=system.model_copy(update={"chips": chips})))
    assert report.end_to_end is None
    assert "end_to_end" not in report.to_dict()
    assert "transfers are not included" in fact_of(report)


def test_ops_that_a_trace_cannot_record_are_named() -> None:
    """The host then dispatches each op, for which there is no price."""
    text = """func.func @main(%x: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  %0 = "ttir.reverse"(%x) <{dimensions = array<i64: 1>}> : (tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %0 : tensor<8x64xbf16>
}"""
    report = ttstack.compile(text, without="all").cost()
    assert [op.name for op in report.ops] == ["reverse"]
    assert fact_of(report).endswith("PCIe included, no host dispatch of reverse")
    assert report.to_dict()["end_to_end"]["untraced"] == ["reverse"]


def test_estimates_of_a_device_are_marked() -> None:
    report = ttstack.compile(BATCH, system_desc="p150").cost()
    assert "PCIe estimated" in fact_of(report)
    assert report.to_dict()["end_to_end"]["estimated"]
    assert not ttstack.compile(BATCH).cost().to_dict()["end_to_end"]["estimated"]
