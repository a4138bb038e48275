import json
from dataclasses import replace
from typing import Any

import pytest

from ttstack.cost import Term
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


def test_the_bound_is_the_terms_of_its_name_alone(report: Report) -> None:
    one, two = next((a, b) for a in Term for b in Term if a is not b and a.bound == b.bound)
    other = next(term for term in Term if term.bound != one.bound)
    terms = {one: 40.0, two: 30.0, other: 30.0}
    op = replace(report.ops[0], terms=terms, kernel_ns=80.0, gap_ns=20.0, bound=one.bound)
    assert op.bound_share == pytest.approx(70 / (100 if one.bound == "launch" else 80))
