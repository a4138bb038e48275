"""Cores of trains in L1: copies on every core, slices on their owners, pages over all, or DRAM where they do not fit."""

from dataclasses import replace

import numpy as np
import pytest

from tests.placement.compiled import compiled
from ttstack.cost import predict
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.ops.tensor_train import TensorTrainLookup
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, TensorType
from ttstack.options.choices import Policy
from ttstack.placement import Graph, Node, PlacementOptions, place
from ttstack.placement.default_layouts import default_layouts
from ttstack.placement.explain import explain
from ttstack.placement.graph_from_program import overrides_of
from ttstack.placement.l1_parameters import SHARE, resident
from ttstack.placement.overrides import Overrides
from ttstack.program.records import Binary
from ttstack.program.validate import validate_binary
from ttstack.system_desc import load
from ttstack_runtime.executor import execute

WORMHOLE = load("wormhole")
CHIP = WORMHOLE.chips[0]


def lookup(count: int, factors: tuple[int, ...], rank: int) -> TensorTrainLookup:
    train = TensorTrainType.of(int(np.prod(factors)), 64, factors, (2, 1, 32), (1, rank, rank, 1), DType.BF16)
    op = OPS["tensor_train_embedding"].on([TensorType((count,), DType.UI32), *train.cores], {"train": train})
    assert isinstance(op, TensorTrainLookup)
    return op


def graph(*ops: TensorTrainLookup) -> Graph:
    """Lookups side by side, each in cores of its own."""
    arguments = [t for op in ops for t in op.operands]
    values, nodes, parameters = list(arguments), [], []
    start = 0
    for op in ops:
        operands = tuple(range(start, start + len(op.operands)))
        nodes.append(Node(op, operands, (len(values),)))
        parameters += operands[1:]
        values += op.results
        start += len(operands)
    outputs = tuple(node.results[0] for node in nodes)
    return Graph(tuple(values), tuple(range(len(arguments))), tuple(nodes), outputs, tuple(parameters))


def cores_of(op: TensorTrainLookup, policy: Policy = Policy.GREEDY) -> list[Layout]:
    (step,) = place(graph(op), CHIP, PlacementOptions(placement=policy)).steps
    return list(step.device_op.operands[1:])


def test_a_small_first_core_has_a_copy_everywhere():
    first, *_ = cores_of(lookup(4096, (100, 100, 100), 32))
    assert first == Layout(DType.BF16, False, MemorySpace.L1, MemoryLayout.REPLICATED, Grid(8, 8))


@pytest.mark.parametrize("factors", [(100, 64, 128), (300, 300, 300), (40, 5000, 5000)])
def test_no_other_place_of_a_core_is_predicted_to_be_faster(factors: tuple[int, ...]):
    op = lookup(4096, factors, 32)
    (step,) = place(graph(op), CHIP).steps
    chosen = step.device_op
    offered = resident(graph(op), default_layouts(graph(op)), CHIP)
    home = [Layout(DType.BF16, False), Layout(DType.BF16), Layout(DType.BF16)]
    for position in (1, 2, 3):
        for layout in (home[position - 1], *offered.get(position, ())):
            operands = tuple(layout if i == position else o for i, o in enumerate(chosen.operands))
            assert predict(chosen, CHIP).total_ns <= predict(replace(chosen, operands=operands), CHIP).total_ns


def test_slices_of_an_owner_are_not_read():
    op = lookup(4096, (100, 64, 128), 32)
    (step,) = place(graph(op), CHIP).steps
    spread = [MemoryLayout.INTERLEAVED, MemoryLayout.HEIGHT_SHARDED]
    device = Grid(8, 8)
    layouts = [Layout(DType.BF16, True, MemorySpace.L1, kind, device if i else None) for i, kind in enumerate(spread)]
    pages, slices = (
        predict(replace(step.device_op, operands=(*step.device_op.operands[:2], of, of)), CHIP) for of in layouts
    )
    assert slices.noc_bytes < pages.noc_bytes
    assert slices.total_ns < pages.total_ns


@pytest.mark.parametrize("count", [1, 8, 40, 100])
def test_what_is_resident_leaves_room_for_the_buffers_of_ops(count: int):
    tables = graph(*[lookup(512, (200, 200, 200), 32)] * count)
    offered = resident(tables, default_layouts(tables), CHIP)
    most = {v: max(of.bank_bytes(tables.values[v], 64) for of in layouts) for v, layouts in offered.items()}
    assert sum(most.values()) <= SHARE * CHIP.l1_usable_bytes
    copied = [layouts for layouts in offered.values() if layouts[-1].memory_layout is MemoryLayout.REPLICATED]
    assert bool(copied) == (count < 40)
    assert (len(offered) < len(tables.parameters)) == (count == 100)


TRAIN = "{train = #tt.tensor_train<{rows = 30000, columns = 64, row_factors = [30, 32, 32], column_factors = [2, 1, 32], ranks = [1, 32, 32, 1], element = f32}>}"
CORES = ["30x1x64", "32x32x32", "32x32x32"]
TEXT = f"""func.func @f(%i: tensor<256xi64>, {
    ", ".join(
        f'%c{k}: tensor<{core}xf32> {{tt.argument_type = #tt.argument_type<"parameter">, ttir.name = "t.core{k}"}}'
        for k, core in enumerate(CORES)
    )
}) -> tensor<256x64xf32> {{
  %0 = "ttir.tensor_train_embedding"(%i, %c0, %c1, %c2) {TRAIN} : (tensor<256xi64>, {
    ", ".join(f"tensor<{c}xf32>" for c in CORES)
}) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}}"""


def filled(binary: Binary) -> Binary:
    rng = np.random.default_rng(0)
    values = {n: rng.standard_normal(w.type.shape).astype(np.float32) for n, w in binary.weights.items()}
    return replace(binary, weights={n: replace(w, data=values[n]) for n, w in binary.weights.items()})


def test_a_program_runs_wherever_the_cores_lie_and_gives_the_same_values():
    ids = {"arg0": np.arange(256) * 117}
    near, far = (filled(compiled(TEXT, WORMHOLE, placement=policy)) for policy in ("greedy", "dram"))
    assert near.tables[0].cores != far.tables[0].cores == ("dram/interleaved",) * 3
    assert "l1/replicated" in (near.tables[0].cores or ())
    for binary in (near, far):
        validate_binary(binary)
    np.testing.assert_array_equal(execute(near, ids)["output"], execute(far, ids)["output"])


def test_overrides_of_a_program_give_the_same_program():
    binary = compiled(TEXT, WORMHOLE)
    asked: Overrides = overrides_of(binary.functions[0])
    assert compiled(TEXT, WORMHOLE, overrides=asked).functions == binary.functions


def test_alternatives_of_a_lookup_put_its_cores_elsewhere():
    binary = compiled(TEXT, WORMHOLE)
    chosen, *others = explain(binary.functions[0], 0, CHIP, WORMHOLE)
    assert chosen.more_ns == 0
    assert {o.device_op.operands[1].memory_layout for o in others} >= {MemoryLayout.INTERLEAVED}
    assert all(0 <= other.more_ns < np.inf for other in others)
