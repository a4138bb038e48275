"""Programs divided over the chips of a mesh give what the undivided program gives on one chip."""

import numpy as np
import pytest

import ttstack
from tests.mesh.conftest import System, run, run_alone
from tests.mesh.text import Text

ROWS, WIDTH, HIDDEN, OUT = 64, 128, 256, 96


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape, np.float32)


def small_integers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Whose products and sums float32 holds exactly, in whatever order a BLAS adds them up for a number of rows."""
    return rng.integers(-8, 9, shape).astype(np.float32)


def assert_close(have: np.ndarray, want: np.ndarray) -> None:
    assert have.dtype == want.dtype
    np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-4)


def mlp() -> str:
    t = Text()
    x, up, down = t.argument(ROWS, WIDTH), t.argument(WIDTH, HIDDEN), t.argument(HIDDEN, OUT)
    return t.module(t.matmul(t.elementwise("gelu", t.matmul(x, up)), down))


def mlp_arrays(rng: np.random.Generator) -> list[np.ndarray]:
    return [normal(rng, ROWS, WIDTH), normal(rng, WIDTH, HIDDEN) / 11, normal(rng, HIDDEN, OUT) / 16]


def tensor_parallel_mlp(system: System) -> str:
    """Columns of the first and rows of the second weight along axis 1, rows of the batch along axis 0."""
    t = system.text()
    x, up, down = t.argument(ROWS, WIDTH), t.argument(WIDTH, HIDDEN), t.argument(HIDDEN, OUT)
    x, up, down = t.shard(x, (0, -1)), t.shard(up, (-1, 1)), t.shard(down, (-1, 0))
    partial = t.matmul(t.elementwise("gelu", t.matmul(x, up)), down)
    return t.module(t.join(t.all_reduce(partial, 1), (0, -1)))


def test_a_tensor_parallel_mlp(system: System, rng: np.random.Generator):
    arrays = mlp_arrays(rng)
    (have,), (want,) = run(system.compile(tensor_parallel_mlp(system)), *arrays), run_alone(mlp(), *arrays)
    assert_close(have, want)


def test_an_asynchronous_all_reduce(system: System, rng: np.random.Generator):
    arrays = mlp_arrays(rng)
    text = tensor_parallel_mlp(system).replace("ttir.all_reduce", "ttir.all_reduce_async")
    assert_close(run(system.compile(text), *arrays)[0], run_alone(mlp(), *arrays)[0])


def linear() -> str:
    t = Text()
    x, w = t.argument(ROWS, WIDTH), t.argument(WIDTH, HIDDEN)
    return t.module(t.matmul(x, w))


def test_a_column_parallel_linear_gathers(system: System, rng: np.random.Generator):
    t = system.text()
    x, w = t.argument(ROWS, WIDTH), t.argument(WIDTH, HIDDEN)
    x, w = t.shard(x, (-1, -1)), t.shard(w, (-1, 1))
    text = t.module(t.join(t.all_gather(t.matmul(x, w), 1, -1)))
    arrays = [normal(rng, ROWS, WIDTH), normal(rng, WIDTH, HIDDEN)]
    assert_close(run(system.compile(text), *arrays)[0], run_alone(linear(), *arrays)[0])


def test_a_row_parallel_linear_scatters(system: System, rng: np.random.Generator):
    t = system.text()
    x, w = t.argument(ROWS, WIDTH), t.argument(WIDTH, HIDDEN)
    x, w = t.shard(x, (-1, 1)), t.shard(w, (-1, 0))
    text = t.module(t.join(t.reduce_scatter(t.matmul(x, w), 1, 1), (-1, 1)))
    arrays = [normal(rng, ROWS, WIDTH), normal(rng, WIDTH, HIDDEN)]
    assert_close(run(system.compile(text), *arrays)[0], run_alone(linear(), *arrays)[0])


def test_a_batch_divided_over_all_devices(system: System, rng: np.random.Generator):
    """Both axes divide one dimension; the weight is given to all devices as it is."""
    t = system.text()
    x, w = t.argument(ROWS, WIDTH), t.argument(WIDTH, HIDDEN)
    text = t.module(t.join(t.matmul(t.shard(x, (0, 0)), w), (0, 0)))
    arrays = [small_integers(rng, ROWS, WIDTH), small_integers(rng, WIDTH, HIDDEN)]
    np.testing.assert_array_equal(run(system.compile(text), *arrays)[0], run_alone(linear(), *arrays)[0])


def test_a_replicated_tensor_is_partitioned(system: System, rng: np.random.Generator):
    t = system.text()
    x, w = t.argument(ROWS, WIDTH), t.argument(WIDTH, HIDDEN)
    x = t.shard(x, (-1, -1))
    part = t.op("mesh_partition", [x], (ROWS // system.devices, WIDTH), "dim = 0 : si32")
    text = t.module(t.join(t.matmul(part, w), (0, 0)))
    arrays = [small_integers(rng, ROWS, WIDTH), small_integers(rng, WIDTH, HIDDEN)]
    np.testing.assert_array_equal(run(system.compile(text), *arrays)[0], run_alone(linear(), *arrays)[0])


def test_a_partition_along_one_axis_undoes_a_gather(system: System, rng: np.random.Generator):
    t = system.text()
    x = t.argument(ROWS, WIDTH)
    whole = t.all_gather(t.shard(x, (-1, 0)), 1, 0)
    part = t.op(
        "mesh_partition",
        [whole],
        t.resized(whole, 0, 1 / system.mesh[1]),
        "cluster_axis = 1 : ui32, dim = 0 : si32",
    )
    x_value = normal(rng, ROWS, WIDTH)
    (have,) = run(system.compile(t.module(t.join(part, (-1, 0)))), x_value)
    np.testing.assert_array_equal(have, x_value)


NORMS = [
    ("rms_norm", ["weight"]),
    ("rms_norm", ["weight", "residual"]),
    ("layer_norm", ["weight", "bias"]),
    ("layer_norm", ["weight", "bias", "residual"]),
]


@pytest.mark.parametrize(("norm", "given"), NORMS, ids=["_".join([n, *g]) for n, g in NORMS])
def test_a_norm_of_divided_rows(norm: str, given: list[str], system: System, rng: np.random.Generator):
    alone, t = Text(), system.text()
    arrays = [normal(rng, ROWS, WIDTH) + 1]
    whole, parts = [alone.argument(ROWS, WIDTH)], [t.shard(t.argument(ROWS, WIDTH), (-1, 1))]
    for name in given:
        shape = (ROWS, WIDTH) if name == "residual" else (WIDTH,)
        arrays.append(normal(rng, *shape))
        whole.append(alone.argument(*shape))
        parts.append(t.shard(t.argument(*shape), (-1, len(shape) - 1)))
    if "residual" in given:
        whole = [alone.elementwise("add", whole[0], whole[-1]), *whole[1:-1]]
    segments = "operandSegmentSizes = array<i32: {}>"
    places = ["input", "weight", "residual"] if norm == "rms_norm" else ["input", "weight", "bias", "residual"]
    sizes = [int(p == "input" or p in given) for p in places]
    attributes = f"cluster_axis = 1 : ui32, epsilon = 1.0e-05 : f32, {segments.format(', '.join(map(str, sizes)))}"
    out = t.op(f"distributed_{norm}", parts, t.shapes[parts[0]], attributes)
    sizes = [1, 1, int("bias" in given)]
    attributes = f"normalized_shape = array<i64: {WIDTH}>, {segments.format(', '.join(map(str, sizes)))}"
    want = run_alone(alone.module(alone.op(norm, whole, (ROWS, WIDTH), attributes)), *arrays)
    assert_close(run(system.compile(t.module(t.join(out, (-1, 1)))), *arrays)[0], want[0])


def test_a_saved_program_runs_the_same(system: System, rng: np.random.Generator, tmp_path):
    program = system.compile(tensor_parallel_mlp(system))
    arrays = mlp_arrays(rng)
    program.save(tmp_path / "mlp.ttb")
    loaded = ttstack.load(tmp_path / "mlp.ttb")
    assert loaded.function() == program.function()
    np.testing.assert_array_equal(run(loaded, *arrays)[0], run(program, *arrays)[0])


def test_device_numerics_on_a_mesh(system: System, rng: np.random.Generator):
    program, arrays = system.compile(tensor_parallel_mlp(system)), mlp_arrays(rng)
    inputs = dict(zip(program.inputs(), arrays, strict=True))
    have = program.run(inputs, numerics="device").outputs["output"]
    np.testing.assert_allclose(have, run_alone(mlp(), *arrays)[0], rtol=5e-2, atol=5e-2)
