"""Changes of layout that several ops ask for alike are made once."""

import numpy as np
import torch
from torch import nn
from transformers import MistralConfig, MistralForCausalLM

import ttstack
from ttstack_runtime.memory_check import check_memory

X, W = "tensor<32x896xbf16>", "tensor<896x4864xbf16>"
WIDE = "tensor<32x4864xbf16>"
GATED = f"""
func.func @f(%x: {X}, %n: tensor<896xbf16>, %a: {W}, %b: {W}) -> {WIDE} {{
  %e = "ttir.exp"(%x) : ({X}) -> {X}
  %0 = "ttir.rms_norm"(%e, %n) {{normalized_shape = array<i64: 896>, epsilon = 1.0e-5 : f32,
    operandSegmentSizes = array<i32: 1, 1, 0>}} : ({X}, tensor<896xbf16>) -> {X}
  %1 = "ttir.matmul"(%0, %a) : ({X}, {W}) -> {WIDE}
  %2 = "ttir.matmul"(%0, %b) : ({X}, {W}) -> {WIDE}
  %3 = "ttir.multiply"(%1, %2) : ({WIDE}, {WIDE}) -> {WIDE}
  return %3 : {WIDE}
}}"""


def placed(text: str, *, without: str | None = None) -> ttstack.Program:
    """The program with the norm in shards and the products on pages, as they are in a step of decoding."""
    norm = {"location": "*", "name": "rms_norm", "layout": "block_sharded", "grid": [1, 7]}
    product = {"location": "*", "name": "matmul", "operands": [{"layout": "interleaved"}, None]}
    return ttstack.compile(text, overrides={"ops": [norm, product]}, without=without)


def changes(program: ttstack.Program) -> list[str]:
    """What becomes of the norm's shards, by the layouts that they are given."""
    function = program.function()
    norm = next(op for op in function.operations if op.name == "rms_norm")
    moved = (op for op in function.operations if op.name == "to_layout" and op.operands == norm.results)
    return [str(function.device_op(op).results[0]) for op in moved]


def test_gate_and_up_read_one_copy_of_a_norm():
    shared, apart = placed(GATED), placed(GATED, without="share-layouts")
    assert len(changes(shared)) == 1
    assert changes(apart) == 2 * changes(shared)
    assert shared.cost().total_ns < apart.cost().total_ns
    check_memory(shared.function(), shared.binary.system_desc.chips[0])
    inputs = {n: np.random.default_rng(0).standard_normal(t.shape, np.float32) for n, t in shared.inputs().items()}
    (got,), (want,) = (p.run(inputs).outputs.values() for p in (shared, apart))
    np.testing.assert_array_equal(got, want)


KEPT = (
    GATED.replace("%3 : ", "%4 : ")
    .replace(
        "return",
        f"""%5 = "ttir.matmul"(%0, %c) : ({X}, tensor<896x896xbf16>) -> {X}
  %6 = "ttir.add"(%0, %5) : ({X}, {X}) -> {X}
  %4 = "ttir.matmul"(%6, %a) : ({X}, {W}) -> {WIDE}
  return""",
    )
    .replace("%b: ", "%c: tensor<896x896xbf16>, %b: ")
)


def test_a_copy_is_no_second_tensor_in_l1_beside_one_that_is_still_read():
    """The sum reads the shards themselves, after all the products."""
    shared, apart = placed(KEPT), placed(KEPT, without="share-layouts")
    peaks = [max(op.l1_bytes for op in p.cost().ops) for p in (shared, apart)]
    assert peaks[0] <= peaks[1]


def prompt(model: nn.Module) -> torch.export.ExportedProgram:
    """The model in bf16 for 1,024 tokens."""
    tokens = torch.zeros(1, 1024, dtype=torch.int64)
    return torch.export.export(model.to(torch.bfloat16).eval(), (tokens,), {"use_cache": False})


def test_copies_are_shared_where_all_has_room_between_its_neighbours():
    """Tensors of 8 to 28 MiB leave gaps: with the copy of the last norm's operand shared, there was no room."""
    with torch.device("meta"):
        exported = prompt(MistralForCausalLM(MistralConfig(num_hidden_layers=1)))
    program = ttstack.compile(exported, precision="performance")
    check_memory(program.function(), program.binary.system_desc.chips[0])
