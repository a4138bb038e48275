import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

import ttstack
from ttstack.device.layout import Layout
from ttstack.ops.types import DType
from ttstack.report import Report
from ttstack.report.csv import csv_text
from ttstack.report.csv_tensors import four, tensor_cells


@pytest.fixture(scope="module")
def rows(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_text(report))))


def test_header(rows: list[dict[str, str]]) -> None:
    names = list(rows[0])
    assert names[:4] == ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID"]
    assert names[-4:] == ["LOC", "CONST_EVAL_OP", "INPUT_LAYOUT_CONVERSION_OP", "PROGRAM_METADATA"]
    first, last = names.index("INPUT_0_W_PAD[LOGICAL]"), names.index("OUTPUT_0_MEMORY")
    assert names[first - 1] == "DISPATCH GO SEND WAIT TIME [ns]"
    assert names[last + 1] == "METAL TRACE ID"
    assert last - first + 1 == 7 * 3
    assert len(names) == len(set(names)) == 34 + 21 + 29 + 4


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
