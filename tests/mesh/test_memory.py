"""What lies on the devices of a mesh, and what stays with the host."""

import pytest

import ttstack
from tests.mesh.text import Text
from ttstack.device.layout import MemorySpace
from ttstack.diagnostics import CapacityError
from ttstack.program.validate import validate_binary

ROWS, WIDE = 32, 73_728
"""A square matrix of this width in f32 takes 20 GiB, a chip has 12."""


def linear(mesh: tuple[int, int], dims: tuple[int, int]) -> str:
    t = Text(mesh)
    x, w = t.argument(ROWS, WIDE), t.argument(WIDE, WIDE)
    x = t.shard(x, (-1, -1))
    product = t.matmul(x, t.shard(w, dims) if max(dims) >= 0 else w)
    return t.module(t.join(product, dims))


def test_a_weight_that_only_the_whole_mesh_can_hold():
    """Nothing is allocated for it, on the host or on the devices, before it runs."""
    program = ttstack.compile(linear((2, 4), (-1, 1)), system_desc="wormhole_t3000")
    validate_binary(program.binary)
    function = program.function()
    spaces = {t.name: t.layout.memory_space for t in function.tensors}
    assert spaces["arg1"] is MemorySpace.SYSTEM_MEMORY
    assert function.tensors[function.outputs[0].tensor].layout.on_host
    dram = program.cost().memory["dram"]
    assert WIDE * WIDE * 4 / 4 <= dram.peak < WIDE * WIDE * 4 / 2


def test_a_weight_that_every_device_takes_whole_does_not_fit():
    with pytest.raises(CapacityError, match="need 21,743,271,936 bytes of DRAM"):
        ttstack.compile(linear((2, 4), (-1, -1)), system_desc="wormhole_t3000")


def test_what_a_device_op_reads_too_lies_on_the_devices():
    t = Text((1, 2))
    x = t.argument(64, 64)
    part = t.shard(x, (-1, 0))
    gathered = t.join(part, (-1, 0))
    program = ttstack.compile(t.module(t.elementwise("add", x, gathered)), system_desc="wormhole_n300")
    assert not any(tensor.layout.on_host for tensor in program.function().tensors)


def test_device_tables_survive_a_file(tmp_path):
    t = Text((1, 2))
    x = t.shard(t.argument(4, 32), (-1, 0))
    tables = ["dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>", "dense<> : tensor<0x2xi64>"]
    for table in tables:
        x = t.op("collective_permute", [x], t.shapes[x], f"source_target_pairs = {table}")
    program = ttstack.compile(t.module(t.join(x, (-1, 0))), system_desc="wormhole_n300")
    program.save(tmp_path / "p.ttb")
    loaded = ttstack.load(tmp_path / "p.ttb")
    assert loaded.function() == program.function()
    found = [
        op.attributes["source_target_pairs"]
        for op in loaded.function().operations
        if op.attributes.get("source_target_pairs") is not None
    ]
    assert found == [((0, 1), (1, 0)), ()]


def test_a_report_of_a_mesh_program_is_written_in_every_format(tmp_path):
    t = Text((1, 2))
    x = t.shard(t.argument(64, 64), (-1, 0))
    permuted = t.op("collective_permute", [x], t.shapes[x], "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>")
    report = ttstack.compile(t.module(t.join(permuted, (-1, 0))), system_desc="wormhole_n300").cost()
    report.to_csv(tmp_path / "ops.csv")
    report.to_html(tmp_path / "ops.html")
    assert '"ethernet"' in report.to_json()
    assert "AllGatherAsyncDeviceOperation" in (tmp_path / "ops.csv").read_text()
