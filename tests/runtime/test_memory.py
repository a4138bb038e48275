"""Every fault of a program's addresses and schedule, and the memory that a good one takes."""

import numpy as np
import pytest

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.diagnostics import ExecutionError
from ttstack.ops.types import DType
from ttstack.program.buffers import live_bytes
from ttstack_runtime.executor import execute
from ttstack_runtime.lifetimes import ends
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
    assert (
        "op 0 'exp': the buffers of tensor 0 'x' and the result of 'exp' at model.py:1 (tensor 1) overlap in l1" in text
    )
    assert "200,000 to 204,096 and 204,064 to 208,160" in text
    assert "--> model.py:1" in text


def test_overlap_with_the_buffer_above(b):
    x = b.input("x", (32, 32), layout=L1, address=200_000)
    b.output(b.op("exp", [x], (32, 32), layout=L1, address=200_000 - 32, name="y"))
    assert (
        "the buffers of tensor 0 'x' and the result of 'exp' at model.py:1 (tensor 1) overlap in l1, 200,000 to"
        in fault(b)
    )


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
    layout = L1.interleave(space)
    x = b.input("x", (32, 32))
    address = end - TILE + 32 if above else base - 32
    b.output(b.op("exp", [x], (32, 32), layout=layout, address=address, name="y"))
    text = fault(b)
    assert (
        f"the result of 'exp' at model.py:1 (tensor 1) is at {address:,} to {address + TILE:,} of {space}; usable addresses are {base:,} to {end:,}"
        in text
    )
    assert "--> model.py:1" in text


def test_circular_buffers_take_the_bottom_of_l1_while_the_op_runs(b):
    x = b.input("x", (32, 32), layout=L1, address=b.chip.l1_base + 1024)
    b.op("exp", [x], (32, 32), record={"circular_buffer_bytes": 1024})
    b.output(b.op("sin", [x], (32, 32), record={"circular_buffer_bytes": 1056}))
    text = fault(b)
    assert "op 1 'sin' needs 1,056 bytes of circular buffers on each core, tensor 0 'x' is at 1,024" in text
    assert "--> model.py:2" in text


def test_circular_buffers_beyond_l1(b):
    x = b.input("x", (32, 32))
    b.output(b.op("exp", [x], (32, 32), record={"circular_buffer_bytes": b.chip.l1_usable_bytes + 32}))
    assert f"of circular buffers on each core, L1 has {b.chip.l1_usable_bytes:,}" in fault(b)


def test_read_after_deallocate(b):
    x = b.input("x", (32, 32))
    b.op("deallocate", [x])
    b.output(b.op("exp", [x], (32, 32)))
    text = fault(b)
    assert "op 1 'exp' takes tensor 0 'x', whose buffer is deallocated before" in text
    assert "--> model.py:2" in text


def test_read_of_a_view_after_its_buffer_ended(b):
    x = b.input("x", (32, 32))
    view = b.op("reshape", [x], (1024,), attributes={"shape": (1024,)}, alias=x, name="view")
    b.op("deallocate", [x])
    b.output(view)
    assert "is tensor 1 'view', whose buffer is deallocated before" in fault(b)


def test_deallocated_twice(b):
    x = b.input("x", (32, 32))
    b.op("deallocate", [x])
    b.op("deallocate", [x])
    assert "op 1 'deallocate' takes tensor 0 'x', whose buffer is deallocated before" in fault(b)


def test_read_of_a_tensor_that_nothing_wrote(b):
    hole = b.tensor((32, 32), name="hole")
    b.output(b.op("exp", [hole], (32, 32)))
    assert "op 0 'exp' takes tensor 0 'hole', which is not defined before" in fault(b, inputs=())


def test_output_that_nothing_wrote(b):
    b.output(b.tensor((32, 32), name="hole"))
    assert "is tensor 0 'hole', which is not defined before" in fault(b, inputs=())


def test_written_twice(b):
    x = b.input("x", (32, 32))
    b.op("exp", [x], (32, 32), name="y")
    b.operations.append(b.operations[0])
    assert "defines tensor 1 'y' a second time" in fault(b)


def test_a_view_of_nothing(b):
    x, hole = b.input("x", (32, 32)), b.tensor((32, 32), name="hole")
    b.output(b.op("reshape", [x], (1024,), attributes={"shape": (1024,)}, alias=hole))
    assert "in the buffer of tensor 1 'hole', which is not defined before" in fault(b)


def test_a_view_of_itself(b):
    x = b.input("x", (32, 32))
    b.output(b.op("reshape", [x], (1024,), attributes={"shape": (1024,)}, alias=1, name="y"))
    assert "in the buffer of tensor 1 'y', which is not defined before" in fault(b)


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
    assert "before any op: the buffers of tensor 0 'x' and tensor 1 'y' overlap in l1" in fault(b, inputs=("x", "y"))


def test_shards_take_their_own_size_and_interleaved_buffers_a_share(b):
    sharded = Layout(DType.F32, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(2, 1))
    x = b.input("x", (32 * 8, 32), layout=sharded)
    b.input("y", (32 * 24, 32), layout=L1.interleave(MemorySpace.DRAM))
    b.op("deallocate", [x])
    assert live_bytes(b.function(), b.chip) == [4 * TILE]
    assert live_bytes(b.function(), b.chip, MemorySpace.DRAM) == [24 // b.chip.dram_banks * TILE]


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
