"""The judge of measurements: any spelling of a row becomes an op, and what cannot is listed."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from ttstack.cost.data.links import READS, exchange_load
from ttstack.system_desc import load

ROOT = Path(__file__).parents[2]
EVALUATE = ROOT / "benchmarks" / "calibration" / "evaluate.py"
COLUMNS = "op,shape,dtype_in0,dtype_in1,fidelity,memory_layout,grid,measured_time_us,time_kind,board,notes"
ROWS = {
    "matmul": 'matmul,1024x1024x1024 (MxKxN),bf16,bf16,HiFi2,"in0 DRAM, in1 DRAM",8x8,60,host_trace_avg,n150,',
    "decode attention": 'sdpa_decode,"b=8, nh=32, nkv=8, s=8192, d=128",BFLOAT16,bfp8,HiFi2,DRAM,8x8,900,,n150,',
    "convolution": 'conv2d,"1,64,64,56,56,3,3,1,1,1,1",BFLOAT16,BFLOAT8_B,LoFi,L1 height-sharded,64 cores,20,,n150,',
    "norm": "LayerNormDeviceOperation,1x1x1024x1024,bf16,,HiFi4,DRAM interleaved,8x8,30,,n150,",
    "reshard": "ReshardDeviceOperation,1x1x1024x1024,bf16,,,L1 height sharded -> L1 block sharded,8x8,9,,n150,",
    "collective": "AllGather,1x1x32x8192,bf16,,,DRAM,,30,,t3k,4 devices",
    "fabric": "fabric_unicast,packet_size=4096 hops=1,,,,,,1.3,,t3k,",
    "host transfer": "Write,1 MiB,,,,,,80,,n150,",
    "tilize": "TilizeDeviceOperation,1x1x1024x1024,bf16,,,DRAM,8x8,30,,n150,",
    "binary elementwise": '"BinaryDeviceOperation","[1, 1, 512, 1024]",bf16,bf16,,DRAM,8x8,9,,p150,ADD',
}
SPELLINGS = {
    "matmul": (
        '"M=32 K=4096 N=1024"',
        '"[1, 1, 32, 4096] @ [1, 1, 4096, 1024]"',
        "1x1x32x4096 * 1x1x4096x1024",
        "M32_K4096_N1024",
        "32 x 4096 x 1024",
        '"(32, 4096, 1024)"',
        "1[1]x1[1]x32[19]x4096[4096] x 1[1]x1[1]x4096[4096]x1024[1024]",
    ),
    "ScaledDotProductAttentionDecode_0": (
        '"b=8, nh=32, nkv=8, s=8192, d=128"',
        "B8 H32 KVH8 S8192 D128",
        '"1x8x32x128, 8x8x8192x128, 8x8x8192x128"',
        '"batch 8, kv len 8192, 32 heads, 8 kv heads, head dim 128"',
    ),
    "Conv2dDeviceOperation": (
        '"16,64,64,56,56,3,3,1,1,1,1"',
        "N16 Cin64 H56 W56 Cout64 K3 S1 P1",
        '"16x64x56x56 -> 64, 3x3 s1 p1"',
        '"input 16x56x56x64 weight 64x64x3x3 stride 1 pad 1"',
        '"b16 oc64 ic64 56x56 3x3 s1 p1"',
    ),
}
"""Ways to spell one shape of an op."""


def judge(path: Path, rows: Iterable[str]) -> dict[str, list[dict[str, object]]]:
    path.write_text("\n".join([COLUMNS, *rows]) + "\n")
    command = [sys.executable, str(EVALUATE), str(path), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, object]]]:
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    return judge(path, [*ROWS.values(), "Mystery,1x1,bf16,,,L1,8x8,3,,n150,"])


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_is_predicted(kind: str, judged: dict[str, list[dict[str, object]]]) -> None:
    (row,) = [row for row in judged["rows"] if str(row["class"]).split(",")[0] == kind]
    assert 0.1 < float(str(row["predicted_us"])) / float(str(row["measured_us"])) < 10


def test_what_cannot_be_expressed_is_listed(judged: dict[str, list[dict[str, object]]]) -> None:
    (missing,) = judged["not_expressed"]
    assert missing["reason"] == "no op of ours is 'Mystery'"


def test_one_shape_has_one_prediction_however_it_is_spelled(tmp_path: Path) -> None:
    rows = [f"{op},{shape},bf16,bfp8_b,HiFi2,,8x8,9,,n150," for op, shapes in SPELLINGS.items() for shape in shapes]
    found = judge(tmp_path / "rows.csv", rows)
    assert not found["not_expressed"]
    for op, shapes in SPELLINGS.items():
        times = [float(str(row["predicted_us"])) for row in found["rows"] if row["op"] == op]
        assert len(times) == len(shapes)
        assert max(times) / min(times) < 1.15, op


def test_no_row_is_dropped_whatever_it_says(tmp_path: Path) -> None:
    ops = [row.split(",")[0] for row in ROWS.values()] + ["Softmax", "Transpose", "SDPA", "dram_read", "noc:dram_bw"]
    shapes = ("", "?", "1x", "0x0", "[[]]", "b=,s=", "99999999999x1", "1x1x1x1x1x1x1", '"a, b"', "-3x4")
    rows = [f"{op},{shape},bf99,,,L1 odd-sharded,0x0,1,,,junk" for op in ops for shape in shapes]
    found = judge(tmp_path / "rows.csv", rows)
    assert len(found["rows"]) + len(found["not_expressed"]) == len(rows)
    assert all(row["reason"] for row in found["not_expressed"])


def test_a_rate_stands_for_the_time_that_is_missing(tmp_path: Path) -> None:
    rows = (
        "Read,536870912 bytes page 2048 bytes,,,,,,,bandwidth,n150,8.6 GB/s",
        "fabric unicast,4096 B packets,,,,,,,bandwidth,t3k,8.9 B/cycle",
        "dram_ubenchmark,,,,,DRAM sharded,,,bandwidth,n150,267-267 GB/s",
    )
    found = judge(tmp_path / "rows.csv", rows)
    assert [abs(float(str(row["error"]))) < 0.1 for row in found["rows"]] == [True] * len(rows)


def test_a_column_of_cores_shares_the_links_of_that_column() -> None:
    noc = load("wormhole").chips[0].noc.grid
    banks = load("wormhole").chips[0].dram.routers
    column, row = tuple((1, y) for y in (1, 2, 3, 4)), tuple((x, 1) for x in (1, 2, 3, 4))
    assert exchange_load(noc, banks, column, READS)[0] > 2 * exchange_load(noc, banks, row, READS)[0]


def test_blocks_of_shards_lie_on_the_rectangle_that_their_tiles_fill_best(tmp_path: Path) -> None:
    """A number of cores is not a rectangle, and where tables name one they differ in what comes first."""
    row = "UnaryDeviceOperation:RELU,1x1x480x256,bf16,,HiFi4,L1_BLOCK_SHARDED TILE,{},2,,p150,"
    rows = judge(tmp_path / "rows.csv", [row.format(grid) for grid in ("5x4", "4x5", "20 cores", "2x10")])["rows"]
    first, *same, other = (entry["predicted_us"] for entry in rows)
    assert same == [first, first]
    assert isinstance(first, float)
    assert isinstance(other, float)
    assert other > 1.1 * first


def test_cores_that_are_no_rectangle_have_as_much_each(tmp_path: Path) -> None:
    """38 tiles on 38 cores are one for each, as on 40, and not two for some of 36."""
    row = "ReshapeDeviceOperation,in0 1x1x19x768; out 1x19x12x64,bf16,,HiFi4,DRAM_INTERLEAVED TILE,{} cores,9,,p150,"
    rows = judge(tmp_path / "rows.csv", [row.format(cores) for cores in (38, 40, 36)])["rows"]
    exact, around, within = (entry["predicted_us"] for entry in rows)
    assert isinstance(exact, float)
    assert isinstance(around, float)
    assert isinstance(within, float)
    assert 0.95 < around / exact < 1.05
    assert within > 1.5 * exact
