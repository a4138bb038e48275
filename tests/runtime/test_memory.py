"""Every fault of a program's addresses and schedule, and the memory that a good one takes."""

import numpy as np
import pytest

from ttstack.buffers.memory import Memory
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.diagnostics import ExecutionError
from ttstack.ops.types import DType
from ttstack.program.buffers import live_bytes
from ttstack_runtime.executor import execute
from ttstack_runtime.lifetimes import ends
from ttstack_runtime.memory import Buffer, Moment, SimulatedMemory
from ttstack_runtime.memory_check import check_memory

L1 = Layout(DType.F32, tiled=True, memory_space=MemorySpace.L1)
TILE = 4096
"""Bytes of an f32 tile."""


def fault(b, inputs=("x",)):
    """The rendered error of running the program."""
    shapes = {t.name: t.type.shape for t in b.tensors}
    with pytest.raises(ExecutionError) as e:
        execute(b.binary(), {name: np.zeros(shapes[name], np.float32) for name in inputs})
    return str(e.value)


def test_overlap_names_both_sides(b):
    x = b.input("x", (32, 32), layout=L1, address=200_000)
    b.output(b.op("exp", [x], (32, 32), layout=L1, address=200_000 + TILE - 32, name="y"))
    text = fault(b)
    assert "exp: tensor 'y' overlaps tensor 'x' in a core's L1" in text
    assert "--> model.py:1" in text
    assert "tensor 'y' takes 0x31d20 to 0x32d20, 4096 bytes" in text
    assert "tensor 'x' takes 0x30d40 to 0x31d40, 4096 bytes" in text


def test_overlap_with_the_buffer_above(b):
    x = b.input("x", (32, 32), layout=L1, address=200_000)
    b.output(b.op("exp", [x], (32, 32), layout=L1, address=200_000 - 32, name="y"))
    assert "tensor 'y' overlaps tensor 'x'" in fault(b)


def test_neighbours_do_not_overlap(b):
    x = b.input("x", (32, 32), layout=L1, address=200_000)
    y = b.op("exp", [x], (32, 32), layout=L1, address=200_000 - TILE)
    b.output(b.op("exp", [y], (32, 32), layout=L1, address=200_000 + TILE))
    check_memory(b.function(), b.chip)
    assert max(live_bytes(b.function(), b.chip)) == 3 * TILE


@pytest.mark.parametrize("space", [MemorySpace.DRAM, MemorySpace.L1])
@pytest.mark.parametrize("above", [False, True])
def test_bounds(b, space, above):
    chip = b.chip
    base, end = {MemorySpace.L1: (chip.l1_base, chip.l1_end)}.get(space, (chip.dram_base, chip.dram_end))
    layout = L1.interleaved(space)
    x = b.input("x", (32, 32))
    address = end - TILE + 32 if above else base - 32
    b.output(b.op("exp", [x], (32, 32), layout=layout, address=address, name="y"))
    text = fault(b)
    assert "exp: tensor 'y' lies outside of" in text
    assert f"is {base:#x} to {end:#x}, {end - base} bytes" in text


def test_circular_buffers_take_the_bottom_of_l1_while_the_op_runs(b):
    x = b.input("x", (32, 32), layout=L1, address=b.chip.l1_base + 1024)
    b.op("exp", [x], (32, 32), record={"circular_buffer_bytes": 1024})
    b.output(b.op("sin", [x], (32, 32), record={"circular_buffer_bytes": 1056}))
    text = fault(b)
    assert "sin: circular buffers of sin overlaps tensor 'x'" in text
    assert "1056 bytes" in text


def test_circular_buffers_beyond_l1(b):
    x = b.input("x", (32, 32))
    b.output(b.op("exp", [x], (32, 32), record={"circular_buffer_bytes": b.chip.l1_usable_bytes + 32}))
    assert "exp: circular buffers of exp lies outside of a core's L1" in fault(b)


def test_read_after_deallocate(b):
    x = b.input("x", (32, 32))
    b.op("deallocate", [x])
    b.output(b.op("exp", [x], (32, 32)))
    text = fault(b)
    assert "exp: tensor 'x' was deallocated before" in text
    assert "--> model.py:2" in text


def test_read_of_a_view_after_its_buffer_ended(b):
    x = b.input("x", (32, 32))
    view = b.op("reshape", [x], (1024,), attributes={"shape": (1024,)}, alias=x, name="view")
    b.op("deallocate", [x])
    b.output(view)
    assert "outputs of forward: tensor 'view' was deallocated before" in fault(b)


def test_deallocated_twice(b):
    x = b.input("x", (32, 32))
    b.op("deallocate", [x])
    b.op("deallocate", [x])
    assert "deallocate: tensor 'x' was deallocated before" in fault(b)


def test_read_of_a_tensor_that_nothing_wrote(b):
    hole = b.tensor((32, 32), name="hole")
    b.output(b.op("exp", [hole], (32, 32)))
    assert "exp: tensor 'hole' was never written" in fault(b, inputs=())


def test_output_that_nothing_wrote(b):
    b.output(b.tensor((32, 32), name="hole"))
    assert "outputs of forward: tensor 'hole' was never written" in fault(b, inputs=())


def test_written_twice(b):
    x = b.input("x", (32, 32))
    b.op("exp", [x], (32, 32), name="y")
    b.operations.append(b.operations[0])
    assert "exp: tensor 'y' is written a second time" in fault(b)


def test_a_view_of_nothing(b):
    x, hole = b.input("x", (32, 32)), b.tensor((32, 32), name="hole")
    b.output(b.op("reshape", [x], (1024,), attributes={"shape": (1024,)}, alias=hole))
    assert "shares the buffer of tensor 'hole', which is not allocated" in fault(b)


def test_a_view_of_itself(b):
    x = b.input("x", (32, 32))
    b.output(b.op("reshape", [x], (1024,), attributes={"shape": (1024,)}, alias=1, name="y"))
    assert "reshape: tensor 'y' shares a buffer with itself" in fault(b)


def test_live_bytes_count_circular_buffers_and_what_is_released(b):
    x = b.input("x", (32, 32), layout=L1)
    y = b.op("exp", [x], (32, 32), layout=L1, record={"circular_buffer_bytes": 2048})
    view = b.op("reshape", [y], (1024,), attributes={"shape": (1024,)}, alias=y, layout=L1)
    b.op("deallocate", [x])
    b.output(b.op("sin", [view], (1024,)))
    check_memory(b.function(), b.chip)
    assert live_bytes(b.function(), b.chip) == [2 * TILE + 2048, 2 * TILE, 2 * TILE, TILE]


def test_released_addresses_can_be_taken_again(b):
    x = b.input("x", (32, 32))
    y = b.op("exp", [x], (32, 32), layout=L1, address=200_000)
    z = b.op("exp", [y], (32, 32))
    b.op("deallocate", [y])
    b.output(b.op("exp", [z], (32, 32), layout=L1, address=200_000))
    check_memory(b.function(), b.chip)
    assert live_bytes(b.function(), b.chip) == [TILE, TILE, TILE, TILE]


def test_overlap_of_inputs_without_operations(b):
    b.output(b.input("x", (32, 32), layout=L1, address=200_000), "x")
    b.output(b.input("y", (32, 32), layout=L1, address=200_000), "y")
    assert "inputs of forward: tensor 'y' overlaps tensor 'x'" in fault(b, inputs=("x", "y"))


def test_shards_take_their_own_size_and_interleaved_buffers_a_share(b):
    sharded = Layout(DType.F32, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(2, 1))
    x = b.input("x", (32 * 8, 32), layout=sharded)
    b.input("y", (32 * 24, 32), layout=L1.interleaved(MemorySpace.DRAM))
    b.op("deallocate", [x])
    assert live_bytes(b.function(), b.chip) == [4 * TILE]
    assert live_bytes(b.function(), b.chip, MemorySpace.DRAM) == [24 // b.chip.dram_banks * TILE]


def test_many_buffers_in_any_order(rng):
    memory = SimulatedMemory("a memory", Memory(1, 0, 100_000, 1))
    buffers = [Buffer(f"b{i}", i * 10, 10) for i in range(10_000)]
    shuffled = [buffers[i] for i in rng.permutation(10_000)]
    for buffer in shuffled:
        memory.allocate(buffer, Moment("op"))
    assert memory.used == 100_000
    with pytest.raises(ExecutionError, match="overlaps b77 "):
        memory.allocate(Buffer("late", 775, 1), Moment("op"))
    for buffer in shuffled[:5000]:
        memory.release(buffer)
    for buffer in shuffled[:5000]:
        memory.allocate(buffer, Moment("op"))
    assert memory.used == 100_000


def test_empty_tensors_take_nothing():
    memory = SimulatedMemory("a memory", Memory(1, 0, 10, 1))
    memory.allocate(Buffer("all", 0, 10), Moment("op"))
    memory.allocate(Buffer("empty", 5, 0), Moment("op"))
    memory.release(Buffer("empty", 5, 0))
    assert memory.used == 10


def test_lifetimes(b):
    x = b.input("x", (4,))
    unused = b.op("exp", [x], (4,))
    y = b.op("sin", [x], (4,))
    b.op("deallocate", [x])
    b.output(y)
    assert ends(b.function()) == [[unused], [x], []]


def test_a_buffer_is_needed_as_long_as_views_of_views(b):
    x = b.op("exp", [b.input("in", (32, 32))], (32, 32))
    view = b.op("reshape", [x], (1024,), attributes={"shape": (1024,)}, alias=x)
    again = b.op("reshape", [view], (1, 1024), attributes={"shape": (1, 1024)}, alias=x)
    b.output(b.op("sin", [again], (1, 1024)))
    assert ends(b.function()) == [[0], [], [view], [x, again]]
