"""Releases of the library whose kernels take other times than today's."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cost.examples import real
from ttstack.cost import predict
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.types import DType
from ttstack.system_desc import load

OLDER = load("wormhole_2024").chips[0]


@pytest.mark.parametrize(
    ("shape", "dtype", "grid", "us"),
    [
        ((4, 384, 3072), DType.BF16, Grid(7, 8), 154.07),
        ((4096, 256), DType.BFP8_B, Grid(8, 8), 31.49),
        ((256, 1024), DType.BFP8_B, Grid(8, 8), 9.39),
    ],
)
def test_gelu_took_what_traces_show(shape: tuple[int, ...], dtype: DType, grid: Grid, us: float) -> None:
    """As measured of DistilBERT in 2024-09 and of Segformer in 2024-10."""
    layout = Layout(dtype, memory_space=MemorySpace.L1)
    op = OPS["gelu"].on([real(*shape).with_dtype(dtype)], {})
    assert predict(DeviceOp(op, (layout,), (layout,), grid), OLDER).total_ns / 1e3 == pytest.approx(us, rel=0.05)


_JUDGED = """
import sys
sys.path.insert(0, sys.argv[1])
from boards import chip_of
from rows import Row
from ttstack.system_desc import load
chip = load("wormhole").chips[0]
days = ("2024-09-13", "2025-06 snapshot 3930471", "rev 2024-11..2025-06 (12bc859ffc)", "2026-08-21", "rev served 06bd3735", "")
for arch in ("wormhole_b0", "blackhole"):
    chips = [chip_of(Row(number=1, arch=arch, date=day), chip) for day in days]
    print(*((found.ttnn, found.movement.head_tiles) for found in chips))
"""


def test_rows_are_judged_with_the_release_of_their_day() -> None:
    command = [sys.executable, "-c", _JUDGED, str(Path(__file__).parents[2] / "benchmarks" / "calibration")]
    wormhole, blackhole = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert wormhole == "('0.52', 1) ('0.59', 1) ('0.59', 1) ('0.78', 8) ('0.81', 8) ('0.81', 8)"
    assert blackhole == wormhole
