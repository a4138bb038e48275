"""Loops over tiles: they fit the operands, and `ttir.generic` says all that an exact dispatch says."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.every import for_every
from tests.ops.strategies import cases
from ttstack.cost import predict
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import footprint
from ttstack.device.layout import Grid, Layout, storage
from ttstack.dialects.ttir import build_generic, read_nest, read_source
from ttstack.dialects.types import tensor_type
from ttstack.mlir import func, ir
from ttstack.ops import OPS, Op
from ttstack.ops.fields import Arity
from ttstack.ops.generic import Generic
from ttstack.ops.generic_source import GenericSource
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Loops
from ttstack.ops.raising import raise_to_named
from ttstack.ops.tile_ops import TILE_OPS
from ttstack.ops.types import DType, TensorType, tile_shape
from ttstack.placement.grids import legal_grids, shardings
from ttstack.system_desc import load
from ttstack_runtime.evaluate import evaluate
from ttstack_runtime.precision import Ieee
from ttstack_runtime.region import Region

CHIP = load("wormhole").chips[0]
EXECUTABLE = sorted(n for n, spec in OPS.items() if spec.executable and spec.family != "generic" and not spec.functions)

every_op = for_every("mnemonic", EXECUTABLE)
few = settings(max_examples=4)


def _tiles_of_loops(dispatch: Loops, m: IndexingMap) -> tuple[int, ...]:
    return tuple(1 if loop is None else dispatch.domain[loop] for loop in m.loops)


@every_op
@few
@given(data=st.data())
def test_loops_fit_what_they_go_over(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    dispatch, op = case.op.dispatch(), case.op
    assert len(dispatch.iterators) == len(dispatch.domain)
    assert (len(dispatch.inputs), len(dispatch.outputs)) == (len(op.operands), len(op.results))
    assert all(loop is None or 0 <= loop < len(dispatch.domain) for m in dispatch.maps for loop in m.loops)
    for position, work in enumerate(dispatch.work):
        assert all(0 <= a < len(dispatch.maps) + position for a in work.args)
        assert work.count > 0
    for t, m in zip((*op.operands, *op.results), dispatch.maps, strict=True):
        if op.nest and op.nest.index_bound is None and not m.terms:
            assert _tiles_of_loops(dispatch, m) == tile_shape(t.shape)


@every_op
@few
@given(data=st.data())
def test_all_tiles_of_a_result_are_written(mnemonic: str, data: st.DataObject):
    dispatch = data.draw(cases(mnemonic)).op.nest
    if dispatch:
        (out,) = dispatch.outputs
        assert {loop for loop in out.loops if loop is not None} <= set(dispatch.divisible)


M, K, N = 96, 160, 64
"""Sizes of products: as many tiles as no other of them."""


def _real(*shape: int) -> TensorType:
    return TensorType(shape, DType.BF16)


ROUTER = {"k": 4, "num_experts": N}
INDICES, SCORES = TensorType((M, 4), DType.UI32), _real(M, 4)
PRODUCTS = [
    (OPS["matmul"].on([_real(M, K), _real(K, N)], {}), 1),
    (OPS["linear"].on([_real(M, K), _real(N, K), None], {"transpose_b": True}), 1),
    (OPS["sparse_matmul"].on([_real(2, 3, M, K), _real(1, 4, K, N), _real(2, 3, 1, 4)], {}), 24),
    (OPS["sparse_matmul"].on([_real(2, 3, M, K), _real(1, 4, K, N), _real(2, 3, 1, 4)], {"nnz": 5}), 5),
    (OPS["topk_router_gpt"].on([_real(M, K), _real(K, N), _real(1, N)], ROUTER, INDICES, SCORES), 1),
]


@pytest.mark.parametrize(("op", "count"), PRODUCTS, ids=lambda x: getattr(x, "mnemonic", str(x)))
def test_products_touch_the_tiles_of_rows_and_columns(op: Op, count: int):
    dispatch = op.dispatch()
    for i, (t, m) in enumerate(zip(op.operands, dispatch.inputs, strict=True)):
        if m.access is not Access.GATHER:
            rows, columns = tile_shape(t.shape)[-2:]
            assert _tiles_of_loops(dispatch, m)[-2:] == (rows, columns), i
    assert dispatch.domain[-1] == K // 32
    assert op.flops() == 2 * count * M * K * N


def _generic(dispatch: LoopNest, op: Op) -> tuple[ir.Module, ir.Value]:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body), ir.Location.unknown():
        function = func.FuncOp("f", ([tensor_type(t) for t in op.operands], []))
        with ir.InsertionPoint(function.add_entry_block()):
            value = build_generic(dispatch, list(function.arguments), op.results[0], GenericSource.of(op))
            func.ReturnOp([])
    return module, value


@every_op
@few
@given(data=st.data())
def test_an_exact_dispatch_survives_as_generic_and_is_recognized(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    op = case.op
    if (dispatch := op.nest) is None:
        return
    module, value = _generic(dispatch, op)
    module.operation.verify()
    generic = ir.OpResult(value).owner.operation
    assert read_nest(generic) == dispatch
    assert raise_to_named(dispatch, op.operands, op.results[0], read_source(generic)) == op
    found = raise_to_named(dispatch, op.operands, op.results[0])
    if found is None and dispatch.moves_only:
        return  # what moves and was not written as its op is a kernel of its own
    assert found is not None
    assert found.results == op.results
    assert found.nest == dispatch
    there = iter([a for a in case.arrays() if a is not None])
    places = [getattr(found, name) for name, arity in found.operand_specs().items() if arity is not Arity.VARIADIC]
    spread = [None if t is None else next(there) for t in places]
    ours, theirs = evaluate(op, case.arrays()), evaluate(found, [*spread, *there])
    np.testing.assert_array_equal(np.asarray(ours).astype(float), np.asarray(theirs).astype(float))


IEEE = Ieee()
LOOKUPS = ("tensor_train_embedding", "tensor_train_embedding_bag")
"""Rows are grouped by the slices that they share: what that means is tested with Tensor-Train."""


@for_every("mnemonic", [name for name in EXECUTABLE if name not in LOOKUPS])
@few
@given(data=st.data())
def test_a_nest_means_what_the_kernel_computes(mnemonic: str, data: st.DataObject):
    case = data.draw(cases(mnemonic))
    op = case.op
    if op.nest is None:
        return
    given_arrays = [a for a in case.arrays() if a is not None]
    widened = [a.astype(IEEE.held[t.dtype]) for a, t in zip(given_arrays, op.operands, strict=True)]
    held = given_arrays if mnemonic == "bitcast_convert" else widened
    (want,) = evaluate(op, case.arrays())
    got = Region(op.nest, IEEE, lambda x, _: x).run(held, op.results[0])
    assert got.shape == want.shape
    near = {2: 2**-7, 4: 1e-5, 8: 1e-9}[want.dtype.itemsize] if op.results[0].dtype.is_float else 0
    with np.errstate(all="ignore"):
        rounded = got.astype(want.dtype)
    np.testing.assert_allclose(np.asarray(rounded, float), np.asarray(want, float), rtol=near, atol=near)


WRITTEN_OUT = {"sdpa_fw"}
"""Ops with a nest that are other ops before anything is dispatched."""

CALLS_NOT_IN_NESTS = {"argmax", "global_avg_pool2d", "permute", "prod", "scaled_dot_product_attention", "transpose"}
"""Ops that become several calls or none in some forms, which a nest does not tell: of no dimensions, of half formats, over several
dimensions, of values of another width. Reports have these calls, placement sees the nest alone."""


@every_op
@few
@given(data=st.data())
def test_a_generic_answers_as_the_op_that_it_is(mnemonic: str, data: st.DataObject):
    """What grids, placement and cost ask of an op, its nest says alone."""
    op = data.draw(cases(mnemonic)).op
    if op.nest is None or op.nest.moves_only or mnemonic in WRITTEN_OUT:
        return  # what only moves stays named: readers and writers do it, no region runs
    generic = Generic(inputs=op.operands, program=op.nest, type=op.results[0])
    device = Grid(*CHIP.grid)
    assert generic.host_operands == op.host_operands
    assert legal_grids(generic, device) == legal_grids(op, device)
    assert list(shardings(generic, device)) == list(shardings(op, device))
    layouts = [Layout(storage(t.dtype), i not in op.host_operands) for i, t in enumerate(op.operands)]
    named = DeviceOp(op, tuple(layouts), (Layout(storage(op.results[0].dtype)),), device)
    same = replace(named, op=generic)
    assert mnemonic in CALLS_NOT_IN_NESTS or footprint(same, CHIP) == footprint(named, CHIP)
    assert predict(same, CHIP).terms == predict(named, CHIP).terms


@pytest.mark.parametrize(
    ("name", "close"), [("minimun", "minimum"), ("reduce_summ", "reduce_sum"), ("mat_mul", "matmul")]
)
def test_a_misspelt_tile_op_is_an_error_where_it_is_made(name: str, close: str):
    assert close in TILE_OPS
    with pytest.raises(ValueError, match=f"there is no tile op '{name}', perhaps {close}"):
        TileOp(name, (0,))


def test_a_part_of_whole_tiles_begins_where_it_was_cut():
    x, part = TensorType((128, 64), DType.BF16), TensorType((64, 64), DType.BF16)
    attributes = {"begins": (64, 0), "ends": (128, 64), "step": (1, 1)}
    nest = OPS["slice_static"].on([x], attributes, part).dispatch()
    assert isinstance(nest, LoopNest)
    assert [term.offset for term in nest.inputs[0].terms] == [2, 0]
    whole = OPS["slice_static"].on([x], {"begins": (0, 0), "ends": (128, 64), "step": (1, 1)}, x).dispatch()
    assert isinstance(whole, LoopNest)
    assert whole.inputs[0].terms == ()


def test_lookups_in_a_table_are_loops():
    indices, table = TensorType((4, 7), DType.UI32), TensorType((100, 64), DType.BF16)
    nest = OPS["embedding"].on([indices, table], {}, TensorType((4, 7, 64), DType.BF16)).dispatch()
    assert isinstance(nest, LoopNest)
    assert nest.index_bound is not None


def test_tiles_of_one_number_are_found_again():
    made = TensorType((64, 64), DType.BF16)
    op = OPS["full"].on([], {"shape": (64, 64), "fill_value": 1.5}, made)
    assert op.nest is not None
    assert raise_to_named(op.nest, (), made) == op


@pytest.mark.parametrize(
    ("mnemonic", "attributes"),
    [
        ("slice_static", {"begins": (0, 0, 0), "ends": (1, 32, 64), "step": (1, 1, 1)}),
        ("index_select", {"dim": 0, "begin": 0, "length": 1, "stride": 0}),
    ],
)
def test_a_part_from_the_beginning_is_smaller_than_what_its_maps_say(mnemonic: str, attributes: dict[str, Any]):
    op = OPS[mnemonic].on([TensorType((2, 64, 64), DType.F32)], attributes)
    assert op.nest is not None
    module, value = _generic(op.nest, op)
    assert module.operation.verify()
    assert read_nest(ir.OpResult(value).owner.operation) == op.nest
