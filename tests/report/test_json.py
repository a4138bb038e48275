import json
from dataclasses import replace
from typing import Any

import pytest

from ttstack.diagnostics import OutputError
from ttstack.report.report import Report


def test_text_is_the_values(report: Report) -> None:
    assert json.loads(report.to_json()) == json.loads(report.to_json(indent=None)) == report.to_dict()
    assert "\n" in report.to_json()
    assert "\n" not in report.to_json(indent=None), "a line of a log"


def test_content(report: Report) -> None:
    values = report.to_dict()
    assert values["kernel_ns"] + values["gap_ns"] == values["total_ns"]
    assert sum(op["share"] for op in values["ops"]) == pytest.approx(1)
    matmul = values["ops"][0]
    assert matmul["operands"][1] == {
        "name": "w",
        "type": "tensor<512x256xbf16>",
        "layout": "bfp8_b tile dram/interleaved",
    }
    assert matmul["config"]["in0_block_w"] == 2
    assert matmul["terms"]["gap"] == matmul["gap_ns"]


def test_values_that_json_lacks_become_text(report: Report) -> None:
    odd = replace(report.ops[0], attributes={"max": float("inf"), "shape": (1, 2), "type": report.ops[0].grid})
    values = json.loads(replace(report, ops=(odd,)).to_json())
    assert values["ops"][0]["attributes"] == {"max": "inf", "shape": [1, 2], "type": "4x8"}


def test_data_frame(report: Report) -> None:
    frame: Any = report.to_pandas()
    assert list(frame["name"]) == ["matmul", "to_layout", "softmax"]
    assert frame["elapsed_ns"].sum() == pytest.approx(report.total_ns)
    assert frame["compute_ns"][0] == report.ops[0].terms["compute"]
    assert frame.columns.is_unique


def test_data_frame_without_pandas(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(OutputError, match="needs pandas") as error:
        report.to_pandas()
    assert error.value.diagnostic.hint == "pip install 'ttstack[pandas]'"


def test_the_bound_saves_the_most_and_its_share_is_1_where_it_is_all_of_the_time(report: Report) -> None:
    for op, row in zip(report.ops, report.to_dict()["ops"], strict=True):
        assert row["sensitivity"] == op.sensitivity
        assert op.bound == max(op.sensitivity, key=op.sensitivity.__getitem__)
        assert row["bound_share"] == pytest.approx(op.sensitivity[op.bound] * 11)
    alone = replace(report.ops[0], bound="DRAM", sensitivity={"DRAM": 1 - 1 / 1.1})
    assert alone.bound_share == pytest.approx(1)
