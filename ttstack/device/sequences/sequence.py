"""The calls of the library that an op becomes, where it is not one: what goes before it, itself, and what follows.

One definition for emitted programs, which call them, and for prices and buffers, which are theirs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ttstack.device.call_name import call_kind
from ttstack.device.device_op import SPREADS, DeviceOp, Spread, default_fidelity
from ttstack.device.layout import Grid, Layout, MemorySpace, same_matrix
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import Typecast
from ttstack.ops.generic import Generic, ToLayout
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.types import DType, TensorType


@dataclass(frozen=True)
class Step:
    """One call."""

    device_op: DeviceOp
    operands: tuple[int, ...]
    """What it reads, by number: operands of the op, then results of the steps before and numbers, in order."""
    results: tuple[int, ...]
    """The numbers of what it gives."""
    own: bool = False
    """Whether it is the op itself, in the form that the library takes; other ops can be several calls again."""


@dataclass(frozen=True)
class CallSequence:
    """All calls of an op, in order."""

    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """The numbers of the op's results."""
    scalars: Mapping[int, float]
    """Numbers that are given as they are, by the numbers under which steps read them."""


class CallWriter:
    """The calls of an op, as they are written down."""

    def __init__(self, whole: DeviceOp, device: Grid, l1_bytes: int) -> None:
        self.whole = whole
        self.op: Any = whole.op
        """The definition on the operands' types, with attributes by name; a dispatch has its nest alone."""
        self.kind = call_kind(whole.op)
        self.l1_bytes = l1_bytes
        """What programs may use of a core's L1."""
        self._device = device
        self._types = list(self.op.operands)
        self._layouts = list(whole.operands)
        self._steps: list[Step] = []
        self._scalars: dict[int, float] = {}

    def operand(self, place: str) -> int | None:
        """The number of the operand in a place of the definition; None where there is none."""
        return next(iter(self.op.operand_positions(place)), None)

    def type(self, value: int) -> TensorType:
        """Return the type of a value."""
        return self._types[value]

    def layout(self, value: int) -> Layout:
        """How a value lies."""
        return self._layouts[value]

    @property
    def is_dispatch(self) -> bool:
        """Return True if the op is a dispatch, which has only a nest to read."""
        return isinstance(self.op, Generic)

    @property
    def wanted(self) -> Layout:
        """The layout of the first result."""
        return self.whole.results[0]

    def call(self, op: Op, *operands: int, to: Layout | None = None) -> int:
        """A step of another op; where nothing is said, its result lies in DRAM, in tiles or rows as its operand."""
        layouts = tuple(self._layouts[v] for v in operands)
        result = to or layouts[0].interleave(MemorySpace.DRAM)
        grid = next((layout.grid for layout in (result, *layouts) if layout.grid and layout.in_l1), self._device)
        spread = SPREADS.get(result.memory_layout, Spread.FLAT)
        fidelity = default_fidelity(*(layout.dtype for layout in layouts[:2]))
        return self._add(DeviceOp(op, layouts, (result,) * len(op.results), grid, spread, fidelity), operands)

    def apply(self, name: str, *operands: int, to: Layout | None = None, **attributes: object) -> int:
        """A step of the op of this name, whose result its operands' types and its attributes say."""
        return self.call(OPS[name].on([self._types[v] for v in operands], attributes), *operands, to=to)

    def itself(self, op: Op | None = None, *operands: int, to: Sequence[Layout] | None = None) -> int:
        """The op in the form that the library takes: on these operands, with results that lie so."""
        op, operands = op or self.op, operands or tuple(range(len(self.whole.operands)))
        operand_layouts, result_layouts = tuple(self._layouts[v] for v in operands), tuple(to or self.whole.results)
        return self._add(
            replace(self.whole, op=op, operands=operand_layouts, results=result_layouts), operands, own=True
        )

    def scalar(self, number: float) -> int:
        """A number that a call is given as it is."""
        self._types.append(TensorType((), DType.F32))
        self._layouts.append(Layout(DType.F32))
        self._scalars[len(self._types) - 1] = number
        return len(self._types) - 1

    def cast(self, value: int, dtype: DType, to: Layout | None = None) -> int:
        """The value in another format, in the memory that it lies in where none is asked for."""
        result = to or replace(self._layouts[value], dtype=dtype)
        if self._layouts[value].dtype is dtype:
            return value
        t = self._types[value]
        return self.call(Typecast(input=t, dtype=t.dtype), value, to=result)

    def reshape(self, value: int, shape: Sequence[int], to: Layout | None = None) -> int:
        """The value under another shape; where it is the same matrix, it stays where it lies."""
        return self.reshape_from(self._types[value].shape, value, shape, to)

    def reshape_from(
        self, source_shape: Sequence[int], value: int, shape: Sequence[int], to: Layout | None = None
    ) -> int:
        """The same for a value that a call gives in another shape than the op's definition says."""
        if tuple(source_shape) == tuple(shape):
            return value
        op = Reshape(input=self._types[value].with_shape(tuple(source_shape)), shape=tuple(shape))
        stays = self._layouts[value] if same_matrix(op.input, op.results[0]) else None
        return self.call(op, value, to=to or stays)

    def tile(self, value: int) -> int:
        """The value in tiles."""
        layout = self._layouts[value]
        if layout.tiled:
            return value
        return self.call(ToLayout(input=self._types[value]), value, to=replace(layout, tiled=True))

    def untile(self, value: int) -> int:
        """The value in rows."""
        layout = self._layouts[value]
        if not layout.tiled:
            return value
        return self.call(ToLayout(input=self._types[value]), value, to=replace(layout, tiled=False))

    def permute(self, value: int, order: Sequence[int], to: Layout | None = None) -> int:
        """The value with its dimensions in another order."""
        return self.call(Permute(input=self._types[value], permutation=tuple(order)), value, to=to)

    def end(self, *results: int) -> CallSequence | None:
        """All of them; None where the op is the only one, as it is."""
        alone = [step.device_op for step in self._steps] == [self.whole]
        return None if alone else CallSequence(tuple(self._steps), results, self._scalars)

    def _add(self, device_op: DeviceOp, operands: Sequence[int], *, own: bool = False) -> int:
        first = len(self._types)
        self._types += device_op.op.results
        self._layouts += device_op.results
        self._steps.append(Step(device_op, tuple(operands), tuple(range(first, len(self._types))), own))
        return first


WriteSteps = Callable[[CallWriter], CallSequence | None]
SEQUENCES: dict[str, WriteSteps] = {}
"""By mnemonic, what writes the calls down of ops that can be several; filled by `ttstack.device.sequences`."""


def calls_of(*mnemonics: str) -> Callable[[WriteSteps], WriteSteps]:
    """Enter a function as what writes down the calls of these ops."""

    def enter(function: WriteSteps) -> WriteSteps:
        SEQUENCES.update(dict.fromkeys(mnemonics, function))
        return function

    return enter
