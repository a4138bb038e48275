"""`ttir.generic` and `ttir.to_layout`: what is well-formed, and what each fault says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.dialects.ttir import build_generic, read_nest
from ttstack.dialects.types import tensor_type
from ttstack.frontends.text import parse
from ttstack.mlir import func, ir
from ttstack.ops.generic import Generic
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import IndexingMap, Iterator
from ttstack.ops.types import DType, TensorType, tile_shape

CONTEXT = new_context()
TILE = "!tt.tile<[32, 32], f32>"
T = "tensor<64x96xf32>"
ID = "affine_map<(d0, d1) -> (d0, d1)>"


def text(**changes: str) -> str:
    parts = {
        "maps": f"[{ID}, {ID}]",
        "access": '["local", "local"]',
        "iterators": '["parallel", "parallel"]',
        "arguments": f"%x: {TILE}, %o: {TILE}",
        "body": f'%1 = "ttir.tile_exp"(%x) : ({TILE}) -> {TILE}',
        "end": f'"ttir.yield"(%1) : ({TILE}) -> ()',
        "destination": T,
        "result": T,
    } | changes
    return f"""func.func @f(%a: {T}) {{
      %e = "ttir.empty"() : () -> {parts["destination"]}
      %0 = "ttir.generic"(%a, %e) ({{
      ^bb0({parts["arguments"]}):
        {parts["body"]}
        {parts["end"]}
      }}) {{access = {parts["access"]}, indexing_maps = {parts["maps"]}, iterator_types = {parts["iterators"]}}}
        : ({T}, {parts["destination"]}) -> {parts["result"]}
      return
    }}"""


def test_a_region_is_read_and_printed():
    with CONTEXT, ir.Location.unknown():
        module = parse(text())
        op = module.body.operations[0].regions[0].blocks[0].operations[1].operation
        dispatch = read_nest(op)
        assert dispatch.domain == (2, 3)
        assert dispatch.body == (TileOp("exp", (0,)),)
        assert print_module(parse(print_module(module))) == print_module(module)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"maps": f"[{ID}]"}, "has 1 indexing_maps for 2 operands"),
        ({"access": '["local"]'}, "has 1 access for 2 operands"),
        ({"access": '["local", "far"]'}, "'far' is not a valid Access"),
        ({"iterators": '["parallel", "serial"]'}, "'serial' is not a valid Iterator"),
        ({"maps": f"[affine_map<(d0, d1) -> (d0 + d1, d1)>, {ID}]"}, "is not a projection of the loops"),
        ({"maps": f"[affine_map<(d0, d1) -> (d0)>, {ID}]"}, "operand 0 has rank 2, its map 1 results"),
        (
            {"maps": f"[affine_map<(d0, d1) -> (d1, d0)>, {ID}]"},
            "operand 0 has 2 tiles along dimension 0, its loop runs over 3",
        ),
        (
            {"maps": f"[affine_map<(d0, d1) -> (0, d1)>, {ID}]"},
            "operand 0 has 2 tiles along dimension 0, its loop runs over 1",
        ),
        ({"arguments": f"%x: {TILE}"}, "the region has 1 arguments for 2 operands"),
        ({"result": "tensor<64x64xf32>"}, "result is tensor<64x64xf32>, its destination tensor<64x96xf32>"),
        ({"arguments": f"%x: {T}, %o: {TILE}", "body": f'%1 = "ttir.tile_exp"(%x) : ({T}) -> {TILE}'}, "is not a tile"),
        ({"end": f'"ttir.yield"(%x) : ({TILE}) -> ()'}, "ttir.yield does not give the result of the last tile op"),
        ({"end": f'"ttir.yield"(%a) : ({T}) -> ()'}, "'ttir.yield' uses a value from outside of the region"),
    ],
)
def test_an_ill_formed_region_is_refused(changes: dict[str, str], says: str):
    with CONTEXT, ir.Location.unknown(), pytest.raises(InvalidIRError) as refused:
        parse(text(**changes))
    assert says in refused.value.diagnostic.message
    assert refused.value.diagnostic.loc is not None


@pytest.mark.parametrize(
    ("destination", "result", "says"),
    [
        (T, "tensor<64x64xf32>", "result is tensor<64x64xf32>, its destination tensor<64x96xf32>"),
        ("tensor<64x64xf32>", "tensor<64x64xf32>", "input is tensor<64x96xf32>, destination tensor<64x64xf32>"),
    ],
)
def test_an_ill_formed_change_of_layout_is_refused(destination: str, result: str, says: str):
    module = f"""func.func @f(%a: {T}, %e: {destination}) {{
      %0 = "ttir.to_layout"(%a, %e) : ({T}, {destination}) -> {result}
      return
    }}"""
    with CONTEXT, ir.Location.unknown(), pytest.raises(InvalidIRError) as refused:
        parse(module)
    assert says in refused.value.diagnostic.message


def test_a_change_of_layout_without_a_destination_is_refused():
    module = f"""func.func @f(%a: {T}) {{
      %0 = "ttir.to_layout"(%a) : ({T}) -> {T}
      return
    }}"""
    with CONTEXT, ir.Location.unknown(), pytest.raises(InvalidIRError, match="takes an input and a destination"):
        parse(module)


@st.composite
def regions(draw: st.DrawFn) -> tuple[LoopNest, tuple[TensorType, ...], TensorType]:
    """Elementwise programs on one to three inputs, each whole or broadcast along some dimensions."""
    out = TensorType(tuple(draw(st.lists(st.sampled_from((1, 3, 33, 64)), min_size=1, max_size=4))), DType.F32)
    count = draw(st.integers(1, 3))
    inputs, maps = [], []
    for _ in range(count):
        kept = [draw(st.booleans()) for _ in out.shape]
        inputs.append(out.with_shape(tuple(e if k else 1 for e, k in zip(out.shape, kept, strict=True))))
        maps.append(IndexingMap(tuple(i if k else None for i, k in enumerate(kept))))
    body: list[TileOp] = []
    for i in range(draw(st.integers(1, 5))):
        known = [*range(count), *range(count + 1, count + 1 + i)]
        pick = st.sampled_from(known)
        name = draw(st.sampled_from(("exp", "leaky_relu", "add", "eq", "where")))
        args = tuple(draw(pick) for _ in range({"add": 2, "eq": 2, "where": 3}.get(name, 1)))
        attributes = {"leaky_relu": (("parameter", 0.5),), "eq": (("dtype", DType.F32),)}.get(name, ())
        body.append(TileOp(name, args, attributes=attributes))
    rank = out.rank
    everything = IndexingMap(tuple(range(rank)))
    domain = tuple(
        e if any(i in m.loops for m in (*maps, everything)) else 1 for i, e in enumerate(tile_shape(out.shape))
    )
    dispatch = LoopNest(domain, (Iterator.PARALLEL,) * rank, tuple(maps), (everything,), tuple(body))
    return dispatch, tuple(inputs), out


@given(regions())
def test_any_region_comes_back(region: tuple[LoopNest, tuple[TensorType, ...], TensorType]):
    dispatch, inputs, out = region
    with CONTEXT, ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("f", ([tensor_type(t) for t in inputs], []))
            with ir.InsertionPoint(function.add_entry_block()):
                build_generic(dispatch, list(function.arguments), out)
                func.ReturnOp([])
        again = parse(print_module(module))
        op = again.body.operations[0].regions[0].blocks[0].operations[1].operation
        assert read_nest(op) == dispatch
    assert Generic(inputs=inputs, program=dispatch, type=out).results == (out,)
