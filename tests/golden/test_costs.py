"""The predicted terms of every op, of every memory that it can have its tensors in, and of every op between chips."""

import pytest

from tests.cost.examples import PRICED, placed
from tests.golden.conftest import Golden
from tests.golden.lines import cost_line, distinct_cost_lines
from tests.ops.sized import sized
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops import OPS, Op
from ttstack.placement import Graph, Node
from ttstack.placement.default_layouts import default_layouts
from ttstack.placement.formulate import formulate
from ttstack.placement.pricing import Candidate, Pricing
from ttstack.system_desc import ChipDesc, load

MANY = (
    "relu", "add", "matmul", "softmax", "layer_norm", "sum", "cumsum", "conv2d", "max_pool2d", "embedding",
    "permute", "reshape", "concat", "slice_static", "scaled_dot_product_attention", "tensor_train_embedding",
)  # fmt: skip
"""Ops that stand for the kinds of kernels whose operands and results can lie in several memories."""


@pytest.mark.parametrize("system", ["wormhole", "blackhole_p150"])
def test_ops_in_dram(system: str, golden: Golden) -> None:
    chip = load(system).chips[0]
    lines = distinct_cost_lines({mnemonic: placed(mnemonic, chip, 4) for mnemonic in PRICED}, chip)
    golden.check(f"costs/{system}.txt", "\n".join(lines) + "\n")


def test_ops_in_every_memory(golden: Golden) -> None:
    chip = load("wormhole").chips[0]
    lines = [cost_line(*line, chip) for mnemonic in MANY for line in _memories(mnemonic, chip)]
    golden.check("costs/memories.txt", "\n".join(lines) + "\n")


def _memories(mnemonic: str, chip: ChipDesc) -> list[tuple[str, DeviceOp]]:
    """The fastest candidate for each way to put operands and results into memories."""
    graph, at = _between_others(sized(mnemonic, 512).op)
    found = formulate(graph, default_layouts(graph), Pricing(chip), {}, l1=True, grids=True)
    step = next(step for step, node in found.nodes.items() if node == at)
    best: dict[str, Candidate] = {}
    for candidate in found.candidates[step]:
        title = f"{mnemonic}: {_where(candidate.device_op)}"
        if title not in best or candidate.ns < best[title].ns:
            best[title] = candidate
    return [(title, candidate.device_op) for title, candidate in sorted(best.items())]


def _between_others(op: Op) -> tuple[Graph, int]:
    """The op with operands that other ops make, so that they can be in L1; its weights and indices are given."""
    count = len(op.operands)
    made = [i for i, t in enumerate(op.operands) if i not in op.host_operands and i not in _weights(op)]
    values = (*op.operands, *op.results, *(op.operands[i] for i in made))
    results = tuple(range(count, count + len(op.results)))
    operands, nodes = list(range(count)), list[Node]()
    for copy, i in enumerate(made, count + len(results)):
        nodes.append(Node(OPS["relu"].on([op.operands[i]], {}), (i,), (copy,)))
        operands[i] = copy
    arguments = tuple(range(count))
    graph = Graph(values, arguments, (*nodes, Node(op, tuple(operands), results)), results, parameters=_weights(op))
    return graph, len(nodes)


def _weights(op: Op) -> tuple[int, ...]:
    takes = op.mnemonic in ("matmul", "conv2d", "embedding", "layer_norm", "tensor_train_embedding")
    return tuple(range(1, len(op.operands))) if takes else ()


def _where(device_op: DeviceOp) -> str:
    """The memories in which there are operands, and that of the results."""
    sides = (device_op.operands, device_op.results)
    return " -> ".join(", ".join(sorted(set(map(_memory, side)))) for side in sides)


def _memory(layout: Layout) -> str:
    return f"{layout.memory_space}/{layout.memory_layout.removesuffix('_sharded')}"


@pytest.mark.parametrize("system", ["wormhole_n300", "wormhole_t3000"])
def test_ops_between_chips(system: str, golden: Golden) -> None:
    desc = load(system)
    names = [name for name in PRICED if OPS[name].spans_mesh]
    lines = [cost_line(name, placed(name, desc.chips[0], 4), desc.chips[0], desc) for name in names]
    golden.check(f"costs/{system}.txt", "\n".join(lines) + "\n")
