"""Computations on shards, as JAX exports them, run on the mesh that they are for."""

from pathlib import Path

import numpy as np
import pytest

import ttstack
from ttstack.frontends.stablehlo.sharding import read_sharding
from ttstack.ops.devices import Mesh

EXPORTS = Path(__file__).parent / "jax_exports"
SYSTEMS = {
    "summed": "wormhole_n300",
    "gathered": "wormhole_n300",
    "sent": "wormhole_n300",
    "scattered": "wormhole_n300",
    "tensor_parallel": "wormhole_t3000",
    "everywhere": "wormhole_t3000",
}


@pytest.mark.parametrize(("name", "system"), SYSTEMS.items())
def test_what_jax_computes(name: str, system: str):
    program = ttstack.compile(EXPORTS / f"{name}.mlir", system_desc=system)
    with np.load(EXPORTS / f"{name}.npz") as stored:
        inputs = [stored[key] for key in stored if key != "output"]
        want = stored["output"]
    (have,) = program.run(dict(zip(program.inputs(), inputs, strict=True))).outputs.values()
    assert have.shape == want.shape
    np.testing.assert_allclose(have, want, rtol=1e-5, atol=1e-5)


PARTLY = """module {
  func.func public @main(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[0,1]",
      mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]",
      mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"}
      : (tensor<8x16xf32>) -> tensor<4x16xf32>
    %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0]
      : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
    %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>,
      replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      %c = stablehlo.custom_call @Sharding(%s) {
        mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<f32>) -> tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %4 = stablehlo.add %3, %1 : tensor<4x16xf32>
    %5 = stablehlo.custom_call @Sharding(%4) {backend_config = "unspecified_dims=[0,1]",
      mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"}
      : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "unspecified_dims=[0,1]",
      mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<4x16xf32>) -> tensor<8x16xf32>
    return %6 : tensor<8x16xf32>
  }
}"""
"""What JAX 0.10.2 writes of a shard_map over one axis of two; its own CPU backend ends the process at it."""


def test_axes_that_are_left_to_the_partitioner_have_whole_tensors():
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal((8, 16)).astype("f4"), rng.standard_normal((16, 16)).astype("f4")
    program = ttstack.compile(PARTLY, system_desc="wormhole_t3000")
    (have,) = program.run(dict(zip(program.inputs(), (x, w), strict=True))).outputs.values()
    np.testing.assert_allclose(have, x + np.tile(x[:4] @ w + x[4:] @ w, (2, 1)), rtol=1e-5, atol=1e-5)
    other = PARTLY.replace("unspecified_dims=[0,1]", "unspecified=all")
    with pytest.raises(ttstack.TTStackError, match="its backend_config is 'unspecified=all', expected a dictionary"):
        ttstack.compile(other, system_desc="wormhole_t3000")


@pytest.mark.parametrize("name", SYSTEMS)
def test_one_chip_has_no_devices_for_them(name: str):
    with pytest.raises(ttstack.TTStackError, match=r"of the mesh 1x1 ha(s|ve)"):
        ttstack.compile(EXPORTS / f"{name}.mlir", system_desc="wormhole")


@pytest.mark.parametrize(
    ("text", "rank", "mesh", "dims"),
    [
        ("{devices=[2,1]<=[2]}", 2, (1, 2), (-1, 0)),
        ("{devices=[1,2]0,1}", 2, (1, 2), (-1, 1)),
        ("{devices=[2,4]<=[8]}", 2, (2, 4), (0, 1)),
        ("{devices=[4,2]<=[2,4]T(1,0)}", 2, (2, 4), (1, 0)),
        ("{devices=[8,1]<=[8]}", 2, (2, 4), (0, 0)),
        ("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", 2, (2, 4), (-1, 0)),
        ("{devices=[2,1,4]<=[8] last_tile_dim_replicate}", 2, (2, 4), (0, -1)),
        ("{devices=[2]1,0}", 1, (1, 2), None),
        ("{devices=[8,1]<=[2,4]T(1,0)}", 2, (2, 4), None),
        ("{devices=[2,2]<=[4]}", 2, (1, 4), None),
        ("{replicated}", 3, (2, 4), (-1, -1)),
    ],
)
def test_shardings(text: str, rank: int, mesh: tuple[int, int], dims: tuple[int, int] | None):
    assert read_sharding(text, rank).dims(Mesh(mesh)) == dims


@pytest.mark.parametrize(
    "text",
    [
        "{manual}",
        "{maximal device=1}",
        "{devices=[2,1,2]<=[4] last_tile_dims={manual}}",
        "{devices=[2]<=[2]}",
        "{devices=[2,1]0,0}",
        "{devices=[2,1]0,1,2}",
        "{devices=[2,1]<=[3]}",
        "{devices=[2,2]<=[2,2]T(0,0)}",
        "{devices=[99999999,99999999]<=[9999999800000001]}",
        "",
    ],
)
def test_other_shardings_are_refused(text: str):
    with pytest.raises(ValueError, match="sharding"):
        read_sharding(text, 2)


def replaced(old: str, new: str) -> str:
    text = (EXPORTS / "summed.mlir").read_text()
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('mhlo.sharding = "{devices=[2,1]<=[2]}"', 'mhlo.sharding = "{manual}"', "neither divides"),
        ('@Sharding(%arg0) {mhlo.sharding = "{devices=[2,1]<=[2]}"}', "@Sharding(%arg0)", "unknown sharding"),
        ("stablehlo.add %arg1, %arg2", "stablehlo.divide %arg1, %arg2", "combines values by another function"),
    ],
)
def test_what_has_no_counterpart(old: str, new: str, message: str):
    with pytest.raises(ttstack.TTStackError, match=message):
        ttstack.compile(replaced(old, new), system_desc="wormhole_n300")


@pytest.mark.parametrize("target", ["Sharding", "annotate_device_placement", "SPMDFullToShardShape"])
def test_no_custom_call_is_an_identity_that_changes_the_type(target: str):
    text = f"""
    module {{ func.func @main(%x: tensor<4x2xf32>) -> tensor<2x2xf32> {{
      %0 = stablehlo.custom_call @{target}(%x) : (tensor<4x2xf32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }} }}"""
    with pytest.raises(ttstack.TTStackError, match=target):
        ttstack.compile(text)
