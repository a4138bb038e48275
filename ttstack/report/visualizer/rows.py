"""The rows of the database: operations, tensors, how long buffers live, the device."""

from collections.abc import Iterator
from typing import Any

from ttstack.buffers.memory import Memory
from ttstack.device.data_types import data_type_name
from ttstack.device.layout import Layout, MemoryLayout, MemorySpace
from ttstack.program.buffers import DEALLOCATE, buffers
from ttstack.program.launched import op_numbers
from ttstack.program.locations import parts
from ttstack.program.records import Function, Operation, Tensor
from ttstack.report.csv_tensors import shard_extents
from ttstack.report.json import plain
from ttstack.report.model import ReportFigures
from ttstack.report.visualizer.captured_graph import captured_graph
from ttstack.support.whole_number import whole_number

Row = tuple[Any, ...]

_SPACES = {MemorySpace.DRAM: 0, MemorySpace.L1: 1, MemorySpace.SYSTEM_MEMORY: 2}
_LAYOUTS = {MemoryLayout.HEIGHT_SHARDED: 2, MemoryLayout.WIDTH_SHARDED: 3, MemoryLayout.BLOCK_SHARDED: 4}
"""The numbers of tt-metal's enumerations."""


def rows(function: Function, report: ReportFigures) -> Iterator[tuple[str, Row]]:
    """Return each row with its table. An operation's number is its place in the function, from 1.

    Ends of buffers are none.
    """
    numbers = op_numbers(function)
    yield "devices", _device(report)
    for tensor in function.tensors:
        yield from _tensor(tensor, report)
    for at, (number, operation) in enumerate(zip(numbers, function.operations, strict=True)):
        if operation.name != DEALLOCATE:
            op = None if number is None else report.ops[number]
            yield "operations", (at + 1, f"ttnn.{operation.name}", op.elapsed_ns * 1e-9 if op else 0.0)
            yield "captured_graph", (at + 1, captured_graph(function, operation, op, report.chip))
            yield from _operation(at + 1, operation)
    for buffer in buffers(function, report.chip):
        tensor = function.tensors[buffer.tensor]
        if not tensor.layout.on_host:
            kind = _SPACES[buffer.space], _LAYOUTS.get(tensor.layout.memory_layout, 0)
            lives = buffer.life.first + 1, buffer.life.last + 1
            yield "lives", (tensor.id, buffer.start, buffer.nbytes, *kind, *lives)


def _operation(number: int, operation: Operation) -> Iterator[tuple[str, Row]]:
    for name, value in operation.attributes.items():
        yield "operation_arguments", (number, name, str(plain(value)))
    name, place = parts(operation.location)
    file, _, line = place.rpartition(":")
    if whole_number(line) is not None:
        yield "stack_traces", (number, f'  File "{file}", line {line}, in {name or "<module>"}', None)
    for index, tensor in enumerate(i for i in operation.operands if i is not None):
        yield "input_tensors", (number, index, tensor)
    for index, tensor in enumerate(operation.results):
        yield "output_tensors", (number, index, tensor)


def _tensor(tensor: Tensor, report: ReportFigures) -> Iterator[tuple[str, Row]]:
    layout, chip = tensor.layout, report.chip
    banks = 1 if layout.on_host else Memory.of(chip, layout.memory_space).banks
    shape, device = f"Shape({list(tensor.type.shape)})", None if layout.on_host else 0
    pages = "Layout.TILE" if layout.tiled else "Layout.ROW_MAJOR"
    size = tensor.type.nbytes if layout.on_host else layout.bank_bytes(tensor.type, banks) * banks
    kind = f"DataType.{data_type_name(layout.dtype)}", pages, _memory_config(tensor)
    yield "tensors", (tensor.id, shape, *kind, device, tensor.address, _SPACES[layout.memory_space], size)
    if device is not None:
        yield "device_tensors", (tensor.id, device, tensor.address)
    if layout.in_l1:
        for y, x, bank in _cores(layout, report):
            yield "cores", (tensor.id, x, y, bank)


def _cores(layout: Layout, report: ReportFigures) -> Iterator[tuple[int, int, int]]:
    """Yield row, column and bank of the cores with parts of a tensor in L1: all cores if it is interleaved."""
    height, width = report.chip.grid
    grid = (layout.grid.rows, layout.grid.cols) if layout.grid else (height, width)
    return ((y, x, y * width + x) for y in range(grid[0]) for x in range(grid[1]))


def _memory_config(tensor: Tensor) -> str:
    layout, shard = tensor.layout, "std::nullopt"
    if layout.grid is not None:
        last = f'{{"x":{layout.grid.cols - 1},"y":{layout.grid.rows - 1}}}'
        height, width = shard_extents(tensor.type, layout)
        cores = f'{{[{{"x":0,"y":0}}-{last}]}}'
        shard = f"ShardSpec(grid={cores},shape={{{height}, {width}}},orientation=ShardOrientation::ROW_MAJOR,halo=0)"
    kind = f"TensorMemoryLayout::{layout.memory_layout.upper()}"
    return (
        f"MemoryConfig(memory_layout={kind},buffer_type=BufferType::{layout.memory_space.upper()},shard_spec={shard})"
    )


def _device(report: ReportFigures) -> Row:
    chip, l1 = report.chip, Memory.of(report.chip, MemorySpace.L1)
    (tall, wide), (height, width), cores = chip.tensix_grid, chip.grid, chip.num_cores
    sizes = (l1.capacity * cores,) * 4
    return (
        0,
        tall,
        wide,
        height,
        width,
        l1.end,
        cores,
        l1.capacity,
        l1.base,
        l1.base,
        1,
        cores,
        0,
        *sizes,
        l1.capacity,
    )
