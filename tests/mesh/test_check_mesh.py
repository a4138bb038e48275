"""What only the mesh decides is checked before anything else: one module for each rule."""

from typing import Any

import pytest

import ttstack
from tests.mesh.text import Text
from ttstack.diagnostics import InvalidIRError
from ttstack.system_desc import SystemDesc, from_dict, load, to_dict


def refused(text: str, system: str | SystemDesc = "wormhole_t3000") -> str:
    with pytest.raises(InvalidIRError) as caught:
        ttstack.compile(text, system_desc=system)
    return str(caught.value)


def one_op(mnemonic: str, shape: tuple[int, ...], attributes: str, of: tuple[int, ...] = (16, 32)) -> str:
    t = Text((2, 4))
    return t.module(t.op(mnemonic, [t.argument(*of)], shape, attributes))


def table(name: str, rows: list[list[int]]) -> str:
    return f"{name} = dense<{rows}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


def shard(dims: str, parts: str) -> str:
    return (
        f"shard_dims = array<i64: {dims}>, shard_direction = #ttcore.shard_direction<full_to_shard>, "
        f"shard_shape = array<i64: {parts}>, shard_type = #ttcore.shard_type<devices>"
    )


SUM = "reduce_type = #ttcore.reduce_type<sum>"
RULES = {
    "gather": (
        one_op("all_gather", (32, 32), "all_gather_dim = 0 : si32, cluster_axis = 1 : ui32"),
        "'ttir.all_gather' op result has 32 along all_gather_dim, axis 1 of the mesh 2x4 has 4 devices: expected 64",
    ),
    "scatter": (
        one_op("reduce_scatter", (8, 32), f"cluster_axis = 1 : ui32, {SUM}, scatter_dim = 0 : si32"),
        (
            "'ttir.reduce_scatter' op result has 8 along scatter_dim, axis 1 of the mesh 2x4 has 4 devices: "
            "expected 16 / 4"
        ),
    ),
    "partition": (
        one_op("mesh_partition", (4, 32), "dim = 0 : si32"),
        "'ttir.mesh_partition' op result has 4 along dim, the mesh 2x4 has 8 devices: expected 16 / 8",
    ),
    "pairs": (
        one_op("collective_permute", (16, 32), table("source_target_pairs", [[0, 8]])),
        "'ttir.collective_permute' op source_target_pairs names device 8, the mesh 2x4 has 8 devices",
    ),
    "a group outside of the mesh": (
        one_op("collective_broadcast", (16, 32), table("replica_groups", [[0, 9]])),
        "'ttir.collective_broadcast' op replica_groups names device 9, the mesh 2x4 has 8 devices",
    ),
    "groups that leave a device out": (
        one_op("collective_broadcast", (16, 32), table("replica_groups", [[0, 1, 2, 3, 4, 5, 7]])),
        "'ttir.collective_broadcast' op replica_groups leaves out device 6 of the 2x4 mesh",
    ),
    "groups of an exchange": (
        one_op(
            "all_to_all",
            (4, 128),
            "concat_dim = 1 : si32, split_dim = 0 : si32, split_count = 4 : si32, "
            + table("replica_groups", [[0, 1, 2, 3]]),
        ),
        "'ttir.all_to_all' op replica_groups leaves out device 4 of the 2x4 mesh",
    ),
    "parts": (
        one_op("mesh_shard", (4, 32), shard("0, -1", "4, 1")),
        "'ttir.mesh_shard' op shard_shape has 4 parts of dimension 0, axes [0] of the mesh 2x4 have 2 devices",
    ),
    "parts over no axis": (
        one_op("mesh_shard", (8, 16), shard("0, -1", "2, 2")),
        "'ttir.mesh_shard' op shard_shape has 2 parts of dimension 1, no axis of the mesh 2x4 has 1 devices",
    ),
    "parts over all devices": (
        one_op("mesh_shard", (8, 32), shard("0", "2, 1")),
        "'ttir.mesh_shard' op shard_shape has 2 parts of dimension 0, axes [0, 1] of the mesh 2x4 have 8 devices",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_an_op_that_does_not_fit_the_mesh_says_why(rule: str):
    text, message = RULES[rule]
    found = refused(text)
    assert message in found
    assert "--> <text>:3" in found
    assert "note: system 't3000' is a mesh of 2x4 devices" in found


def test_the_module_and_the_system_must_agree():
    text, _ = RULES["gather"]
    assert "the module's 'ttcore.meshes' is 2x4, system 'n300' is 1x2" in refused(text, "wormhole_n300")


def test_the_old_spelling_of_the_mesh_is_read():
    text = RULES["gather"][0].replace("ttcore.meshes", "tt.meshes")
    found = refused(text, "wormhole_n300")
    assert "the module's 'tt.meshes' is 2x4, system 'n300' is 1x2" in found
    assert "mesh_shape of [2, 4]" in found


def test_a_program_for_one_device_may_say_so():
    t = Text()
    x = t.argument(4, 32)
    text = t.module(t.elementwise("relu", x))
    assert "1x1" in text
    ttstack.compile(text, system_desc="wormhole_n300")


def test_devices_without_links_cannot_exchange():
    values: dict[str, Any] = to_dict(load("wormhole_n300")) | {"links": []}
    del values["sources"]["links"]
    t = Text((1, 2))
    text = t.module(t.all_reduce(t.argument(4, 32), 1))
    found = refused(text, from_dict(values))
    assert "'ttir.all_reduce' op exchanges values between devices 0 and 1, which no links join" in found


def test_the_program_fits_the_chip_with_the_fewest_workers():
    t = Text((1, 2))
    x = t.argument(512, 512)
    text = t.module(t.all_reduce(t.matmul(x, x), 1))
    program = ttstack.compile(text, system_desc="wormhole_n300")
    rows = {op.grid.rows for op in program.function().operations}
    assert max(rows) <= 7
    assert program.binary.chip(program.function()).grid == (7, 8)
