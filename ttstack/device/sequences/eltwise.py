"""Elementwise ops."""

from dataclasses import replace

from ttstack.device.call_name import call_name
from ttstack.device.sequences.formats import compute_first_in, compute_format, compute_in
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.base import OPS, Op
from ttstack.ops.eltwise import EltwiseBinary, EltwiseUnary, Typecast
from ttstack.ops.generic import ToLayout
from ttstack.ops.types import DType

_OF_ONE_FORMAT = ("maximum", "minimum", "fmod", "atan2", "pow")
"""Ops whose operands must have one format."""

_OF_OPERANDS_FORMAT = ("atan2", "div", "fmod", "logical_left_shift", "logical_right_shift")
"""Ops, in addition to bitwise ones, that return their operands' format and have no format option."""

_OF_TRUTH = ("eq", "ne", "lt", "le", "gt", "ge", "isfinite", "signbit")
"""Ops that return one or zero."""


def plain_ops(*bases: type[Op]) -> list[str]:
    """Return the ops of these families without attributes, which differ only by name."""
    family = ((name, op) for name, op in OPS.items() if issubclass(op, bases) and not op.attribute_specs())
    return [name for name, _ in family]


@calls_of(*(name for name, op in OPS.items() if issubclass(op, EltwiseUnary)), "gelu_bw")
def in_own_format(s: CallWriter) -> CallSequence | None:
    """Call the op in the format of its operand."""
    return compute_first_in(s, s.layout(0).dtype)


@calls_of("dropout")
def dropout(s: CallWriter) -> CallSequence | None:
    """Call it in its only result format."""
    return compute_first_in(s, compute_format("dropout", s.layout(0).dtype))


@calls_of("typecast")
def typecast(s: CallWriter) -> CallSequence | None:
    """Convert the format in place, then the memory; truncate before `uint16`, to which the library rounds."""
    source, wanted = s.layout(0), s.wanted
    if source.dtype == wanted.dtype or (s.op.results[0].dtype is DType.I1 is not s.op.operands[0].dtype):
        return None
    alike = (source.memory_layout, source.grid) == (wanted.memory_layout, wanted.grid)
    rounded = wanted.dtype is DType.UI16 and source.dtype in (DType.F32, DType.BF16)
    whole = s.apply("trunc", 0, to=source) if rounded else 0
    converted = s.itself(None, whole, to=[wanted if alike else replace(source, dtype=wanted.dtype)])
    return s.end(converted if alike else s.call(ToLayout(input=s.type(converted)), converted, to=wanted))


@calls_of(*plain_ops(EltwiseUnary))
def unary(s: CallWriter) -> CallSequence | None:
    """Functions of one number."""
    call_dtype = compute_format(call_name(s.op), s.layout(0).dtype)
    return _answer(s, [call_dtype], call_dtype)


@calls_of(*plain_ops(EltwiseBinary))
def binary(s: CallWriter) -> CallSequence | None:
    """Call a binary function with an explicit result format, as bools have another one."""
    name, dtypes = call_name(s.op), [layout.dtype for layout in s.whole.operands]
    call_dtype = compute_format(name, dtypes[0])
    wanted = _common_format(s, name, call_dtype)
    operands = dtypes if wanted is None else [wanted, wanted]
    own = name in _OF_OPERANDS_FORMAT or name.startswith("bitwise_")
    return _answer(s, operands, operands[0] if own else s.wanted.dtype)


def _common_format(s: CallWriter, name: str, call_dtype: DType) -> DType | None:
    """Return the format that both operands are cast to; None if each keeps its own."""
    if len({layout.dtype.is_float for layout in s.whole.operands}) > 1:
        return DType.F32
    if call_dtype is not s.layout(0).dtype:
        return call_dtype
    return s.wanted.dtype if name in _OF_ONE_FORMAT else None


def _answer(s: CallWriter, operands: list[DType], result: DType) -> CallSequence | None:
    """Call the op, and a test for nonzero if arithmetic returns bools."""
    mnemonic = s.kind
    truth = s.op.results[0].dtype is DType.I1
    if not truth or mnemonic in _OF_TRUTH or mnemonic.startswith(("logical", "bitwise")):
        return compute_in(s, operands, result)
    values = [s.cast(i, dtype) for i, dtype in enumerate(operands)]
    numbers = s.itself(None, *values, to=[replace(s.wanted, dtype=result)])
    real = s.type(numbers).with_dtype(DType.F32)
    return s.end(s.call(Typecast(input=real, dtype=DType.I1), numbers, to=s.wanted))


@calls_of("clamp_scalar")
def clamp_scalar(s: CallWriter) -> CallSequence | None:
    """Between two numbers."""
    return compute_first_in(s, compute_format("clamp", s.layout(0).dtype))


@calls_of("clamp_tensor")
def clamp_tensor(s: CallWriter) -> CallSequence | None:
    """Clamp between two tensors, in the widest of their formats."""
    formats = [layout.dtype for layout in s.whole.operands]
    widest = DType.F32 if DType.F32 in formats else formats[0]
    return compute_in(s, [widest] * 3, widest)


@calls_of("where")
def where(s: CallWriter) -> CallSequence | None:
    """Select by a condition, in the result's format."""
    result_dtype = s.wanted.dtype
    return compute_in(s, [s.layout(0).dtype, result_dtype, result_dtype], result_dtype)


@calls_of("bitcast_convert")
def bitcast(s: CallWriter) -> CallSequence | None:
    """Reinterpret the bits of the number's own type, if the device stores it in a narrower one."""
    wide, source_dtype = DType.F32, s.layout(0).dtype
    read = wide if s.op.operands[0].dtype is wide else source_dtype
    return compute_in(s, [read], wide if s.op.results[0].dtype is wide else s.wanted.dtype)
