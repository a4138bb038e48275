"""The predicted cost of float32 in a program that could store bf16."""

from dataclasses import dataclass, replace
from functools import cache

from ttstack.cost import predict_calls
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Layout
from ttstack.ops.eltwise import Typecast
from ttstack.ops.types import DType
from ttstack.program.formats import program_formats
from ttstack.program.launched import launched_positions
from ttstack.program.records import Binary, Function
from ttstack.program.saved_options import saved_options
from ttstack.report.formatting import duration, percent


@dataclass(frozen=True)
class Float32Cost:
    """The time of a float32 program, and that of its ops with bf16 tensors in the same places."""

    total_ns: float
    bf16_ns: float

    @property
    def saved_share(self) -> float:
        """Share of the time that bf16 tensors save, before placement uses the memory that they leave."""
        return 1 - self.bf16_ns / self.total_ns if self.total_ns else 0.0

    def __str__(self) -> str:
        return (
            f"this model is float32; its ops are predicted to take {duration(self.bf16_ns)} with bf16 tensors in the "
            f"same places (-{percent(self.saved_share)} %): compile with --dtype bf16; "
            "`ttstack advise` measures the change of values"
        )


_LEAST_SAVED = 0.05
"""Share of the time that bf16 must save to be proposed."""
FORMATS = ("dtype", "weights_dtype", "half_dtype", "precision")
"""Options by which a user chooses formats."""


def proposed_bf16(binary: Binary, function: Function) -> Float32Cost | None:
    """Return the cost of float32 if bf16 can be proposed.

    None for programs in other formats, with formats that the user chose, of training steps, and where bf16 saves less
    than 5 % of the time.
    """
    chosen = saved_options(binary.options)
    trained = function.recomputation is not None or "loss" in (output.name for output in function.outputs)
    if trained or any(chosen.get(name) is not None for name in FORMATS):
        return None
    cost = float32_cost(binary, function)
    return cost if cost is not None and cost.saved_share >= _LEAST_SAVED else None


def float32_cost(binary: Binary, function: Function) -> Float32Cost | None:
    """Price the ops of a float32 program with bf16 tensors; None for programs in other formats.

    Takes a few per cent of the time of a compilation. `--dtype bf16` also places the ops anew: on ten small networks
    the program was between 1 % slower and 22 % faster than `bf16_ns`.
    """
    if not program_formats(function).emulates_float32:
        return None
    chip, system = binary.chip(function), binary.system_desc

    @cache
    def elapsed(op: DeviceOp) -> float:
        return predict_calls(op, chip, system).elapsed_ns

    ops = [function.device_op(function.operations[at]) for at in launched_positions(function)]
    narrow = [bf16 for op in ops if (bf16 := _in_bf16(op)) is not None]
    return Float32Cost(sum(map(elapsed, ops)), sum(map(elapsed, narrow)))


def _in_bf16(op: DeviceOp) -> DeviceOp | None:
    """Return the op with bf16 instead of float32; None for casts, which become unnecessary."""
    narrow = replace(op, operands=tuple(map(_narrow, op.operands)), results=tuple(map(_narrow, op.results)))
    is_cast = isinstance(op.op, Typecast) and narrow.operands[0].dtype is narrow.results[0].dtype
    return None if is_cast else narrow


def _narrow(layout: Layout) -> Layout:
    return replace(layout, dtype=DType.BF16) if layout.dtype is DType.F32 else layout
