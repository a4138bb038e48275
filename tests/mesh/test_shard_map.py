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
