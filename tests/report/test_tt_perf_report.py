"""The real tt-perf-report reads our tables, warns of nothing, and finds no row above a peak."""

import csv
import os
import re
import subprocess
from pathlib import Path

import pytest

import ttstack
from ttstack.ops import OPS
from ttstack.options.choices import Policy
from ttstack.report.report import Report
from ttstack.support.environment import TT_PERF_REPORT

pytestmark = pytest.mark.client

ROOT = Path(__file__).parents[2]
EXAMPLES = ("dlrm", "encoder_layer")

LAYOUT_CHANGES = {
    f"{name}DeviceOperation"
    for name in (
        "Tilize",
        "TilizeWithValPadding",
        "Untilize",
        "UntilizeWithUnpadding",
        "InterleavedToSharded",
        "ShardedToInterleaved",
        "Reshard",
        "Typecast",
        "Copy",
    )
}

PRODUCTS = """
func.func @products(%a: tensor<1024x512xbf16>, %b: tensor<2048x512xbf16>, %c: tensor<8x64x128xbf16>,
                    %d: tensor<8x128x32xbf16>, %e: tensor<512xbf16>, %f: tensor<512x96xbf16>)
    -> (tensor<1024x2048xbf16>, tensor<8x64x32xbf16>, tensor<96xbf16>) {
  %0 = "ttir.matmul"(%a, %b) <{transpose_b = true}>
      : (tensor<1024x512xbf16>, tensor<2048x512xbf16>) -> tensor<1024x2048xbf16>
  %1 = "ttir.matmul"(%c, %d) : (tensor<8x64x128xbf16>, tensor<8x128x32xbf16>) -> tensor<8x64x32xbf16>
  %2 = "ttir.matmul"(%e, %f) : (tensor<512xbf16>, tensor<512x96xbf16>) -> tensor<96xbf16>
  return %0, %1, %2 : tensor<1024x2048xbf16>, tensor<8x64x32xbf16>, tensor<96xbf16>
}
"""

CONVOLUTIONS = """
func.func @windows(%a: tensor<2x16x16x3xbf16>, %b: tensor<40x3x7x7xbf16>, %c: tensor<40x1x3x3xbf16>,
                   %d: tensor<64x40x1x1xbf16>, %e: tensor<64x32x2x2xbf16>) -> tensor<2x16x16x32xbf16> {
  %0 = "ttir.conv2d"(%a, %b) <{stride = array<i32: 2, 2>, padding = 3 : i32, dilation = 1 : i32, groups = 1 : i32}>
      : (tensor<2x16x16x3xbf16>, tensor<40x3x7x7xbf16>) -> tensor<2x8x8x40xbf16>
  %1 = "ttir.conv2d"(%0, %c) <{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 40 : i32}>
      : (tensor<2x8x8x40xbf16>, tensor<40x1x3x3xbf16>) -> tensor<2x8x8x40xbf16>
  %2 = "ttir.conv2d"(%1, %d) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32}>
      : (tensor<2x8x8x40xbf16>, tensor<64x40x1x1xbf16>) -> tensor<2x8x8x64xbf16>
  %3 = "ttir.conv_transpose2d"(%2, %e) <{stride = 2 : i32, padding = 0 : i32, output_padding = 0 : i32,
                                         dilation = 1 : i32, groups = 1 : i32}>
      : (tensor<2x8x8x64xbf16>, tensor<64x32x2x2xbf16>) -> tensor<2x16x16x32xbf16>
  return %3 : tensor<2x16x16x32xbf16>
}
"""


@pytest.fixture(scope="session")
def client() -> str:
    """The executable: named by TTSTACK_TT_PERF_REPORT, else what `make tools` installed."""
    path = TT_PERF_REPORT.value or str(ROOT / ".venv-tools/bin/tt-perf-report")
    assert Path(path).exists(), f"{path} is missing: run `make tools`"
    return path


UNKNOWN_THERE = {
    "BatchNormOperation",
    "DropoutDeviceOperation",
    "EmbeddingBackwardDeviceOperation",
    "GatherDeviceOperation",
    "RepeatCodegenDeviceOperation",
    "SamplingDeviceOperation",
    "ScatterDeviceOperation",
    "SortDeviceOperation",
    "TopKDeviceOperation",
}
"""Names of the library's own device operations, as its profiler writes them, of which tt-perf-report 1.4.1 knows no class."""
_UNCLASSIFIED = re.compile(r"Unclassified operation '(\w+)'")


def unclassified(done: subprocess.CompletedProcess[str]) -> set[str]:
    """The operations that the client warns of."""
    return set(_UNCLASSIFIED.findall(done.stdout + done.stderr))


def audit(client: str, report: Report, folder: Path) -> list[dict[str, str]]:
    """The client's own table of a report, after checks of what it says on the way."""
    source, result = folder / "ops_perf_results.csv", folder / "result.csv"
    report.to_csv(source)
    command = [client, str(source), "--no-color", "--csv", str(result)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "MPLBACKEND": "Agg"})
    said = [line for line in (done.stdout + done.stderr).splitlines() if "matplotlib" not in line]
    assert unclassified(done) <= UNKNOWN_THERE
    said = [line for line in said if not _UNCLASSIFIED.search(line)]
    assert not [line for line in said if "Warning" in line or "invalid" in line or "Ignoring" in line]
    with result.open() as file:
        rows = [row for row in csv.DictReader(file) if row["Device Time"]]
    assert not [row["OP Code"] for row in rows if "unknown" in row["OP Code"].lower()]
    return rows


def check(client: str, report: Report, folder: Path) -> None:
    rows = audit(client, report, folder)
    assert len(rows) == len(report.ops)
    total = 1000 * sum(float(row["Device Time"]) for row in rows)
    assert total == pytest.approx(report.kernel_ns, rel=1e-9, abs=1e-5)
    gaps = 1000 * sum(float(row["Op-to-Op Gap"] or 0) for row in rows)
    assert gaps == pytest.approx(report.gap_ns - report.ops[-1].gap_ns, rel=1e-9, abs=1e-5)
    for row, op in zip(rows, report.ops, strict=True):
        assert float(row["FLOPs %"] or 0) <= 100, row
        assert float(row["DRAM %"] or 0) <= 100, row
        assert op.flops_utilisation <= 1
        assert op.dram_utilisation <= 1
        if op.op_code == "MatmulDeviceOperation":
            assert float(row["FLOPs %"]) > 0


def test_every_op_has_a_name_that_is_classified(client: str) -> None:
    codes = {op.op_code for op in OPS.values() if op.executable and op.result_names and op.op_code} | LAYOUT_CHANGES
    code = "import sys; from tt_perf_report.perf_report import classify_operation as c; [c(n) for n in sys.argv[1:]]"
    python = Path(client).with_name("python")
    done = subprocess.run([python, "-c", code, *codes], capture_output=True, text=True, check=True)
    assert "" not in codes
    assert unclassified(done) == UNKNOWN_THERE - {"RepeatCodegenDeviceOperation"}  # which only some formats have


@pytest.mark.parametrize("system", ["wormhole", "blackhole_p150"])
@pytest.mark.parametrize("dtype", [None, "bfp4_b"])
@pytest.mark.parametrize("model", EXAMPLES)
def test_examples(client: str, model: str, dtype: str | None, system: str, tmp_path: Path) -> None:
    program = ttstack.compile(ROOT / f"examples/{model}.mlir", system_desc=system, dtype=dtype)
    check(client, program.cost(), tmp_path)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "bfp8_b", "bfp4_b"])
def test_products(client: str, dtype: str, tmp_path: Path) -> None:
    program = ttstack.compile(PRODUCTS, dtype=dtype, placement="dram")
    report = program.cost()
    check(client, report, tmp_path)
    rows = audit(client, report, tmp_path)
    sizes = [row["OP Code"].partition(" ")[2] for row in rows if "Matmul" in row["OP Code"]]
    assert sizes == ["1024 x 512 x 2048", "b={8} x 64 x 128 x 32", "32 x 512 x 96"]


@pytest.mark.parametrize("placement", ["dram", "greedy"])
def test_convolutions_are_products_of_what_the_kernel_takes(client: str, placement: Policy, tmp_path: Path) -> None:
    report = ttstack.compile(CONVOLUTIONS, placement=placement).cost()
    check(client, report, tmp_path)
    codes = ("Conv2d", "Matmul")  # the library multiplies by filters of one pixel
    found = [row for row in audit(client, report, tmp_path) if row["OP Code"].startswith(codes)]
    sizes = [row["OP Code"].split(" ", 1)[1].partition(" [")[0] for row in found]
    assert sizes == ["128 x 392 x 64", "128 x 360 x 64", "128 x 64 x 64", "512 x 256 x 32"]
    assert all(float(row["FLOPs %"]) > 0 for row in found)


def test_layouts_and_views(client: str, report: Report, tmp_path: Path) -> None:
    check(client, report, tmp_path)
