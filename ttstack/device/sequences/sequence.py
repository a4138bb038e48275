"""The sequence of library calls for an op: preparation, the op itself, and postprocessing.

Emitted programs, prices and buffers share this definition.
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
    """Operands by number: those of the op, then results of earlier steps and scalars, in order."""
    results: tuple[int, ...]
    """The numbers of its results."""
    own: bool = False
    """Whether it is the op itself, in the library's form; other ops can be sequences themselves."""


@dataclass(frozen=True)
class CallSequence:
    """All calls of an op, in order."""

    steps: tuple[Step, ...]
    results: tuple[int, ...]
    """The numbers of the op's results."""
    scalars: Mapping[int, float]
    """Scalar arguments, by the numbers that steps use."""


class CallWriter:
    """Records the calls of an op."""

    def __init__(self, whole: DeviceOp, device: Grid, l1_bytes: int) -> None:
        self.whole = whole
        self.op: Any = whole.op
        """The definition on the operands' types, with attributes by name; a dispatch only has its nest."""
        self.kind = call_kind(whole.op)
        self.l1_bytes = l1_bytes
        """Usable L1 bytes of a core."""
        self._device = device
        self._types = list(self.op.operands)
        self._layouts = list(whole.operands)
        self._steps: list[Step] = []
        self._scalars: dict[int, float] = {}

    def operand(self, place: str) -> int | None:
        """Return the number of an operand by name, or None."""
        return next(iter(self.op.operand_positions(place)), None)

    def type(self, value: int) -> TensorType:
        """Return the type of a value."""
        return self._types[value]

    def layout(self, value: int) -> Layout:
        """Return the layout of a value."""
        return self._layouts[value]

    @property
    def is_dispatch(self) -> bool:
        """Return True if the op is a dispatch, which only has a nest."""
        return isinstance(self.op, Generic)

    @property
    def wanted(self) -> Layout:
        """The layout of the first result."""
        return self.whole.results[0]

    def call(self, op: Op, *operands: int, to: Layout | None = None) -> int:
        """Call another op; by default its result is in DRAM, tiled as its operand."""
        layouts = tuple(self._layouts[v] for v in operands)
        result = to or layouts[0].interleave(MemorySpace.DRAM)
        grid = next((layout.grid for layout in (result, *layouts) if layout.grid and layout.in_l1), self._device)
        spread = SPREADS.get(result.memory_layout, Spread.FLAT)
        fidelity = default_fidelity(*(layout.dtype for layout in layouts[:2]))
        return self._add(DeviceOp(op, layouts, (result,) * len(op.results), grid, spread, fidelity), operands)

    def apply(self, name: str, *operands: int, to: Layout | None = None, **attributes: object) -> int:
        """Call the op of this name, with a result type inferred from operands and attributes."""
        return self.call(OPS[name].on([self._types[v] for v in operands], attributes), *operands, to=to)

    def itself(self, op: Op | None = None, *operands: int, to: Sequence[Layout] | None = None) -> int:
        """Call the op itself in the library's form, with these operands and result layouts."""
        op, operands = op or self.op, operands or tuple(range(len(self.whole.operands)))
        operand_layouts, result_layouts = tuple(self._layouts[v] for v in operands), tuple(to or self.whole.results)
        return self._add(
            replace(self.whole, op=op, operands=operand_layouts, results=result_layouts), operands, own=True
        )

    def scalar(self, number: float) -> int:
        """Add a scalar argument of a call."""
        self._types.append(TensorType((), DType.F32))
        self._layouts.append(Layout(DType.F32))
        self._scalars[len(self._types) - 1] = number
        return len(self._types) - 1

    def cast(self, value: int, dtype: DType, to: Layout | None = None) -> int:
        """Cast a value, by default in its memory."""
        result = to or replace(self._layouts[value], dtype=dtype)
        if self._layouts[value].dtype is dtype:
            return value
        t = self._types[value]
        return self.call(Typecast(input=t, dtype=t.dtype), value, to=result)

    def reshape(self, value: int, shape: Sequence[int], to: Layout | None = None) -> int:
        """Reshape a value; the same matrix stays in place."""
        return self.reshape_from(self._types[value].shape, value, shape, to)

    def reshape_from(
        self, source_shape: Sequence[int], value: int, shape: Sequence[int], to: Layout | None = None
    ) -> int:
        """Reshape a value whose shape in the library differs from the op's definition."""
        if tuple(source_shape) == tuple(shape):
            return value
        op = Reshape(input=self._types[value].with_shape(tuple(source_shape)), shape=tuple(shape))
        stays = self._layouts[value] if same_matrix(op.input, op.results[0]) else None
        return self.call(op, value, to=to or stays)

    def tile(self, value: int) -> int:
        """Tilize a value."""
        layout = self._layouts[value]
        if layout.tiled:
            return value
        return self.call(ToLayout(input=self._types[value]), value, to=replace(layout, tiled=True))

    def untile(self, value: int) -> int:
        """Untilize a value."""
        layout = self._layouts[value]
        if not layout.tiled:
            return value
        return self.call(ToLayout(input=self._types[value]), value, to=replace(layout, tiled=False))

    def permute(self, value: int, order: Sequence[int], to: Layout | None = None) -> int:
        """Permute the dimensions of a value."""
        return self.call(Permute(input=self._types[value], permutation=tuple(order)), value, to=to)

    def end(self, *results: int) -> CallSequence | None:
        """Return all calls; None if the op is the only one, unchanged."""
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
"""By mnemonic, functions that record the calls of ops with sequences; `ttstack.device.sequences` registers them."""


def calls_of(*mnemonics: str) -> Callable[[WriteSteps], WriteSteps]:
    """Return a decorator that registers a function for the calls of these ops."""

    def enter(function: WriteSteps) -> WriteSteps:
        SEQUENCES.update(dict.fromkeys(mnemonics, function))
        return function

    return enter
