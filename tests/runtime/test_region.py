"""`generic`: regions on tiles, executed on whole arrays."""

import ml_dtypes
import numpy as np
import pytest

from tests.kernels.kernel_of import kernel_of
from ttstack.device.device_op import Fidelity
from ttstack.device.layout import Layout
from ttstack.diagnostics import ExecutionError
from ttstack.ops import OPS
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import IndexingMap, Iterator
from ttstack.ops.types import DType, TensorType
from ttstack_runtime.executor import Numerics, execute
from ttstack_runtime.numerics import truncate_for_fidelity


def run_generic(b, program, arrays, shape, *, dtype=DType.F32, numerics: Numerics = "ieee", **record):
    """The result of one generic on `arrays`."""
    names = [f"x{i}" for i in range(len(arrays))]
    kinds = {"float32": DType.F32, "int32": DType.SI32}
    operands = [b.input(n, a.shape, kinds[a.dtype.name]) for n, a in zip(names, arrays, strict=True)]
    b.output(b.op("generic", operands, shape, dtype, attributes={"program": program}, record=record))
    return execute(b.binary(), dict(zip(names, arrays, strict=True)), numerics=numerics)["out"]


def elementwise(maps, body, out=(0, 1), domain=(2, 3)):
    parallel = (Iterator.PARALLEL,) * len(domain)
    return LoopNest(domain, parallel, tuple(IndexingMap(m) for m in maps), (IndexingMap(out),), tuple(body))


@pytest.fixture
def xs(rng):
    return [rng.standard_normal((40, 70), np.float32), rng.standard_normal((1, 70), np.float32)]


def test_chain_with_broadcast_operands(b, xs, rng):
    column = rng.standard_normal((70,), np.float32)
    body = [
        TileOp("add", (0, 1)),
        TileOp("multiply", (4, 2)),
        TileOp("relu", (5,)),
        TileOp("subtract", (6, 0)),
    ]
    program = elementwise([(0, 1), (None, 1), (1,)], body)
    out = run_generic(b, program, [*xs, column], (40, 70))
    np.testing.assert_array_equal(out, np.maximum((xs[0] + xs[1]) * column, 0) - xs[0])


def test_attributes_and_element_types_of_tile_ops(b, xs):
    body = [
        TileOp("clamp_scalar", (0,), attributes=(("min", -0.5), ("max", 0.5))),
        TileOp("gt", (2, 0), attributes=(("dtype", DType.F32),)),
        TileOp("typecast", (0,), attributes=(("dtype", DType.BF16), ("conservative_folding", False))),
        TileOp("add", (3, 4)),
    ]
    out = run_generic(b, elementwise([(0, 1)], body), xs[:1], (40, 70))
    want = (np.clip(xs[0], -0.5, 0.5) > xs[0]) + xs[0].astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(out, want.astype(np.float32))


def test_transposed_operand(b, xs, rng):
    turned = rng.standard_normal((70, 40), np.float32)
    body = [TileOp("transpose", (1,)), TileOp("add", (0, 3))]
    out = run_generic(b, elementwise([(0, 1), (1, 0)], body), [xs[0], turned], (40, 70))
    np.testing.assert_array_equal(out, xs[0] + turned.T)


def test_copy_broadcasts(b, xs):
    out = run_generic(b, elementwise([(None, 1)], [TileOp("copy", (0,))]), xs[1:], (40, 70))
    np.testing.assert_array_equal(out, np.broadcast_to(xs[1], (40, 70)))


@pytest.mark.parametrize(("left", "right"), [((0, 1), (1, 0)), ((1, 0), (0, 1))])
def test_tiles_moved_without_being_transposed_are_rejected(b, xs, left, right):
    square = xs[0][:, :40].copy()
    program = elementwise([left, right], [TileOp("add", (0, 1))], domain=(2, 2))
    with pytest.raises(ExecutionError, match="takes a tile that is not transposed") as e:
        run_generic(b, program, [square, square], (40, 40))
    assert e.value.diagnostic.loc == "model.py:1"


def test_tiles_transposed_without_being_moved_are_rejected(b, xs):
    square = xs[0][:, :40].copy()
    program = elementwise([(0, 1)], [TileOp("transpose", (0,))], domain=(2, 2))
    with pytest.raises(ExecutionError, match="tiles end up transposed"):
        run_generic(b, program, [square], (40, 40))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ([TileOp("add", (0, 1))], "reads the destination"),
        ([TileOp("rand", ())], "'rand' has no reference semantics"),
        ([], "not made by its body"),
    ],
)
def test_bodies_without_meaning(b, xs, body, what):
    with pytest.raises(ExecutionError, match=what):
        run_generic(b, elementwise([(0, 1)], body), xs[:1], (40, 70))


def test_an_operand_that_does_not_fit_its_map(b, xs):
    with pytest.raises(ExecutionError, match=r"shape \[40, 70\] does not fit the map \[None, 1\]"):
        run_generic(b, elementwise([(None, 1)], [TileOp("exp", (0,))]), xs[:1], (40, 70))


def test_extents_that_do_not_broadcast(b, xs, rng):
    other = rng.standard_normal((41, 70), np.float32)
    with pytest.raises(ExecutionError, match=r"generic: .*broadcast"):
        run_generic(b, elementwise([(0, 1), (0, 1)], [TileOp("add", (0, 1))]), [xs[0], other], (40, 70))


MATMULS = [
    ((40, 70), (70, 50), {}),
    ((70, 40), (70, 50), {"transpose_a": True}),
    ((40, 70), (50, 70), {"transpose_b": True}),
    ((3, 40, 70), (3, 70, 50), {}),
    ((3, 2, 40, 70), (2, 70, 50), {}),
    ((3, 1, 40, 70), (1, 2, 70, 50), {}),
    ((3, 40, 70), (70, 50), {}),
    ((1, 70), (70, 1), {}),
]


@pytest.mark.parametrize(("a", "c", "attributes"), MATMULS)
def test_matmul_with_epilogue_is_the_named_op(b, rng, a, c, attributes):
    arrays = [rng.standard_normal(s, np.float32) for s in (a, c)]
    types = [TensorType(x.shape, DType.F32) for x in arrays]
    shape = OPS["matmul"].on(types, attributes).results[0].shape
    arrays.append(rng.standard_normal(shape[-1:], np.float32))
    types.append(TensorType(arrays[2].shape, DType.F32))
    linear = OPS["linear"].on(types, attributes | {"activation": "gelu"})
    out = run_generic(b, linear.dispatch(), arrays, shape)
    want = kernel_of("linear")(*arrays, activation="gelu", **attributes)
    np.testing.assert_allclose(out, want, rtol=1e-5, atol=1e-5)


def test_matmul_reads_operands_at_the_fidelity(b, rng):
    x, y = rng.standard_normal((32, 64), np.float32), rng.standard_normal((64, 32), np.float32)
    program = OPS["matmul"].on([TensorType(v.shape, DType.F32) for v in (x, y)], {}).dispatch()
    out = run_generic(b, program, [x, y], (32, 32), numerics="device", fidelity=Fidelity.LOFI)
    cut = [truncate_for_fidelity(v, "LoFi", operand=i) for i, v in enumerate((x, y))]
    np.testing.assert_allclose(out, cut[0] @ cut[1], rtol=1e-5, atol=1e-5)


def test_inner_extents_that_differ(b, rng):
    program = OPS["matmul"].on([TensorType((32, 64), DType.F32), TensorType((64, 32), DType.F32)], {}).dispatch()
    arrays = [np.zeros((32, 64), np.float32), np.zeros((63, 32), np.float32)]
    with pytest.raises(ExecutionError, match=r"inner extents \[64\] and \[63\]"):
        run_generic(b, program, arrays, (32, 32))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "reduce_and", "reduce_or"])
@pytest.mark.parametrize(("dims", "keep"), [((2,), True), ((0, 2), True), ((0,), False), (None, True)])
def test_reductions_are_the_named_ops(b, rng, name, dims, keep):
    x = rng.standard_normal((3, 40, 70), np.float32)
    x[0] = 0
    attributes = {"keep_dim": keep, "dim_arg": dims}
    op = OPS[name].on([TensorType(x.shape, DType.F32)], attributes)
    out = run_generic(b, op.dispatch(), [x], op.results[0].shape)
    want = np.asarray(kernel_of(name)(x, **attributes), np.float32)
    np.testing.assert_array_equal(out, want)


def test_reduction_between_elementwise_ops(b, xs):
    program = LoopNest(
        (2, 3),
        (Iterator.PARALLEL, Iterator.REDUCTION),
        (IndexingMap((0, 1)),),
        (IndexingMap((0, None)),),
        (TileOp("square", (0,)), TileOp("reduce_mean", (2, 1)), TileOp("rsqrt", (3,))),
    )
    out = run_generic(b, program, xs[:1], (40, 1))
    np.testing.assert_allclose(out, 1 / np.sqrt((xs[0] ** 2).mean(-1, keepdims=True)), rtol=1e-5)


def test_a_reduced_broadcast_counts_every_element(b, xs):
    program = LoopNest(
        (2, 3),
        (Iterator.REDUCTION, Iterator.PARALLEL),
        (IndexingMap((0, 1)), IndexingMap((None, 1))),
        (IndexingMap((None, 1)),),
        (TileOp("reduce_sum", (1, 2)),),
    )
    out = run_generic(b, program, xs, (1, 70))
    np.testing.assert_allclose(out, xs[1] * 40, rtol=1e-6)


def test_integers_stay_integers(b):
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    program = elementwise([(0, 1)], [TileOp("add", (0, 0))], domain=(1, 1))
    out = run_generic(b, program, [x], (2, 3), dtype=DType.SI32, numerics="device")
    np.testing.assert_array_equal(out, x * 2)


def test_every_exact_dispatch_of_an_elementwise_op_runs_as_the_op(b, rng):
    """The dispatch of each float op without attributes gives what its kernel gives."""
    x, y = rng.random((2, 40, 70), np.float32) + np.float32(0.25)
    layout = Layout(DType.F32)
    for name, spec in OPS.items():
        if spec.family != "eltwise" or spec.attribute_specs() or spec.result_fields() or "bit" in name:
            continue
        if "shift" in name:
            continue
        arrays = [x, y, x][: len(spec.operand_specs())]
        program = spec.on([TensorType(x.shape, DType.F32)] * len(arrays), {}).dispatch()
        c = type(b)(b.system)
        operands = [c.input(f"i{i}", x.shape, layout=layout) for i in range(len(arrays))]
        c.output(c.op("generic", operands, x.shape, layout=layout, attributes={"program": program}))
        out = execute(c.binary(), {f"i{i}": a for i, a in enumerate(arrays)})["out"]
        want = np.asarray(kernel_of(name)(*arrays), np.float32)
        np.testing.assert_array_equal(out, want, err_msg=name)
