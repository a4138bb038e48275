"""The judge of measurements: any spelling of a row becomes an op, and what cannot is listed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ttstack.cost.links import READS, exchange_load
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
    "tiling and copies": "TilizeDeviceOperation,1x1x1024x1024,bf16,,,DRAM,8x8,30,,n150,",
    "binary elementwise": '"BinaryDeviceOperation","[1, 1, 512, 1024]",bf16,bf16,,DRAM,8x8,9,,p150,ADD',
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, object]]]:
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_text("\n".join([COLUMNS, *ROWS.values(), "Mystery,1x1,bf16,,,L1,8x8,3,,n150,"]) + "\n")
    command = [sys.executable, str(EVALUATE), str(path), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout)


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_is_predicted(kind: str, judged: dict[str, list[dict[str, object]]]) -> None:
    (row,) = [row for row in judged["rows"] if str(row["class"]).split(",")[0] == kind]
    assert 0.1 < float(str(row["predicted_us"])) / float(str(row["measured_us"])) < 10


def test_what_cannot_be_expressed_is_listed(judged: dict[str, list[dict[str, object]]]) -> None:
    (missing,) = judged["not_expressed"]
    assert missing["reason"] == "no op of ours is 'Mystery'"


def test_a_column_of_cores_shares_the_links_of_that_column() -> None:
    noc = load("wormhole").chips[0].noc.grid
    banks = load("wormhole").chips[0].dram.routers
    column, row = tuple((1, y) for y in (1, 2, 3, 4)), tuple((x, 1) for x in (1, 2, 3, 4))
    assert exchange_load(noc, banks, column, READS)[0] > 2 * exchange_load(noc, banks, row, READS)[0]
