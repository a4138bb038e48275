"""Buffers of a function's records: their owners, lifetimes, and use at each op."""

from dataclasses import dataclass

from ttstack.buffers.lifetimes import BufferAccesses, Lifetime, lifetimes
from ttstack.buffers.lifetimes import live_bytes as live_bytes_of
from ttstack.buffers.memory import Memory
from ttstack.device.layout import MemorySpace
from ttstack.program.loops import called_names
from ttstack.program.records import Function, Operation, Tensor
from ttstack.system_desc import ChipDesc

DEALLOCATE, TO_LAYOUT = "deallocate", "to_layout"

UNPLACED = (DEALLOCATE, TO_LAYOUT)
"""Operations that no model asks for: ends of buffers, and changes of layout between ops."""


@dataclass(frozen=True)
class Buffer:
    """Equal bytes in every bank of a memory, during a part of the function."""

    tensor: int
    space: MemorySpace
    start: int
    nbytes: int
    life: Lifetime


def bank_bytes(tensor: Tensor, chip: ChipDesc) -> int:
    """Return the bytes of the tensor in each bank of its memory."""
    return tensor.layout.bank_bytes(tensor.type, Memory.of(chip, tensor.layout.memory_space).banks)


def steps(function: Function) -> list[BufferAccesses[int]]:
    """Return the operations; ends of buffers read nothing."""
    return [_step(op) for op in function.operations]


def _step(op: Operation) -> BufferAccesses[int]:
    operands = [tensor for tensor in op.operands if tensor is not None]
    return BufferAccesses((), (), operands) if op.name == DEALLOCATE else BufferAccesses(operands, op.results)


def buffers(function: Function, chip: ChipDesc) -> list[Buffer]:
    """Return the buffers of all tensors that have one, in the order in which they come to life."""
    lives = lifetimes(steps(function), function.inputs, function.aliases)
    return [_buffer(function.tensors[tensor], life, chip) for tensor, life in lives.items()]


def _buffer(tensor: Tensor, life: Lifetime, chip: ChipDesc) -> Buffer:
    return Buffer(tensor.id, tensor.layout.memory_space, tensor.address, bank_bytes(tensor, chip), life)


def live_bytes(function: Function, chip: ChipDesc, space: MemorySpace = MemorySpace.L1) -> list[int]:
    """Return the bytes in use of each bank of a memory while each op runs; in L1, with the op's circular buffers.

    A loop uses what its functions use at most.
    """
    here = [(buffer.life, buffer.nbytes) for buffer in buffers(function, chip) if buffer.space is space]
    live = live_bytes_of(here, len(function.operations))
    for at, op in enumerate(function.operations):
        inside = [function.loop(name) for name in called_names(op)]
        if inside:
            live[at] += max(max(live_bytes(loop, chip, space), default=0) for loop in inside)
        elif space is MemorySpace.L1:
            live[at] += op.circular_buffer_bytes
    return live
