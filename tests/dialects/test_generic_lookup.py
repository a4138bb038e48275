"""`ttir.generic` that picks slices by an index: what is well-formed, and what the device has."""

import pytest

from ttstack.compiler import compile_module
from ttstack.diagnostics import InvalidIRError, UnsupportedOpError
from ttstack.dialects.context import new_context
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.program.records import Binary

T, I = "!tt.tile<[32, 32], f32>", "!tt.tile<[32, 32], i64>"
PICKS = ["affine_map<(d0)[s0] -> (s0 floordiv 5, 0, 0)>", "affine_map<(d0)[s0] -> (s0 mod 5, 0, 0)>"]
MAPS = ["affine_map<(d0) -> (d0)>", *PICKS, "affine_map<(d0) -> (d0, 0)>"]


def text(**changes: str) -> str:
    parts = {
        "access": '["gather", "indirect", "indirect", "gather"]',
        "maps": ", ".join(MAPS),
        "bound": "index_bound = 49 : i64, ",
        "group": "{columns = 2 : i64}",
        "index": "tensor<40xi64>",
        "slices": "tensor<5x4x3xf32>",
    } | changes
    types = f"{parts['index']}, tensor<10x1x8xf32>, {parts['slices']}, tensor<40x6xf32>"
    return f"""func.func @f(%i: {parts["index"]}, %a: tensor<10x1x8xf32>, %b: {parts["slices"]}) -> tensor<40x6xf32> {{
      %e = "ttir.empty"() : () -> tensor<40x6xf32>
      %0 = "ttir.generic"(%i, %a, %b, %e) ({{
      ^bb0(%ids: {I if "i64" in parts["index"] else T}, %first: {T}, %second: {T}, %out: {T}):
        %1 = "ttir.tile_group"(%first) {parts["group"]} : ({T}) -> {T}
        %2 = "ttir.tile_matmul"(%1, %second, %out) : ({T}, {T}, {T}) -> {T}
        "ttir.yield"(%2) : ({T}) -> ()
      }}) {{access = {parts["access"]}, indexing_maps = [{parts["maps"]}], {parts["bound"]}
           iterator_types = ["parallel"]}} : ({types}) -> tensor<40x6xf32>
      return %0 : tensor<40x6xf32>
    }}"""


def compiled(**changes: str) -> Binary:
    with new_context(), ir.Location.unknown():
        return compile_module(parse(text(**changes)), CompileOptions(), weights={}).binary


def test_slices_picked_by_digits_and_a_product_are_a_lookup():
    (op,) = (op for op in compiled().functions[0].operations if op.name != "to_layout")
    assert op.name == "tensor_train_embedding"
    plan = op.attributes["train"].plan
    assert (plan.rows, plan.cols, plan.row_factors) == (49, 6, (10, 5))
    assert (plan.col_factors, plan.ranks) == ((2, 3), (1, 4, 1))


ILL_FORMED = [
    ({"bound": ""}, "operand 1 is gathered by an index, so its access must be 'indirect' and the op needs index_bound"),
    (
        {"access": '["gather", "local", "indirect", "gather"]'},
        "operand 1 is gathered by an index, so its access must be",
    ),
    ({"bound": "index_bound = 0 : i64, "}, "index_bound is 0, of operand 0, tensor<40xi64>: it bounds integers"),
    ({"index": "tensor<40xf32>"}, "index_bound is 49, of operand 0, tensor<40xf32>: it bounds integers"),
    ({"slices": "tensor<6x4x3xf32>"}, "operand 2 has 6 slices, its map picks one of 5"),
    ({"group": ""}, "'ttir.tile_group' requires attribute 'columns'"),
    ({"maps": ", ".join(MAPS).replace("mod 5", "* 5")}, "is not a projection of the loops"),
]


@pytest.mark.parametrize(("changes", "says"), ILL_FORMED)
def test_an_ill_formed_pick_is_refused(changes: dict[str, str], says: str):
    with new_context(), ir.Location.unknown(), pytest.raises(InvalidIRError) as refused:
        parse(text(**changes))
    assert says in refused.value.diagnostic.message


NO_LOOKUPS = [
    ({"group": "{columns = 3 : i64}"}, "the region is not a chain of products of its cores"),
    ({"slices": "tensor<5x2x3xf32>"}, "the region is not a chain of products of its cores"),
    (
        {"slices": "tensor<5x3xf32>", "maps": ", ".join(MAPS).replace("mod 5, 0, 0", "mod 5, 0")},
        "an index picks from cores of a train, which have three dimensions",
    ),
    ({"bound": "index_bound = 51 : i64, "}, "row factors [10, 5] make 50 rows, fewer than 51"),
]


@pytest.mark.parametrize(("changes", "why"), NO_LOOKUPS)
def test_a_pick_that_is_no_lookup_is_refused_before_it_is_placed(changes: dict[str, str], why: str):
    with pytest.raises(UnsupportedOpError, match="is not a lookup that the device has") as refused:
        compiled(**changes)
    assert why in refused.value.diagnostic.notes[0]
