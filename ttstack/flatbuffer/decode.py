"""Decoding of a flatbuffer to the records of a program."""

import json
import struct
from collections.abc import Callable
from math import isfinite
from typing import Any, cast

from ttstack.device.layout import Grid
from ttstack.device.program_config import read_config
from ttstack.flatbuffer import decode_values as values
from ttstack.flatbuffer import enums
from ttstack.flatbuffer._generated import binary_generated as schema
from ttstack.flatbuffer.encode import WeightLocation
from ttstack.flatbuffer.reader import Reader, numbers, tables, text
from ttstack.ops.types import TensorType
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.records import Binary, Function, HeldWeight, Operation, Output, Recomputation, Tensor, Weight
from ttstack.program.step_calls import CalledStep, CallRoom, Folded, StepCall
from ttstack.program.unfold import unfold
from ttstack.system_desc import SystemDesc, from_dict

MakeWeight = Callable[[str, TensorType, WeightLocation, str], Weight]
"""Returns the weight of a name, a type, a location and a separate file."""


def without_values(name: str, t: TensorType, place: WeightLocation, _: str) -> Weight:
    """Return the weight without values."""
    return Weight(name, t, sha256=place.sha256)


def decode(buffer: bytes, make_weight: MakeWeight = without_values, *, origin: str = "<bytes>") -> Binary:
    """Return the program of a flatbuffer; `make_weight` finds the values of its weights.

    Raises:
        ValueError: the buffer does not match the schema.
        SystemDescError: the device description in it has wrong fields.
    """
    try:
        return _binary(cast(Any, schema.Binary).GetRootAs(buffer), make_weight, origin)
    except (struct.error, IndexError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"its content does not follow the schema: {error}") from error


def _binary(root: Any, make_weight: MakeWeight, origin: str) -> Binary:
    reader, room, beside = Reader(), CallRoom(), text(root.WeightsFile())
    weights = [_weight(reader, table, make_weight, beside) for table in tables(root, "Weights")]
    return Binary(
        functions=tuple(_function(reader, table, room) for table in tables(root, "Functions")),
        system_desc=_system_desc(root, origin),
        weights={weight.name: weight for weight in weights},
        pipeline=text(root.Pipeline()),
        options=text(root.Options()),
        version=text(root.Version()),
        stages={text(stage.Name()): text(stage.Text()) for stage in tables(root, "Stages")},
        tables=tuple(EmbeddingTableReport.of(known) for _, known in values.attributes(reader, root, "Tables")),
        fixed=tuple(text(name) for name in tables(root, "Fixed")),
        finite=tuple(text(name) for name in tables(root, "Finite")),
    )


def _system_desc(root: Any, origin: str) -> SystemDesc:
    table = root.SystemDesc()
    if table is None:
        raise ValueError("it has no device description")
    return from_dict(json.loads(text(table.Json())), origin=f"{origin}: device description")


def _weight(reader: Reader, table: Any, make_weight: MakeWeight, beside: str) -> Weight:
    place = WeightLocation(table.Storage(), table.Offset(), text(table.Sha256()))
    return make_weight(text(table.Name()), reader.once(values.tensor_type, table.Type()), place, beside)


def _function(reader: Reader, table: Any, room: CallRoom) -> Function:
    tensors, operations = unfold(
        Folded(
            tensors=tuple(_tensor(reader, t) for t in tables(table, "Tensors")),
            operations=tuple(_operation(reader, op) for op in tables(table, "Operations")),
            steps=tuple(_step(reader, step, room) for step in tables(table, "Steps")),
        )
    )
    return Function(
        name=text(table.Name()),
        tensors=tensors,
        operations=operations,
        inputs=numbers(table.InputsAsNumpy()),
        outputs=tuple(Output(text(o.Name()), o.Tensor(), o.IsComplex()) for o in tables(table, "Outputs")),
        bound_ns=_bound(table.BoundNs()),
        recomputation=None if (of := table.Recomputation()) is None else _recomputation(of),
        greedy_saves_ns=_bound(table.GreedySavesNs()) or 0.0,
        loops=tuple(_loop(reader, loop, room) for loop in tables(table, "Loops")),
    )


def _loop(reader: Reader, table: Any, room: CallRoom) -> Function:
    """Decode a function of a loop within the limits, as many functions can share it."""
    room.take(1 + table.TensorsLength() + table.OperationsLength())
    return _function(reader, table, room)


def _step(reader: Reader, table: Any, room: CallRoom) -> CalledStep:
    """Decode a called step within the limits, as many calls can share parts."""
    count = table.CallsLength()
    room.take((1 + count) * (1 + table.OperationsLength() + table.TensorsLength() + table.VaryingLength()))
    operations = tuple(_operation(reader, op) for op in tables(table, "Operations"))
    room.take(count * sum(len(op.operands) + len(op.results) for op in operations))
    calls = tables(table, "Calls")
    for call in calls:
        room.take(call.ArgumentsLength() + call.AddressesLength() + call.AttributesLength())
    return CalledStep(
        start=table.Start(),
        operations=operations,
        tensors=tuple(_tensor(reader, t) for t in tables(table, "Tensors")),
        varying=numbers(table.VaryingAsNumpy()),
        calls=tuple(_call(reader, call) for call in calls),
    )


def _call(reader: Reader, table: Any) -> StepCall:
    return StepCall(
        first_tensor=table.FirstTensor(),
        arguments=numbers(table.ArgumentsAsNumpy()),
        addresses=numbers(table.AddressesAsNumpy()),
        attributes=tuple(values.attributes(reader, table)),
    )


def _recomputation(table: Any) -> Recomputation:
    return Recomputation(_bound(table.Ns()) or 0.0, _bound(table.BoundNs()))


def _bound(ns: float) -> float | None:
    if not (isfinite(ns) and ns >= 0):
        raise ValueError(f"no function takes {ns} ns at least")
    return ns or None


def _tensor(reader: Reader, table: Any) -> Tensor:
    alias = table.Alias()
    return Tensor(
        id=table.Id(),
        name=text(table.Name()),
        type=reader.once(values.tensor_type, table.Type()),
        layout=reader.once(values.layout, table.Layout()),
        kind=enums.TENSOR_KIND.member(table.Kind()),
        address=table.Address(),
        alias=None if alias < 0 else alias,
        held=None if (held := table.Held()) is None else _held(held),
        is_complex=table.IsComplex(),
    )


def _held(table: Any) -> HeldWeight:
    part = table.Part()
    return HeldWeight(text(table.Weight()), None if part < 0 else part, numbers(table.OrderAsNumpy()))


def _operation(reader: Reader, table: Any) -> Operation:
    return Operation(
        name=text(table.Name()),
        operands=tuple(None if i < 0 else i for i in numbers(table.OperandsAsNumpy())),
        results=numbers(table.ResultsAsNumpy()),
        attributes=dict(values.attributes(reader, table)),
        grid=values.grid(table.Grid()) or Grid(1, 1),
        spread=enums.SPREAD.member(table.Spread()),
        fidelity=enums.FIDELITY.member(table.Fidelity()),
        config=read_config(dict(values.attributes(reader, table, "Config"))),
        circular_buffer_bytes=table.CircularBufferBytes(),
        location=text(table.Location()),
    )
