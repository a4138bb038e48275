"""Each collective moves values as its definition says, on both meshes, device by device."""

import numpy as np
import pytest

from tests.mesh.conftest import System, run
from ttstack.diagnostics import ExecutionError
from ttstack.ops.devices import Mesh

EVERYWHERE = (0, 0)
"""Both axes divide rows: device after device has its own."""


def divided(system: System, rows: int = 4, width: int = 32) -> np.ndarray:
    """Rows that say which device has them."""
    shape = (system.devices * rows, width)
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def shares(system: System, whole: np.ndarray) -> list[np.ndarray]:
    return np.split(whole, system.devices)


def exchanged(system: System, mnemonic: str, whole: np.ndarray, attributes: str, shape=None) -> list[np.ndarray]:
    """What each device has after the op on its rows of `whole`."""
    t = system.text()
    part = t.shard(t.argument(*whole.shape), EVERYWHERE)
    out = t.op(mnemonic, [part], shape or t.shapes[part], attributes)
    (joined,) = run(system.compile(t.module(t.join(out, EVERYWHERE))), whole)
    return shares(system, joined)


def assert_equal(have: list[np.ndarray], want: list[np.ndarray]) -> None:
    np.testing.assert_array_equal(np.stack(have), np.stack(want))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_all_reduce(kind: str, axis: int, system: System):
    whole = divided(system) % 7 + 1
    attributes = f"cluster_axis = {axis} : ui32, reduce_type = #ttcore.reduce_type<{kind}>"
    have = exchanged(system, "all_reduce", whole, attributes)
    parts = shares(system, whole)
    for group in Mesh(system.mesh).groups(axis):
        want = getattr(np, kind)([parts[d] for d in group], axis=0)
        for device in group:
            np.testing.assert_allclose(have[device], want, rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_all_gather(axis: int, system: System):
    whole, count = divided(system), system.mesh[axis]
    attributes = f"all_gather_dim = 1 : si32, cluster_axis = {axis} : ui32"
    have = exchanged(system, "all_gather", whole, attributes, (4, 32 * count))
    parts = shares(system, whole)
    groups = {d: g for g in Mesh(system.mesh).groups(axis) for d in g}
    assert_equal(have, [np.concatenate([parts[o] for o in groups[d]], 1) for d in range(system.devices)])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", ["sum", "max"])
def test_reduce_scatter(kind: str, axis: int, system: System):
    whole, count = divided(system), system.mesh[axis]
    attributes = f"cluster_axis = {axis} : ui32, reduce_type = #ttcore.reduce_type<{kind}>, scatter_dim = 1 : si32"
    have = exchanged(system, "reduce_scatter", whole, attributes, (4, 32 // count))
    parts, mesh = shares(system, whole), Mesh(system.mesh)
    for group in mesh.groups(axis):
        total = getattr(np, kind)([parts[d] for d in group], axis=0)
        for i, device in enumerate(group):
            np.testing.assert_array_equal(have[device], np.split(total, count, 1)[i])


def test_a_ring_shift(system: System):
    whole, n = divided(system), system.devices
    pairs = [[d, (d + 1) % n] for d in range(n)]
    have = exchanged(system, "collective_permute", whole, f"source_target_pairs = dense<{pairs}> : tensor<{n}x2xi64>")
    parts = shares(system, whole)
    assert_equal(have, [parts[d - 1] for d in range(n)])


def test_a_device_that_gets_nothing_has_zeros(system: System):
    whole = divided(system) + 1
    have = exchanged(system, "collective_permute", whole, "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>")
    assert_equal(have[1:2], shares(system, whole)[:1])
    assert not any(part.any() for i, part in enumerate(have) if i != 1)


def test_a_broadcast_in_groups(system: System):
    whole = divided(system)
    groups = [[1, 0]] if system.devices == 2 else [[1, 0, 4, 5], [7, 2, 3, 6]]
    table = f"dense<{groups}> : tensor<{len(groups)}x{len(groups[0])}xi64>"
    have = exchanged(system, "collective_broadcast", whole, f"replica_groups = {table}")
    first = {d: group[0] for group in groups for d in group}
    parts = shares(system, whole)
    assert_equal(have, [parts[first[d]] for d in range(system.devices)])


def test_all_to_all_turns_rows_into_columns(system: System):
    n = system.devices
    whole = divided(system, rows=8, width=32)
    attributes = (
        f"concat_dim = 0 : si32, replica_groups = dense<{[list(range(n))]}> : tensor<1x{n}xi64>, "
        f"split_count = {n} : si32, split_dim = 1 : si32"
    )
    have = exchanged(system, "all_to_all", whole, attributes, (8 * n, 32 // n))
    assert_equal(have, np.split(whole, n, 1))


def test_only_the_first_device_has_what_is_maximal(system: System):
    t = system.text()
    x = t.shard(t.argument(4, 32), (-1, -1), kind="maximal")
    whole = np.ones((4, 32), np.float32)
    (joined,) = run(system.compile(t.module(t.join(x, EVERYWHERE))), whole)
    assert_equal(shares(system, joined), [whole, *[np.zeros_like(whole)] * (system.devices - 1)])


def test_identity_is_a_division_that_was_made_before(system: System):
    whole = divided(system)
    t = system.text()
    x = t.shard(t.argument(*whole.shape), EVERYWHERE, kind="identity")
    (have,) = run(system.compile(t.module(t.shard(x, EVERYWHERE, "shard_to_full", kind="identity"))), whole)
    np.testing.assert_array_equal(have, whole)


def test_what_every_device_has_needs_no_join(system: System):
    """A gather of what all have repeats it; outputs that are the same everywhere are not parts."""
    t = system.text()
    x = t.argument(4, 32)
    out = t.all_gather(x, 1, 0)
    whole = np.arange(128, dtype=np.float32).reshape(4, 32)
    (have,) = run(system.compile(t.module(out)), whole)
    np.testing.assert_array_equal(have, np.tile(whole, (system.mesh[1], 1)))


def test_an_output_that_differs_from_device_to_device_is_refused(system: System):
    t = system.text()
    whole = divided(system)
    program = system.compile(t.module(t.shard(t.argument(*whole.shape), EVERYWHERE)))
    with pytest.raises(ExecutionError, match="output 'output' differs from device to device") as refused:
        run(program, whole)
    assert "shard_to_full" in str(refused.value)


@pytest.mark.parametrize("dtype", ["i32", "bf16", "ui8"])
def test_other_element_types(dtype: str, system: System):
    t = system.text(dtype)
    x = t.shard(t.argument(system.devices * 4, 32), EVERYWHERE)
    text = t.module(t.join(t.all_reduce(x, 1), EVERYWHERE))
    program = system.compile(text)
    whole = np.ones((system.devices * 4, 32), next(iter(program.inputs().values())).dtype.numpy)
    (have,) = run(program, whole)
    assert have.dtype == whole.dtype
    np.testing.assert_array_equal(have.astype(float), np.full(whole.shape, float(system.mesh[1])))


def test_a_dimension_over_all_devices_of_a_mesh_of_one_axis(system: System):
    """One entry of `shard_dims` divides it over all devices, in a row."""
    n = system.devices
    dims = f"shard_type = #ttcore.shard_type<devices>, shard_shape = array<i64: {n}>, shard_dims = array<i64: 0>"
    way = "shard_direction = #ttcore.shard_direction<{}>"
    text = f"""func.func @f(%a: tensor<32xf32>) -> tensor<32xf32> {{
      %0 = "ttir.mesh_shard"(%a) <{{{dims}, {way.format("full_to_shard")}}}> : (tensor<32xf32>) -> tensor<{32 // n}xf32>
      %1 = "ttir.cumsum"(%0) <{{dim = 0 : i64}}> : (tensor<{32 // n}xf32>) -> tensor<{32 // n}xf32>
      %2 = "ttir.mesh_shard"(%1) <{{{dims}, {way.format("shard_to_full")}}}> : (tensor<{32 // n}xf32>) -> tensor<32xf32>
      return %2 : tensor<32xf32>
    }}"""
    x = np.arange(32, dtype=np.float32)
    (got,) = run(system.compile(text), x)
    np.testing.assert_array_equal(got, x.reshape(n, -1).cumsum(1).reshape(-1))
