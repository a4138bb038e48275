"""Ops on tables in Tensor-Train form: every rule of their verifiers, and what they cost."""

import pytest

from tests.ops.text import assert_refused, module
from ttstack.diagnostics import InvalidIRError
from ttstack.frontends.text import parse
from ttstack.ops import OPS
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, TensorType
from ttstack.placement import Graph, Node, place
from ttstack.system_desc import load

A, B, C = "10x1x8xf32", "5x4x12xf32", "10x6x4xf32"
CORES = [A, B, C]
TABLE = "499x16xf32"


def train(**changes: str) -> str:
    fields = {
        "rows": "499",
        "columns": "16",
        "row_factors": "[10, 5, 10]",
        "column_factors": "[2, 2, 4]",
        "ranks": "[1, 4, 6, 1]",
        "element": "f32",
    } | changes
    return f"train = #tt.tensor_train<{{{', '.join(f'{k} = {v}' for k, v in fields.items() if v)}}}>"


SHAPES = [
    (train(rows="501"), "row factors [10, 5, 10] make 500 rows, fewer than 501"),
    (train(columns="17"), "column factors [2, 2, 4] make 16 columns, not 17"),
    (train(ranks="[2, 4, 6, 1]"), "ranks begin and end with 1: [2, 4, 6, 1]"),
    (train(ranks="[1, 4, 6, 2]"), "ranks begin and end with 1"),
    (train(ranks="[1, 21, 6, 1]"), "ranks [1, 21, 6, 1] exceed the largest that these factors can need"),
    (train(ranks="[1, 4, 1]"), "3 row factors need as many column factors and one rank more"),
    (train(ranks="[1, 0, 6, 1]"), "factors and ranks are at least 1"),
    (train(column_factors="[4, 4]"), "there are 2 and 4"),
    (train(element="i32"), "element type i32 of a Tensor-Train is not a real number"),
    (train(element='"f32"'), 'element of a tensor_train is "f32", no type'),
    (train(rows='"many"'), "rows of a tensor_train is many, not a whole number"),
    (train(ranks="4"), "ranks of a tensor_train is 4, not whole numbers"),
    (train(ranks=""), "a tensor_train lacks ranks"),
    (train(colour="1"), "a tensor_train has no field colour"),
    ("train = 3 : i32", "attribute 'train' is 3 : i32, expected tensor_train"),
    ("", "requires attribute 'train'"),
]


@pytest.mark.parametrize(("attribute", "says"), SHAPES)
def test_a_train_describes_a_table(attribute: str, says: str):
    assert_refused(module("tensor_train_embedding", attribute, ["7xi64", *CORES], ["7x16xf32"]), says)


LOOKUPS = [
    (["7xi64", A, B], "7x16xf32", "has 2 cores, the train has 3"),
    (["7xi64", *CORES, C], "7x16xf32", "has 4 cores, the train has 3"),
    (["7xi64", "10x8xf32", B, C], "7x16xf32", "core 0 is tensor<10x8xf32>, the train's is tensor<10x1x8xf32>"),
    (["7xi64", A, "5x4x12xbf16", C], "7x16xf32", "core 1 is tensor<5x4x12xbf16>, the train's is tensor<5x4x12xf32>"),
    (["7xf32", *CORES], "7x16xf32", "indices is f32, not an integer"),
    (["7xi1", *CORES], "7x16xf32", "indices are i1, not integers"),
    (["7xi64", *CORES], "7x8xf32", "result is tensor<7x8xf32>, inferred tensor<7x16xf32>"),
    (["7x2xi64", *CORES], "7x16xf32", "inferred tensor<7x2x16xf32>"),
]


@pytest.mark.parametrize(("operands", "result", "says"), LOOKUPS)
def test_a_lookup_takes_integers_and_the_cores(operands: list[str], result: str, says: str):
    assert_refused(module("tensor_train_embedding", train(), operands, [result]), says)


BAGS = [
    ("", ["7xi64", *CORES], "indices of one dimension need offsets after the cores"),
    ("", ["7x2xi64", *CORES, "7x2xf32", "7xi64"], "has 2 operands after the cores, takes per-sample weights"),
    ("", ["7xi64", *CORES, "7xf32"], "offsets is f32, not an integer"),
    ("", ["7xi64", *CORES, "1x7xi64"], "offsets have rank 2, not 1"),
    ("", ["7x2xi64", *CORES, "7x3xf32"], "per_sample_weights [7, 3] differ from input [7, 2]"),
    ("", ["2x7x2xi64", *CORES], "input has rank 3, needs 2 here"),
    ('mode = "mean", ', ["7x2xi64", *CORES, "7x2xf32"], "per_sample_weights need mode 'sum', not 'mean'"),
    ('mode = "max", ', ["7x2xi64", *CORES, "7x2xf32"], "per_sample_weights need mode 'sum', not 'max'"),
    ('mode = "min", ', ["7x2xi64", *CORES], "mode is 'min', not sum, mean or max"),
    ("padding_idx = 499 : i64, ", ["7x2xi64", *CORES], "padding_idx 499 is not a row of the table"),
    ("padding_idx = -2 : i64, ", ["7x2xi64", *CORES], "padding_idx -2 is not a row of the table"),
]


@pytest.mark.parametrize(("attributes", "operands", "says"), BAGS)
def test_a_bag_follows_the_rules_of_dense_ones(attributes: str, operands: list[str], says: str):
    text = module("tensor_train_embedding_bag", attributes + train(), operands, ["7x16xf32"])
    assert_refused(text, says)


OTHERS = [
    ("decompose", ["499x8xf32"], CORES, train(), "weight [499, 8] is not the train's [499, 16]"),
    ("decompose", ["499x16xi32"], CORES, train(), "weight is i32, no real number"),
    ("decompose", [TABLE], CORES[:2], train(), "has 2 results, infers 3"),
    ("decompose", [TABLE], [A, C, B], train(), "cores 1 is tensor<10x6x4xf32>, inferred tensor<5x4x12xf32>"),
    ("reconstruct", CORES, ["500x16xf32"], train(), "result is tensor<500x16xf32>, inferred tensor<499x16xf32>"),
    (
        "reconstruct",
        ["10000x1x32xf32", "10000x4x16xf32"],
        ["100000000x128xf32"],
        train(
            rows="100000000",
            columns="128",
            row_factors="[10000, 10000]",
            column_factors="[8, 16]",
            ranks="[1, 4, 1]",
        ),
        "more than 67,108,864 elements: look rows up instead",
    ),
]


@pytest.mark.parametrize(("name", "operands", "results", "attribute", "says"), OTHERS)
def test_the_way_in_and_the_way_out(name: str, operands: list[str], results: list[str], attribute: str, says: str):
    assert_refused(module(f"tensor_train_{name}", attribute, operands, results), says)


@pytest.mark.parametrize("element", ["f32", "bf16"])
def test_a_decomposition_may_change_the_element_type(element: str):
    cores = [core.replace("f32", element) for core in CORES]
    parse(module("tensor_train_decompose", train(element=element), [TABLE], cores))


@pytest.mark.parametrize("offsets", ["[1, 2]", "[0, 3, 2]", "[0, 8]"])
@pytest.mark.parametrize("op", ["embedding_bag", "tensor_train_embedding_bag"])
def test_constant_offsets_ascend_from_0(op: str, offsets: str):
    count = offsets.count(",") + 1
    dense = op == "embedding_bag"
    table = f"%t: tensor<{TABLE}>" if dense else ", ".join(f"%c{i}: tensor<{t}>" for i, t in enumerate(CORES))
    names, types = ("%t", [TABLE]) if dense else ("%c0, %c1, %c2", CORES)
    attributes = "" if dense else train()
    spelled = f"%i, {names}, %o"
    types = ", ".join(f"tensor<{t}>" for t in ["7xi64", *types, f"{count}xi64"])
    text = f"""func.func @f(%i: tensor<7xi64>, {table}) -> tensor<{count}x16xf32> {{
      %o = "ttir.constant"() {{value = dense<{offsets}> : tensor<{count}xi64>}} : () -> tensor<{count}xi64>
      %0 = "ttir.{op}"({spelled}) {{{attributes}}} : ({types}) -> tensor<{count}x16xf32>
      return %0 : tensor<{count}x16xf32>
    }}"""
    with pytest.raises(InvalidIRError, match="do not ascend from 0 to the 7 indices"):
        parse(text)


@pytest.mark.parametrize("count", [1, 4096, 1_000_000])
@pytest.mark.parametrize("rank", [1, 32, 256])
def test_lookups_fit_l1_whatever_their_number_and_rank(count: int, rank: int):
    train = TensorTrainType.of(1_000_000, 256, [100] * 3, [4, 8, 8], [1, rank, rank, 1], DType.F32)
    op = OPS["tensor_train_embedding"].on([TensorType((count,), DType.UI32), *train.cores], {"train": train})
    operands = tuple(range(len(op.operands)))
    node = Node(op, operands, (len(operands),))
    chip = load("wormhole").chips[0]
    (step,) = place(Graph((*op.operands, *op.results), operands, (node,), node.results, operands[1:]), chip).steps
    assert 0 < step.circular_buffer_bytes <= chip.l1_usable_bytes
