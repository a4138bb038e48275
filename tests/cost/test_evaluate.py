"""What the judge of measurements makes of what a row says, what it refuses, and the figures it prints."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EVALUATE = ROOT / "benchmarks" / "calibration" / "evaluate.py"
COLUMNS = "op,shape,dtype_in0,dtype_in1,dtype_out,memory_layout,grid,measured_time_us,time_kind,board,notes"
SHARDED = '"in0 L1_HEIGHT_SHARDED TILE, out L1_HEIGHT_SHARDED TILE"'
DECODE = 'matmul,32x2048x2048 (MxKxN),bf16,bfp8_b,bf16,"in0 L1(width-sharded), in1 DRAM(width-sharded)",8x8,26,,n150,'
CONV = "conv2d,N1 H56 W56 Cin64 Cout64 kh3 kw3 sh1 sw1,bf16,bf16,bf16,L1 height sharded,8x8,60,,n150,"
WIDER = CONV.replace("N1 H56 W56 Cin64 Cout64 kh3 kw3", "N8 H56 W56 Cin32 Cout256 kh1 kw1")
NORM = (
    "LayerNorm,in0 1x1x1024x160; in1 1x1x32x160; out 1x1x1024x160,bfp8_b,{},bfp8_b,"
    '"in0 DRAM_INTERLEAVED TILE, in1 DRAM_INTERLEAVED TILE, out DRAM_INTERLEAVED TILE",8x8,14,,n150,'
)
PIXELS = (
    "PaddedSliceDeviceOperation,in0 1x384x1280x4; out 1x1x125440x4,bf16,,{},"
    '"in0 L1_HEIGHT_SHARDED ROW_MAJOR, out DRAM_INTERLEAVED TILE",8x8,150,,n150,'
)
IMAGES = CONV.replace("N1", "N8")
ADD = "BinaryNgDeviceOperation:ADD,{},bf16,bf16,bf16,{},8x8,20,,n150,"
ROTARY = "RotaryEmbedding,in0 1x32x32x{0}; out 1x32x32x{0},bf16,,bf16,L1_HEIGHT_SHARDED TILE,32 cores,10,,n150,"
BATCH = "matmul,in0 1x12x32x64; in1 1x12x64x32; out 1x12x32x32,bf16,bf16,bf16,DRAM,{} cores,16,device_kernel,n150,"
GRID_SAMPLE = (
    "GridSampleOperation,in0 1x48x160x256; in1 1x1x{0}x42; out 1x1x{0}x1792,bf16,bf16,bf16,"
    '"in0 L1_INTERLEAVED ROW_MAJOR, in1 DRAM_INTERLEAVED ROW_MAJOR, out DRAM_INTERLEAVED ROW_MAJOR",8x8,60,,n150,'
)
EXCHANGE = "all_to_all,1x1x1024x8192,bf16,,bf16,DRAM,,2000,,t3k,{}"
PAIR = "in0 1x1x1024x1024; in1 1x1x1024x1024; out 1x1x1024x1024"
LONGER = {
    "shards on fewer cores than there are": (
        DECODE.replace("32x2048x2048", "32x2048x3072").replace(
            "1 DRAM(width-sharded)", "1 DRAM, out L1(width-sharded)"
        ),
        DECODE.replace("32x2048x2048", "32x2048x5120").replace(
            "1 DRAM(width-sharded)", "1 DRAM, out L1(width-sharded)"
        ),
    ),
    "products of scores that no core holds": (
        "sdpa_prefill_baseline_unfused,B1 H16 S8192 D128,bf16,bf16,bf16,DRAM,8x8,150000,,n150,",
        "sdpa_prefill_baseline_unfused,B1 H16 S16384 D128,bf16,bf16,bf16,DRAM,8x8,600000,,n150,",
    ),
    "elements that take several calls today": (
        "unary:exp,19x928x896,uint16,,uint16,L1_INTERLEAVED TILE,8x8,787,,n150,",
        "unary:exp,65x960x576,uint16,,uint16,L1_INTERLEAVED TILE,8x8,1147,,n150,",
    ),
    "rows that become tiles, as the name of the op says": (
        "copy,1x3x384x1664,bf16,,bf16,DRAM_INTERLEAVED to DRAM_INTERLEAVED,8x8,38,,n150,",
        "tilize,1x3x384x1664,bf16,,bf16,DRAM_INTERLEAVED to DRAM_INTERLEAVED,39 cores,170,,n150,",
    ),
    "format of what a convolution makes": (WIDER, WIDER.replace("bf16,bf16,bf16", "bf16,bf16,f32")),
    "format of a norm's weights": (NORM.format("bfp8_b"), NORM.format("bf16")),
    "format of pixels that are cut out": (PIXELS.format("bf16"), PIXELS.format("f32")),
    "factor that an enlarged image shows": (
        "upsample,in0 1x32x32x64; out 1x64x64x64,bf16,,bf16,DRAM_INTERLEAVED ROW_MAJOR,8x8,9,,n150,",
        "upsample,in0 1x32x32x64; out 1x128x128x64,bf16,,bf16,DRAM_INTERLEAVED ROW_MAJOR,8x8,9,,n150,",
    ),
    "block width": (f"{DECODE}in0_block_w=8", f"{DECODE}in0_block_w=1"),
    "blocks of a convolution": (f"{IMAGES}act_block_h_ntiles=4", f"{IMAGES}act_block_h_ntiles=1"),
    "who chose the blocks": (
        "matmul,512x1024x1024 (MxKxN),bf16,bf16,bf16,DRAM,8x8,115,,n150,",
        "matmul,512x1024x1024 (MxKxN),bf16,bf16,bf16,DRAM,8x8,115,,n150,picked by ttnn",
    ),
    "users whose rows are products of their own": (
        "matmul,1024x2048x6144 (MxKxN),bf16,bf16,bf16,DRAM,64 cores,2125,,n150,",
        "matmul,1024x2048x6144 (MxKxN),bf16,bf16,bf16,DRAM,64 cores,2125,,n150,M = 32 batches x 32 rows; in0_block_w=2",
    ),
    "batch": (
        "matmul,384x64x384 (MxKxN),bf16,bf16,bf16,DRAM,8x8,95,,n150,",
        "matmul,384x64x384 (MxKxN),bf16,bf16,bf16,DRAM,8x8,95,,n150,batch 48; in0 4x12x384x64 in1 4x12x64x384",
    ),
    "cores that a batch ran on: one for each product, or one after the other": (BATCH.format(12), BATCH.format(1)),
    "width of heads": (ROTARY.format(64), ROTARY.format(256)),
    "hops": (
        "fabric_unicast,packet_size=4096,,,,,,1.3,,t3k,1 hop",
        "fabric_unicast,packet_size=4096,,,,,,1.3,,t3k,3 hops",
    ),
    "shards that not all cores fill": (
        f"BinaryNgDeviceOperation:ADD,in0 2304x1792; in1 2304x1792; out 2304x1792,bf16,bf16,bf16,{SHARDED},4x5,12,,n150,",
        f"BinaryNgDeviceOperation:ADD,in0 2112x1792; in1 2112x1792; out 2112x1792,bf16,bf16,bf16,{SHARDED},4x5,93,,n150,",
    ),
    "links between neighbours": (EXCHANGE.format("8 devices; 2 links"), EXCHANGE.format("8 devices; 1 link")),
    "a line in place of a ring": (EXCHANGE.format("8 devices; ring"), EXCHANGE.format("8 devices; line")),
    "chips of an exchange": (EXCHANGE.format("2 devices"), EXCHANGE.format("8 devices, line")),
    "dilation": (CONV, f"{CONV}dilation=4"),
    "cores of shards": (
        f"UnaryDeviceOperation:RELU,1x1x2048x128,bf16,,bf16,{SHARDED},64 cores,9,,n150,shard 32x128 on 64 cores",
        f"UnaryDeviceOperation:RELU,1x1x2048x128,bf16,,bf16,{SHARDED},64 cores,9,,n150,shard 512x128 on 4 cores",
    ),
    "memory of the result": (
        ADD.format(PAIR, '"in0 L1_INTERLEAVED TILE, in1 L1_INTERLEAVED TILE, out L1_INTERLEAVED TILE"'),
        ADD.format(PAIR, '"in0 L1_INTERLEAVED TILE, in1 L1_INTERLEAVED TILE, out DRAM_INTERLEAVED TILE"'),
    ),
    "memory of the second operand": (
        ADD.format(PAIR, '"in0 DRAM_INTERLEAVED TILE, in1 L1_INTERLEAVED TILE, out L1_INTERLEAVED TILE"'),
        ADD.format(PAIR, '"in0 DRAM_INTERLEAVED TILE, in1 DRAM_INTERLEAVED TILE, out L1_INTERLEAVED TILE"'),
    ),
    "a number beside a tensor": (ADD.format("in0 1x1x1024x1024; out 1x1x1024x1024", "DRAM"), ADD.format(PAIR, "DRAM")),
    "chunks of attention": (
        "sdpa,1x8x4096x128,bf16,bf16,bf16,DRAM,8x8,9,,n150,q_chunk 256 k_chunk 256",
        "sdpa,1x8x4096x128,bf16,bf16,bf16,DRAM,8x8,9,,n150,q_chunk 32 k_chunk 32",
    ),
    "dimensions of a reduction": (
        "Reduce:SUM_W,in0 1x1x1024x1024; out 1x1x1024x1,bf16,,bf16,DRAM,8x8,20,,n150,",
        "Reduce:SUM_HW,in0 1x1x1024x1024; out 1x1x1x1,bf16,,bf16,DRAM,8x8,20,,n150,",
    ),
    "points between pixels": (
        GRID_SAMPLE.format(100),
        GRID_SAMPLE.format(200),
    ),
    "a table in rows": (
        'Embeddings,in0 1x1x1x32; in1 1x1x131072x2048,uint32,bf16,bf16,"in1 DRAM ROW_MAJOR",8x8,9,,n150,',
        'Embeddings,in0 1x1x1x512; in1 1x1x131072x2048,uint32,bf16,bf16,"in1 DRAM ROW_MAJOR",8x8,9,,n150,',
    ),
}
"""What a row may say, and two rows that differ in it alone: the second takes longer."""
REFUSED = {
    "Attention,Llama3-70B prefill S=128,bf16,,,,8x8,9,,n150,": "no op of ours is 'Attention'",
    "sdpa,Llama3-70B prefill S=128,bf16,,,,8x8,9,,n150,": "the shape is prose",
    "softmax,Llama3-70B prefill S=128,bf16,,,,8x8,9,,n150,": "the shape is prose",
    "AllGather,BERT-large 384,bf16,,,,8x8,9,,n150,4 devices": "the shape is prose",
    "matmul,ResNet50 b=16,bf16,,,,8x8,9,,n150,": "the shape is prose",
    "sdpa_decode,Mixtral8x7b b=32,bf16,,,,8x8,9,,n150,": "the shape is prose",
    "sdpa_decode,prefill S=128,bf16,,,,8x8,9,,n150,": "the shape gives no",
    "MinimalMatmulOp,in0 1x1x32x768; in1 1x1x768x768,bf16,bf16,,,8x8,9,,n150,": "MinimalMatmul",
    "matmul,32x768x768,bf16,bf16,,,8x8,9,,n150,ttnn.experimental.minimal_matmul": "MinimalMatmul",
    "FlashMLADecode,1x8x16x576,bf16,bf16,,,8x8,9,,n150,": "MLA",
    "sdpa,1x8x1024x128,bf16,bf16,,,8x8,9,,n150,MLA of DeepSeek": "MLA",
    "RingJointSDPA,1x8x1024x128,bf16,bf16,,,8x8,9,,n150,": "a ring of chips",
    "AllGatherMatmul,1x1x32x768,bf16,bf16,,,8x8,9,,n150,4 devices": "a product and a collective",
    "add,in0 1x1x64x64; in1 1x1x96x64,bf16,bf16,,,8x8,9,,n150,": "are not alike",
    "binary:nextafter,in0 1x1x32x32; in1 1x1x32x32,bf16,bf16,,,8x8,9,,n150,": "no elementwise op of ours is",
    "reduce:std,1x1x32x32,bf16,,,,8x8,9,,n150,": "no reduction of ours is a variance",
    "ttnn.permute,1x1x32x32,bf16,,,,8x8,9,host_avg,n150,": "a short time of the host",
    "add,1x1x32x32,bf16,bf16,,,8x8,9,,n150,1 calls; 5 calls": "contradict themselves: '1 calls' and '5 calls'",
    "all_gather,1x1x32x64,bf16,,,DRAM,,9,,t3k,4 devices; 8 devices": "contradict themselves",
    "all_gather,1x1x32x64,bf16,,,DRAM,,9,,t3k,8 devices; ring; line": "both 'line' and 'ring'",
    "upsample,in0 1x32x32x64,bf16,,,,8x8,9,,n150,": "does not say by which factor",
    "matmul,32x2048x2048 (MxKxN),bf16,bf16,,,8x8,9,,n150,in0_block_w=7": "blocks of 7 tiles do not divide the 64 along K",
}
"""Rows, and why they have no prediction."""
TRACE = """OP CODE,OP TYPE,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,DEVICE KERNEL DURATION [ns],\
INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],INPUT_0_X_PAD[LOGICAL],INPUT_0_LAYOUT,\
INPUT_0_DATATYPE,INPUT_0_MEMORY,INPUT_1_W_PAD[LOGICAL],INPUT_1_Z_PAD[LOGICAL],INPUT_1_Y_PAD[LOGICAL],\
INPUT_1_X_PAD[LOGICAL],INPUT_1_LAYOUT,INPUT_1_DATATYPE,INPUT_1_MEMORY,OUTPUT_0_W_PAD[LOGICAL],\
OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],OUTPUT_0_X_PAD[LOGICAL],OUTPUT_0_LAYOUT,OUTPUT_0_DATATYPE,\
OUTPUT_0_MEMORY
forward,signpost
"""
TILES = "1[1],1[1],1024[1024],{0}[{0}],TILE,BFLOAT16,DEV_0_L1_INTERLEAVED"
NONE = ",,,,,,"
WINDOW = (
    "{'sliding_window_config': 'SlidingWindowConfig(batch_size=1; input_hw=(32;32); window_hw=(3;3); stride_hw=(1;1); "
    "padding=((1; 1); (1; 1)); dilation_hw=(1;1))'}"
)
CHAIN = "{'op_chain': '{UnaryWithParam(op_type=UnaryOpType::RELU;param={})}'}"
PROFILED = {
    "matmul": ("Matmul,tt_dnn_device,0,wormhole_b0,{},HiFi2,64,60000", TILES.format(1024), TILES.format(1024)),
    "elementwise": (
        f"UnaryDeviceOperation,tt_dnn_device,0,wormhole_b0,{CHAIN},HiFi4,64,14000",
        TILES.format(1024),
        NONE,
    ),
    "convolution": (
        f"Conv2dDeviceOperation,tt_dnn_device,0,wormhole_b0,{WINDOW},HiFi2,64,33000",
        TILES.format(1024),
        "1[1],1[1],9216[9216],1024[1024],TILE,BFLOAT16,DEV_0_DRAM_INTERLEAVED",
    ),
    "no class": ("SomethingNew,tt_dnn_device,0,wormhole_b0,{},HiFi2,64,10000", TILES.format(1024), NONE),
    "custom": ("RingJointSDPA,tt_dnn_device,0,wormhole_b0,{},HiFi2,64,30000", TILES.format(1024), TILES.format(1024)),
    "softmax": ("Softmax (torch),tt_dnn_cpu,0,wormhole_b0,{},,,", TILES.format(1024), NONE),
}
"""Ops of a profile, by class: the op, its first input (and output), its second input."""


ALIKE = (
    ("in0 1x1x1024x1024; in1 1x1x32x1024", "in0 1x1x1024x1024; in1 1x1x1x1024"),
    ("in0 1x1x1024x1024; in1 1x1x32x32", "in0 1x1x1024x1024; in1 1x1x1x1"),
    ("in0 1x1x1024x1024", "in0 1x1x1024x1024; in1 1x1x1x1"),
)
"""Ways in which profilers give what is broadcast."""


def run(*options: str) -> dict[str, Any]:
    command = [sys.executable, str(EVALUATE), *options, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout)


def write(path: Path, rows: Iterable[str]) -> Path:
    path.write_text("\n".join([COLUMNS, *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = write(tmp_path_factory.mktemp("said") / "rows.csv", (row for pair in LONGER.values() for row in pair))
    found = run(str(path))
    assert not found["not_expressed"]
    return found["rows"]


@pytest.mark.parametrize("what", LONGER)
def test_what_a_row_says_is_used(what: str, longer: list[dict[str, Any]]) -> None:
    at = 2 * list(LONGER).index(what)
    short, long = (row["predicted_us"] for row in longer[at : at + 2])
    assert long > 1.01 * short


def test_what_is_broadcast_is_read_with_and_without_its_padding(tmp_path: Path) -> None:
    shapes = [f"{shape}; out 1x1x1024x1024" for pair in ALIKE for shape in pair]
    rows = run(str(write(tmp_path / "rows.csv", [ADD.format(shape, "L1_INTERLEAVED") for shape in shapes])))["rows"]
    times = [row["roofline_us"] + row["predicted_us"] for row in rows]
    assert len(times) == len(shapes)
    assert times[::2] == times[1::2]


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    found = run(str(write(tmp_path_factory.mktemp("refused") / "rows.csv", REFUSED)))
    assert not found["rows"]
    return found["not_expressed"]


@pytest.mark.parametrize("row", REFUSED)
def test_what_is_no_op_of_ours_is_refused_with_the_reason(row: str, refused: list[dict[str, Any]]) -> None:
    found = refused[list(REFUSED).index(row)]
    assert REFUSED[row] in found["reason"]
    assert found["measured_us"] == 9


def test_what_is_no_time_is_a_row_without_a_measurement(tmp_path: Path) -> None:
    """A negative, infinite or missing number is never a time that something is compared with."""
    rows = [f"add,1x1x32x32,bf16,bf16,bf16,DRAM,8x8,{time},,n150," for time in ("-5", "0", "nan", "inf", "1e400", "x")]
    found = run(str(write(tmp_path / "rows.csv", rows)))
    assert not found["rows"]
    assert ["is not time" in row["reason"] for row in found["not_expressed"]] == [True] * len(rows)
    assert found["all"]["measured_us"] == found["all"]["refused_us"] == 0


def test_a_table_that_was_revised_is_of_its_last_revision(tmp_path: Path) -> None:
    """As published of GEMM_FLOPS in 2024-11 to 2025-06: 115.4 us where the library chooses the configuration."""
    product = "matmul,2048x2048x2048 (MxKxN),bf16,bf16,bf16,DRAM,8x8,115.4,,n150,out of box,{}"
    dates = ("rev 2024-11..2025-06", "2025-06", "2024-11")
    path = tmp_path / "rows.csv"
    path.write_text("\n".join([f"{COLUMNS},date_or_rev", *(product.format(date) for date in dates)]) + "\n")
    revised, last, first = (row["predicted_us"] for row in run(str(path))["rows"])
    assert revised == last < first / 2


def test_the_board_alone_says_the_architecture(tmp_path: Path) -> None:
    found = run(str(write(tmp_path / "rows.csv", [ADD.format(PAIR, "DRAM").replace("n150", "p150b")])))
    assert found["rows"][0]["class"] == "binary elementwise, Blackhole"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two files of measurements and one of something else."""
    path = tmp_path_factory.mktemp("folder")
    write(path / "a.csv", [f"{ADD.format(PAIR, 'DRAM')}median of {n} calls" for n in (1, 2, 37)])
    write(path / "b.csv", [f"{DECODE}in0_block_w=8", "Mystery,1x1,bf16,,,L1,8x8,3,,n150,median of 10 calls"])
    (path / "models.csv").write_text("model,value\nBERT,252\n")
    return run(str(path))


def test_no_row_of_a_folder_is_dropped(folder: dict[str, Any]) -> None:
    assert [(row["file"], row["row"]) for row in folder["rows"]] == [
        ("a.csv", 2),
        ("a.csv", 3),
        ("a.csv", 4),
        ("b.csv", 2),
    ]
    missing = {row["file"]: row["reason"] for row in folder["not_expressed"]}
    assert missing == {
        "b.csv": "no op of ours is 'Mystery'",
        "models.csv": "no measurement of an op: no column op, measured_time_us",
    }


def test_sums_count_every_call(folder: dict[str, Any]) -> None:
    rows, whole = folder["rows"], folder["all"]
    assert [row["calls"] for row in rows] == [1, 2, 37, 1]
    assert whole["measured_us"] == 40 * 20 + 26
    assert whole["predicted_us"] == pytest.approx(sum(row["calls"] * row["predicted_us"] for row in rows))
    assert whole["refused_us"] == 10 * 3
    assert whole["expressed_share"] == pytest.approx(826 / 856)


def test_figures_by_class_and_by_source_are_those_of_their_rows(folder: dict[str, Any]) -> None:
    added = folder["classes"]["binary elementwise"]
    errors = [row["error"] for row in folder["rows"][:3]]
    assert added["rows"] == 3
    assert added["bias"] == pytest.approx(errors[0])
    assert added["mean"] == added["median"] == added["p95"] == pytest.approx(abs(errors[0]))
    assert added["absolute_error_us"] == pytest.approx(40 * 20 * abs(errors[0]))
    assert set(folder["classes"]) == {"binary elementwise", "matmul, new tokens", "no class"}
    assert {name.split(":")[0] for name in folder["sources"]} == {"a.csv", "b.csv", "models.csv"}


def test_scatters_take_part_on_as_many_chips_as_the_gathers_of_their_program(tmp_path: Path) -> None:
    """Buffers of both directions are no smaller than what is scattered, and do not say it."""
    scatter = "ReduceScatterMinimalAsync,in0 1x1x3200x1536; out 2x1x3200x1536,bf16,,bf16,DRAM,18 cores,194,,p150,"
    gather = "AllGatherAsync,in0 1x1x3200x384; out 1x1x3200x1536,bf16,,bf16,DRAM,18 cores,203,,p150,"
    found = run(str(write(tmp_path / "rows.csv", [scatter, gather])))
    assert [row["class"].split(",")[0] for row in found["rows"]] == ["collective", "collective"]
    (alone,) = run(str(write(tmp_path / "rows.csv", [scatter])))["not_expressed"]
    assert "how many chips" in alone["reason"]


def test_a_stated_error_holds_what_lies_within_it(folder: dict[str, Any]) -> None:
    stated = [row for row in folder["rows"] if row["stated_error"] is not None]
    assert stated
    assert all(row["within"] == (abs(row["error"]) <= row["stated_error"]) for row in stated)
    assert folder["all"]["stated"] == len(stated)
    assert folder["all"]["within"] == sum(row["within"] for row in stated)


def test_a_profile_is_judged_op_by_op_and_in_sum(tmp_path: Path) -> None:
    path = tmp_path / "ops_perf_results.csv"
    path.write_text(TRACE + "".join(f"{op},{x},{y},{x}\n" for op, x, y in PROFILED.values()))
    found = run("--trace", str(path))
    kinds = [(row["class"].split(",")[0], row["measured_us"]) for row in found["rows"]]
    assert kinds == [("matmul", 60), ("elementwise", 14), ("convolution", 33)]
    assert "N1 H32 W32 Cin1024 Cout1024 kh3 kw3" in found["rows"][2]["shape"]
    missing = [(row["class"], row["measured_us"], row["reason"]) for row in found["not_expressed"]]
    assert missing == [
        ("no class", 10, "no op of ours is 'SomethingNew'"),
        (
            "flash attention",
            30,
            "a custom kernel, attention over a ring of chips in one kernel",
        ),
        ("softmax", None, "no measurement of an op: it ran on the host"),
    ]
    assert found["all"]["expressed_share"] == pytest.approx(107 / 147)
    assert found["all"]["expressed_share_of_ours"] == pytest.approx(107 / 117)
    off = sum(abs(row["predicted_us"] - row["measured_us"]) for row in found["rows"])
    assert found["all"]["sum_of_class_errors_us"] == pytest.approx(off)


def test_the_text_has_a_line_for_every_op_and_table(tmp_path: Path) -> None:
    path = tmp_path / "ops_perf_results.csv"
    path.write_text(TRACE + "".join(f"{op},{x},{y},{x}\n" for op, x, y in PROFILED.values()))
    command = [sys.executable, str(EVALUATE), "--trace", str(path)]
    text = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, text=True).stdout
    for words in ("RELU", "not expressed: SomethingNew", "10.000 us", "3 rows not expressed, 40.0 us", "sum |err|"):
        assert words in text


def test_rows_are_held_against_those_that_measured_the_same(tmp_path: Path) -> None:
    """Spreads of calls as rows state them, and differences of rows that say the same of what ran."""
    add = ADD.format(PAIR, "DRAM")
    rows = [add, add.replace(",20,", ",22,") + "median of 9 calls; spread 0.3", add.replace("8x8", "4x8")]
    command = [sys.executable, str(EVALUATE.with_name("repeats.py")), str(write(tmp_path / "rows.csv", rows))]
    (line,) = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()[1:]
    assert line.split()[2:] == ["1", "30.0", "%", "30.0", "%", "1", "9.5", "%", "9.5", "%"]
