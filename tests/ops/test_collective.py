"""Every rule of the ops that span a mesh, as far as types alone say it: one ill-formed module each."""

import pytest

from ttstack.diagnostics import InvalidIRError
from ttstack.frontends.text import parse
from ttstack.ops import OPS
from ttstack.ops.collective import CollectiveBroadcast
from ttstack.ops.types import DType, TensorType

X = "tensor<4x32xf32>"
SUM = "reduce_type = #ttcore.reduce_type<sum>"


def module(mnemonic: str, attributes: str, result: str = X, operands: tuple[str, ...] = (X,)) -> str:
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(operands))
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    op = f'"ttir.{mnemonic}"({names}) <{{{attributes}}}> : ({", ".join(operands)}) -> {result}'
    return f"func.func @main({arguments}) -> {result} {{\n  %0 = {op}\n  return %0 : {result}\n}}"


def gather(dim: int, axis: int, result: str = "tensor<8x32xf32>") -> tuple[str, str, str]:
    return "all_gather", f"all_gather_dim = {dim} : si32, cluster_axis = {axis} : ui32", result


def scatter(attributes: str, result: str = "tensor<2x32xf32>") -> tuple[str, str, str]:
    return "reduce_scatter", f"cluster_axis = 0 : ui32, {attributes}", result


def pairs(rows: str, shape: str) -> tuple[str, str, str]:
    return "collective_permute", f"source_target_pairs = dense<{rows}> : tensor<{shape}xi64>", X


def groups(rows: str, shape: str) -> tuple[str, str, str]:
    return "collective_broadcast", f"replica_groups = dense<{rows}> : tensor<{shape}xi64>", X


def all_to_all(split: int, concat: int, count: int, rows: str = "[[0, 1]]", result: str = X) -> tuple[str, str, str]:
    dims = f"split_dim = {split} : si32, concat_dim = {concat} : si32, split_count = {count} : si32"
    return "all_to_all", f"{dims}, replica_groups = dense<{rows}> : tensor<1x2xi64>", result


def shard(dims: str, shape: str, kind: str = "devices", way: str = "full_to_shard", result: str = X):
    return (
        "mesh_shard",
        (
            f"shard_dims = array<i64: {dims}>, shard_shape = array<i64: {shape}>, "
            f"shard_type = #ttcore.shard_type<{kind}>, shard_direction = #ttcore.shard_direction<{way}>"
        ),
        result,
    )


ILL_FORMED = {
    "gather along no dimension": (gather(2, 0), "all_gather_dim 2 is out of range for rank 2"),
    "gather along no axis": (gather(0, 2), "cluster_axis is 2, the axes of a mesh are 0 and 1"),
    "gather to another rank": (gather(0, 0, "tensor<8x32x1xf32>"), "result has rank 3, input 2"),
    "gather changes another extent": (
        gather(0, 0, "tensor<8x33xf32>"),
        "result is tensor<8x33xf32>, expected tensor<8x32xf32> from tensor<4x32xf32>",
    ),
    "gather changes the element type": (
        gather(0, 0, "tensor<8x32xbf16>"),
        "result is tensor<8x32xbf16>, expected tensor<8x32xf32> from tensor<4x32xf32>",
    ),
    "gather of a part": (
        gather(0, 0, "tensor<6x32xf32>"),
        "result 6, input 4 along all_gather_dim 0: neither is a multiple of the other",
    ),
    "scatter along no dimension": (
        scatter(f"{SUM}, scatter_dim = -3 : si32"),
        "scatter_dim -3 is out of range for rank 2",
    ),
    "scatter of a part": (
        scatter(f"{SUM}, scatter_dim = 0 : si32", "tensor<3x32xf32>"),
        "result 3, input 4 along scatter_dim 0: neither is a multiple of the other",
    ),
    "scatter with no reduction": (
        scatter("reduce_type = #ttcore.reduce_type<std>, scatter_dim = 0 : si32"),
        "reduce_type is 'std', expected one of sum, max, min",
    ),
    "reduction of no kind": (
        ("all_reduce", "cluster_axis = 0 : ui32, reduce_type = #ttcore.reduce_type<var>", X),
        "reduce_type is 'var', expected one of sum, max, min",
    ),
    "reduction along no axis": (
        ("all_reduce_async", f"cluster_axis = 3 : ui32, {SUM}", X),
        "cluster_axis is 3, the axes of a mesh are 0 and 1",
    ),
    "reduction changes the shape": (
        ("all_reduce", f"cluster_axis = 0 : ui32, {SUM}", "tensor<4x31xf32>"),
        "result is tensor<4x31xf32>, inferred tensor<4x32xf32>",
    ),
    "partition along no dimension": (
        ("mesh_partition", "dim = 5 : si32", "tensor<2x32xf32>"),
        "dim 5 is out of range for rank 2",
    ),
    "pairs of three": (
        pairs("[[0, 1, 2]]", "1x3"),
        "source_target_pairs has a row [0, 1, 2] of 3 devices, expected 2",
    ),
    "a device below 0": (
        pairs("[[0, -1]]", "1x2"),
        "source_target_pairs has a row [0, -1], devices are numbered from 0",
    ),
    "two sources for one target": (
        pairs("[[0, 1], [2, 1]]", "2x2"),
        "source_target_pairs (targets) names device 1 twice in [1, 1]",
    ),
    "two targets for one source": (
        pairs("[[0, 1], [0, 2]]", "2x2"),
        "source_target_pairs (sources) names device 0 twice in [0, 0]",
    ),
    "pairs that are not a table": (
        pairs("[0, 1]", "2"),
        "attribute 'source_target_pairs' is dense<[0, 1]> : tensor<2xi64>, expected table i64",
    ),
    "a device in two groups": (
        groups("[[0, 1], [1, 2]]", "2x2"),
        "replica_groups names device 1 twice in [0, 1, 1, 2]",
    ),
    "split along no dimension": (all_to_all(2, 0, 2), "split_dim 2 is out of range for rank 2"),
    "joined along no dimension": (all_to_all(0, -3, 2), "concat_dim -3 is out of range for rank 2"),
    "no parts": (all_to_all(0, 1, 0), "split_count is 0, expected at least 1"),
    "parts that do not divide": (
        all_to_all(0, 1, 3),
        "input has 4 along split_dim 0, which 3 parts do not divide",
    ),
    "parts for another number of devices": (
        all_to_all(0, 1, 4),
        "replica_groups has a row [0, 1] of 2 devices, expected 4",
    ),
    "exchange with another result": (
        all_to_all(0, 1, 2, result="tensor<2x32xf32>"),
        "result is tensor<2x32xf32>, inferred tensor<2x64xf32>",
    ),
    "a kind of sharding that there is not": (
        shard("-1, 0", "2, 1", kind="manual"),
        "shard_type is 'manual', expected one of replicate, maximal, devices, identity",
    ),
    "a direction that there is not": (
        shard("-1, 0", "2, 1", way="sideways"),
        "shard_direction is 'sideways', expected one of full_to_shard, shard_to_full",
    ),
    "parts of too many dimensions": (
        shard("-1, 0", "2, 1, 1"),
        "shard_shape [2, 1, 1] has 3 entries, input has rank 2",
    ),
    "a dimension in no part": (shard("-1, 0", "0, 1"), "shard_shape is [0, 1], every dimension has at least 1 part"),
    "more axes than a mesh has": (
        shard("0, 1, -1", "2, 1"),
        "shard_dims [0, 1, -1] has 3 entries, a mesh has 2 axes",
    ),
    "division of no dimension": (shard("-1, 2", "2, 1"), "shard_dims [-1, 2] names dimension 2, input has rank 2"),
    "parts that do not divide the tensor": (
        shard("-1, 0", "3, 1"),
        "input has 4 along dimension 0, which 3 parts do not divide",
    ),
    "a part of another size": (
        shard("-1, 0", "2, 1", result="tensor<1x32xf32>"),
        "result is tensor<1x32xf32>, inferred tensor<2x32xf32>",
    ),
    "a whole of another size": (
        shard("-1, 0", "2, 1", way="shard_to_full", result="tensor<4x64xf32>"),
        "result is tensor<4x64xf32>, inferred tensor<8x32xf32>",
    ),
    "a copy of another size": (
        shard("-1", "1", kind="replicate", result="tensor<2x32xf32>"),
        "result is tensor<2x32xf32>, inferred tensor<4x32xf32>",
    ),
}


@pytest.mark.parametrize("case", ILL_FORMED)
def test_an_ill_formed_op_says_why(case: str):
    (mnemonic, attributes, result), message = ILL_FORMED[case]
    with pytest.raises(InvalidIRError) as refused:
        parse(module(mnemonic, attributes, result))
    assert f"'ttir.{mnemonic}' op {message}" in str(refused.value)


NORM = "cluster_axis = 1 : ui32"
WEIGHT, RESIDUAL = "operandSegmentSizes = array<i32: 1, 1, 0>", "operandSegmentSizes = array<i32: 1, 0, 1>"
NORMS = {
    "weight": (f"{NORM}, {WEIGHT}", (X, "tensor<31xf32>"), "weight has shape [31], expected [32]"),
    "residual": (
        f"{NORM}, {RESIDUAL}",
        (X, "tensor<4x1xf32>"),
        "residual is tensor<4x1xf32>, expected tensor<4x32xf32>",
    ),
    "axis": ("cluster_axis = 2 : ui32", (X,), "cluster_axis is 2, the axes of a mesh are 0 and 1"),
    "rank": (NORM, ("tensor<f32>",), "input is tensor<f32>, expected a dimension to normalise"),
}


@pytest.mark.parametrize("case", NORMS)
def test_an_ill_formed_norm_says_why(case: str):
    attributes, operands, message = NORMS[case]
    with pytest.raises(InvalidIRError) as refused:
        parse(module("distributed_rms_norm", attributes, operands[0], operands))
    assert f"'ttir.distributed_rms_norm' op {message}" in str(refused.value)


def test_a_broadcast_takes_turns_in_its_longest_group():
    x = TensorType((8, 32), DType.F32)
    ops = [OPS["collective_broadcast"].on([x], {"replica_groups": g}) for g in ((), ((0, 1, 2), (3, 4, 5)))]
    assert [op.turns for op in ops if isinstance(op, CollectiveBroadcast)] == [0, 2]
