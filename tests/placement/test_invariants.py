"""What holds of every placed program, on any function and any device."""

import os
import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ttstack
from tests.placement.compiled import compiled_or_none, computed
from tests.placement.devices import GRIDS, KIB, device, devices
from tests.placement.functions import functions
from ttstack.device.layout import MemoryLayout, MemorySpace
from ttstack.ops import OPS
from ttstack.program.buffers import live_bytes
from ttstack.program.records import Binary, Function, Operation, TensorKind
from ttstack.program.validate import validate_binary
from ttstack.system_desc import SystemDesc, loads
from ttstack_runtime.executor import execute
from ttstack_runtime.inputs import random_inputs, random_weights
from ttstack_runtime.memory_check import check_memory


@settings(max_examples=25)
@given(text=functions(), chip=devices())
def test_memory_holds_and_values_are_those_of_the_source(text: str, chip: SystemDesc):
    _check_compiled(text, chip, "greedy")


@settings(max_examples=10)
@given(text=functions(most=6), chip=devices())
def test_memory_holds_under_the_optimal_placement(text: str, chip: SystemDesc):
    _check_compiled(text, chip, "optimal")


def _check_compiled(text: str, chip: SystemDesc, placement: str) -> None:
    # Products of parameters and the parts of float32 tables are parameters that the source does not have.
    without = ["reassociate-multiplies", "split-float32-tables"]
    if (binary := compiled_or_none(text, chip, placement=placement, without=without)) is None:
        return
    validate_binary(binary)
    (function,) = binary.functions
    check_memory(function, chip.chips[0])
    assert max(live_bytes(function, chip.chips[0]), default=0) <= chip.chips[0].l1_usable_bytes
    _check_layouts(function)
    _check_values(binary, text)


def _check_layouts(function: Function) -> None:
    outputs = {o.tensor for o in function.outputs}
    for tensor in function.tensors:
        if tensor.id in outputs or tensor.kind is not TensorKind.INTERMEDIATE:
            assert tensor.layout.memory_space is MemorySpace.DRAM
            assert tensor.layout.memory_layout is MemoryLayout.INTERLEAVED
    for operation in function.operations:
        if operation.name not in ("to_layout", "deallocate"):
            _check_operands(function, operation)


def _check_operands(function: Function, operation: Operation) -> None:
    """Indices and tables come in rows, from DRAM; everything else in tiles, and shards as the op goes over them."""
    spec = OPS[operation.name]
    for name, operand in zip(spec.operand_specs(), operation.operands, strict=False):
        if operand is None:
            continue
        layout = function.tensors[operand].layout
        in_rows = name in spec.host_indices
        assert layout.tiled != in_rows
        assert not in_rows or layout.memory_space is MemorySpace.DRAM
        view = function.tensors[operation.results[0]].alias is not None
        assert not layout.sharded or view or layout.grid == operation.grid


def _check_values(binary: Binary, text: str) -> None:
    (function,) = binary.functions
    inputs = random_inputs(function)
    binary = random_weights(binary)
    weights = {name: w.data for name, w in binary.weights.items()}
    arguments = {
        t.name: inputs.get(t.name, weights.get(t.name)) for t in map(function.tensors.__getitem__, function.inputs)
    }
    want = computed(text, {n: a for n, a in arguments.items() if a is not None and "constant" not in n})
    got = execute(binary, inputs)
    for have, right in zip(got.values(), want, strict=True):
        # Fusion rounds once where the source rounds twice.
        tolerance = 1e-4 if right.dtype == np.float32 else 0.06
        scale = max(1.0, float(np.abs(right.astype(np.float32)).max(initial=0)))
        np.testing.assert_allclose(have.astype(np.float32), right.astype(np.float32), rtol=0, atol=tolerance * scale)


@settings(max_examples=8)
@given(text=functions(), chip=devices())
def test_policy_dram_leaves_l1_to_circular_buffers(text: str, chip: SystemDesc):
    if (binary := compiled_or_none(text, chip, placement="dram")) is None:
        return
    (function,) = binary.functions
    assert {t.layout.memory_space for t in function.tensors} == {MemorySpace.DRAM}


@settings(max_examples=8)
@given(text=functions(), chip=devices())
def test_one_source_gives_one_program(text: str, chip: SystemDesc):
    assert compiled_or_none(text, chip) == compiled_or_none(text, chip)


@settings(max_examples=15)
@given(text=functions(most=5), grid=st.sampled_from(((1, 1), (8, 8))))
def test_no_l1_is_one_error_that_says_what_is_missing(text: str, grid: tuple[int, int]):
    if (binary := compiled_or_none(text, device(grid, usable=64))) is not None:
        assert not [op for op in binary.functions[0].operations if op.results and not _is_view(binary, op)]


def _is_view(binary: Binary, operation: Operation) -> bool:
    return binary.functions[0].tensors[operation.results[0]].alias is not None


@settings(max_examples=8)
@given(text=functions(), grid=st.sampled_from(GRIDS))
def test_more_l1_compiles_what_less_does(text: str, grid: tuple[int, int]):
    fits = [compiled_or_none(text, device(grid, kib * KIB)) is not None for kib in (32, 64, 128, 1328)]
    assert fits == sorted(fits)


def test_one_source_gives_one_program_in_every_process():
    assert _digest("0") == _digest("1")


def _digest(seed: str) -> str:
    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "tests.placement.digest"]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def test_the_last_bytes_of_l1_are_used():
    """Tiles of f32 that are concatenated pass through a buffer of two, 8,192 bytes: all that there are."""
    operands = [f"%a{i}" for i in range(16)]
    tile = "tensor<32x32xf32>"
    text = (
        f"func.func @f({', '.join(f'{x}: {tile}' for x in operands)}) -> tensor<32x512xf32> {{\n"
        f'  %r = "ttir.concat"({", ".join(operands)}) <{{dim = 1 : si32}}> '
        f": ({', '.join([tile] * 16)}) -> tensor<32x512xf32>\n  return %r : tensor<32x512xf32>\n}}\n"
    )
    size = 103712 + 32768 + 8192
    chip = loads(f"name: small\nchips:\n  - {{base: wormhole, l1: {{size_bytes: {size}}}}}\n")
    assert ttstack.compile(text, system_desc=chip).function().operations[0].circular_buffer_bytes == 8192
