import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

import ttstack
from ttstack.cost import Confidence
from ttstack.device.layout import Layout
from ttstack.ops.types import DType
from ttstack.report.csv import csv_text
from ttstack.report.csv_tensors import four, tensor_cells
from ttstack.report.json import to_json
from ttstack.report.report import Report


@pytest.fixture(scope="module")
def rows(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_text(report))))


def test_header(rows: list[dict[str, str]]) -> None:
    names = list(rows[0])
    assert names[:4] == ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID"]
    assert names[-8:-4] == ["LOC", "CONST_EVAL_OP", "INPUT_LAYOUT_CONVERSION_OP", "PROGRAM_METADATA"]
    first, last = names.index("INPUT_0_W_PAD[LOGICAL]"), names.index("OUTPUT_0_MEMORY")
    assert names[first - 1] == "DISPATCH GO SEND WAIT TIME [ns]"
    assert names[last + 1] == "METAL TRACE ID"
    assert last - first + 1 == 7 * 3
    assert len(names) == len(set(names)) == 34 + 21 + 29 + 4 + 3 + 1


def test_signpost_then_one_row_for_each_op(rows: list[dict[str, str]], report: Report) -> None:
    assert (rows[0]["OP CODE"], rows[0]["OP TYPE"]) == ("forward", "signpost")
    assert [row["OP CODE"] for row in rows[1:]] == [op.op_code for op in report.ops]
    assert [int(row["GLOBAL CALL COUNT"]) for row in rows[1:]] == [1024, 2048, 3072]
    starts = [int(row["HOST START TS"]) for row in rows]
    assert starts == sorted(set(starts))
    assert starts[1:] == [int(row["HOST END TS"]) for row in rows[1:]], "the host sends, and does not wait"


def test_times_add_up_to_the_report(rows: list[dict[str, str]], report: Report) -> None:
    def total(column: str) -> float:
        return sum(float(row[column]) for row in rows[1:])

    assert total("DEVICE KERNEL DURATION [ns]") == pytest.approx(report.kernel_ns, abs=1e-5)
    assert total("OP TO OP LATENCY [ns]") == pytest.approx(report.gap_ns, abs=1e-5)
    assert float(rows[2]["OP TO OP LATENCY [ns]"]) == pytest.approx(report.ops[0].gap_ns, abs=1e-5)


def test_errors_are_those_of_the_other_reports(rows: list[dict[str, str]], report: Report) -> None:
    """An interval where it is skewed, as in the table and in JSON; what nothing like it was measured of says so."""
    op = report.ops[0]
    stated = [
        Confidence("matmul", "matmul", 0.26, -0.05, 0.51),
        Confidence("", "matmul", 0.26, -0.05, 0.51, ("no such op was measured on this device",)),
        Confidence("matmul", "matmul", 0.26, -0.2, 0.25, similar=True),
        Confidence(beyond=("no such op was measured on this device",)),
    ]
    ops = tuple(replace(op, confidence=confidence) for confidence in stated)
    asked = replace(report, ops=ops)
    assert [op.confidence.trust for op in ops] == ["measured", "extrapolated", "similar", "extrapolated"]
    cells = [list(row.values())[-4:-1] for row in csv.DictReader(io.StringIO(csv_text(asked)))][1:]
    unknown = "nothing measured; no such op was measured on this device"
    assert [(low[:5], high[:5], basis) for low, high, basis in cells] == [
        ("-5.00", "51.00", "matmul"),
        ("-5.00", "51.00", unknown),
        ("-26.0", "26.00", "matmul"),
        ("", "", unknown),
    ]
    likely = [json.loads(to_json(asked))["ops"][i]["likely_ns"] for i in range(len(ops))]
    ns = op.elapsed_ns
    assert likely[3] is None
    assert likely[:3] == [
        pytest.approx([ns * low, ns * high]) for low, high in ((0.95, 1.51), (0.95, 1.51), (0.74, 1.26))
    ]


def test_operands_of_a_product_are_as_the_kernel_takes_them(rows: list[dict[str, str]]) -> None:
    matmul = rows[1]
    assert [matmul[f"INPUT_1_{d}_PAD[LOGICAL]"] for d in "WZYX"] == ["1[1]", "1[1]", "256[256]", "512[512]"]
    assert (matmul["INPUT_1_DATATYPE"], matmul["INPUT_1_MEMORY"]) == ("BFLOAT8_B", "DEV_0_DRAM_INTERLEAVED")
    assert (matmul["OUTPUT_0_DATATYPE"], matmul["OUTPUT_0_MEMORY"]) == ("BFLOAT16", "DEV_0_L1_INTERLEAVED")
    assert rows[2]["OUTPUT_0_MEMORY"] == "DEV_0_L1_HEIGHT_SHARDED"


def test_attributes_hold_what_advice_is_made_of(rows: list[dict[str, str]]) -> None:
    attributes = rows[1]["ATTRIBUTES"]
    assert "'program_config': 'MatmulMultiCoreReuseMultiCastProgramConfig(" in attributes
    assert ";type=" not in attributes, "the name of the configuration says it"
    for part in (
        "in0_block_w=2",
        "out_subblock_h=1",
        "out_subblock_w=4",
        "grid_size=(x=8;y=4)",
        "'transpose_b': 'true'",
    ):
        assert part in attributes
    assert "ShardSpec(grid={[(x=0;y=0) - (x=3;y=0)]};shape={32; 512}" in rows[2]["ATTRIBUTES"]


def test_no_cell_has_a_comma(rows: list[dict[str, str]]) -> None:
    assert not [cell for row in rows for cell in row.values() if "," in cell]
    assert rows[3]["LOC"] == 'loc("<text>; 15")'


def test_dimensions_are_four() -> None:
    assert four(()) == (1, 1, 1, 1)
    assert four((7,)) == (1, 1, 1, 7)
    assert four((2, 3, 4, 5, 6)) == (6, 4, 5, 6)


def test_written_whole(report: Report, tmp_path: Path) -> None:
    report.to_csv(tmp_path / "ops_perf_results.csv")
    assert (tmp_path / "ops_perf_results.csv").read_text() == csv_text(report)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_function_without_ops(empty: Report) -> None:
    assert len(csv_text(empty).splitlines()) == 2


def test_a_bias_is_no_factor_of_a_product() -> None:
    x, w, b, y = (f"tensor<{shape}xbf16>" for shape in ("32x64", "96x64", "1x96", "32x96"))
    program = ttstack.compile(f"""func.func @f(%x: {x}, %w: {w}, %b: {b}) -> {y} {{
      %0 = "ttir.linear"(%x, %w, %b) <{{transpose_b = true}}> : ({x}, {w}, {b}) -> {y}
      return %0 : {y}
    }}""")
    (row,) = [row for row in csv.DictReader(io.StringIO(csv_text(program.cost()))) if "Matmul" in row["OP CODE"]]
    shapes = [[row[f"INPUT_{n}_{d}_PAD[LOGICAL]"].split("[")[1] for d in "YX"] for n in range(3)]
    assert shapes == [["32]", "64]"], ["64]", "96]"], ["1]", "96]"]]


def test_tiles_pad_the_last_two_dimensions_and_rows_none(report: Report) -> None:
    op = report.ops[0]
    tensors = [
        replace(op.results[0], type=op.results[0].type.with_shape((3, 40, 50)), layout=Layout(DType.BF16, tiled))
        for tiled in (True, False)
    ]
    cells = dict(tensor_cells(replace(op, operands=(), results=tuple(tensors))))
    padded = [[cells[f"OUTPUT_{i}_{d}_PAD[LOGICAL]"] for d in "WZYX"] for i in range(2)]
    assert padded == [["1[1]", "3[3]", "64[40]", "64[50]"], ["1[1]", "3[3]", "40[40]", "50[50]"]]


@pytest.mark.parametrize(
    ("name", "input_", "weight", "attributes", "expected"),
    [
        (
            "conv1d",
            "2x30x5xf32",
            "7x5x3xf32",
            "stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32",
            ("window_hw=(1;3); ", ("60[60]", "8[5]"), ("32[15]", "32[7]"), ("64[60]", "32[7]")),
        ),
        (
            "conv3d",
            "1x4x8x8x6xf32",
            "9x6x3x3x2xf32",
            "stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32",
            ("window_hw=(9;2); ", ("256[256]", "8[6]"), ("128[108]", "32[9]"), ("96[84]", "32[9]")),
        ),
    ],
)
def test_convolutions_along_one_axis_and_three(
    name: str, input_: str, weight: str, attributes: str, expected: tuple[str, ...]
) -> None:
    result = {"conv1d": "2x30x7xf32", "conv3d": "1x2x6x7x9xf32"}[name]
    text = f"""
    func.func @f(%a: tensor<{input_}>, %b: tensor<{weight}>) -> tensor<{result}> {{
      %0 = "ttir.{name}"(%a, %b) <{{{attributes}}}> : (tensor<{input_}>, tensor<{weight}>) -> tensor<{result}>
      return %0 : tensor<{result}>
    }}
    """
    rows = csv.DictReader(io.StringIO(csv_text(ttstack.compile(text, placement="dram").cost())))
    (row,) = (row for row in rows if row["OP CODE"] == "Conv2dDeviceOperation")
    window, *shapes = expected
    assert window in row["ATTRIBUTES"]
    tensors = ("INPUT_0", "INPUT_1", "OUTPUT_0")
    assert [tuple(row[f"{t}_{d}_PAD[LOGICAL]"] for d in "YX") for t in tensors] == shapes
