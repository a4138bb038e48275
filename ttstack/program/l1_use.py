"""L1 use of a function: the range of its addresses, and the share of its results that stays in L1."""

import numpy as np

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.memory import Memory
from ttstack.device.layout import MemorySpace
from ttstack.program.buffers import TO_LAYOUT, buffers
from ttstack.program.loops import called_names
from ttstack.program.records import Function
from ttstack.system_desc import ChipDesc


def span_bytes(function: Function, chip: ChipDesc, space: MemorySpace = MemorySpace.L1) -> int:
    """Return the maximum bytes of addresses in each bank: from the lowest used one, with circular buffers.

    The largest sum of bytes that are live at once is the least that any addresses span; what is more is lost
    between buffers.
    """
    memory = Memory.of(chip, space)
    lowest = np.full(max(len(function.operations), 1), memory.end)
    for buffer in buffers(function, chip):
        if buffer.space is space and buffer.nbytes:
            live = slice(buffer.life.first, buffer.life.last + 1)
            lowest[live] = np.minimum(lowest[live], buffer.start)
    scratch = [op.circular_buffer_bytes if space is MemorySpace.L1 else 0 for op in function.operations] or [0]
    inside = [0]
    for at, op in enumerate(function.operations):
        if names := called_names(op):
            scratch[at] = 0
            inside += [span_bytes(function.loop(name), chip, space) for name in names]
    return max(int((memory.end - lowest + scratch).max()), *inside)


def l1_resident_share(function: Function) -> float:
    """Return the share of the bytes of all computed tensors of which neither they nor a copy is ever in DRAM."""
    copies = {op.results[0]: op.operands[0] or 0 for op in function.operations if op.name == TO_LAYOUT}
    originals = buffer_owners(function.aliases | copies)
    results = [r for op in function.operations for r in op.results]
    made = {r for r in results if r not in originals} - set(function.inputs)
    leaving = {originals.get(r, r) for r in results if not function.tensors[r].layout.in_l1}
    sizes = {t.id: t.layout.nbytes(t.type) for t in (function.tensors[r] for r in made)}
    return sum(n for r, n in sizes.items() if r not in leaving) / max(sum(sizes.values()), 1)
