"""What `make goldens` says of stored results that changed: a row for each network."""

from benchmarks.goldens import READERS, ROOT, Network, placement, records, report, rows, table

PLACED = """forward
  %0 bf16 tile dram/interleaved 0x10
  %2 bf16 = relu(%0) on 8x8 flat HiFi4 0 B [] 1500 ns
  %3 bf16 = matmul(%2, %0) on 8x8 blocks HiFi4 0 B [type A, in0_block_w 2] 2500.5 ns
"""
FASTER = PLACED.replace("2500.5", "500")


def test_networks_are_read() -> None:
    assert placement("tests/golden/placements/mlp.greedy.txt", PLACED) == {"mlp.greedy": Network(2, 4.0005)}
    text = "time      2,133.5 µs, likely 2,000.0 to 2,200.0 µs\nops       12, 2,111.4 µs in kernels, 22.1 µs between kernels\n"
    assert report("a/dlrm.wormhole.txt", text) == {"dlrm.wormhole report": Network(12, 2133.5)}
    stored = '{"BERT": {"without": {"ops": 3, "kernel_ns": 4000, "gap_ns": 1000}}, "of": [{"model": "a", "device_ops": 1, "predicted_ns": 2000}]}'
    assert records("docs/zoo.json", stored) == {"zoo BERT without": Network(3, 5.0), "zoo of a": Network(1, 2.0)}


def test_every_stored_file_of_networks_is_read() -> None:
    for pattern, reader in READERS.items():
        if reader is not None and pattern.startswith("tests"):
            for path in ROOT.glob(pattern):
                (network,) = reader(str(path), path.read_text()).values()
                assert network.ops > 0, path
                assert network.us > 0, path
    assert len(records("rewrites", (ROOT / "docs" / "rewrites.json").read_text())) > 60


def test_a_change_is_a_row() -> None:
    path = "tests/golden/placements/mlp.greedy.txt"
    same = {"tests/golden/placements/rows.greedy.txt": PLACED}
    before, after = {path: PLACED} | same, {path: FASTER} | same
    assert rows(before, after) == [("mlp.greedy", "2", "2", "4.0", "2.0", "-50.01%")]
    assert rows({}, {path: PLACED}) == [("mlp.greedy", "", "2", "", "4.0", "new")]
    assert rows({path: PLACED}, {}) == [("mlp.greedy", "2", "", "4.0", "", "gone")]
    costs = "tests/golden/costs/wormhole.txt"
    ((name, lines, *_),) = rows({costs: "a\nb\nc\n"}, {costs: "a\nx\nc\nd\n"})
    assert (name, lines) == (costs, "2 lines change")


def test_times_of_addresses_are_no_change_of_a_network() -> None:
    path = "tests/golden/placements/mlp.greedy.txt"
    ((name, lines, *_),) = rows({path: PLACED}, {path: PLACED.replace("0x10", "0x20")})
    assert (name, lines) == (path, "1 lines change")


def test_table() -> None:
    assert table([("a", "2", "", "4.0", "", "gone")]).splitlines()[1].split() == ["a", "2", "4.0", "gone"]
    assert table([]) == "no stored result changed"
    text = table([("mlp.greedy", "2", "2", "4.0", "2.0", "-50.01%"), ("costs.txt", "2 lines change", "", "", "", "")])
    assert [line.split() for line in text.splitlines()][1:] == [
        ["mlp.greedy", "2", "2", "4.0", "2.0", "-50.01%"],
        ["costs.txt:", "2", "lines", "change"],
    ]
    assert "-m benchmarks.goldens" in (ROOT / "Makefile").read_text()
