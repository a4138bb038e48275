"""Encoding of a program's records to a flatbuffer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ttstack.device.program_config import config_fields
from ttstack.flatbuffer import encode_values as values
from ttstack.flatbuffer import enums
from ttstack.flatbuffer._generated.binary_generated import Storage
from ttstack.flatbuffer.writer import INT32, UINT64, Writer
from ttstack.program.fold import fold
from ttstack.program.records import Binary, Function, HeldWeight, Operation, Output, Recomputation, Tensor, Weight
from ttstack.program.step_calls import CalledStep, CallRoom, StepCall
from ttstack.system_desc import SystemDesc, to_dict


@dataclass(frozen=True)
class WeightLocation:
    """The location of a weight's values; by default there are none."""

    storage: int = Storage.ABSENT
    offset: int = 0
    sha256: str = ""


def encode(binary: Binary, places: Mapping[str, WeightLocation] | None = None, weights_file: str = "") -> bytes:
    """Return the flatbuffer of a program; `places` are the locations of weights by name.

    Raises:
        ValueError: an attribute's value is of a type that the schema does not have.
    """
    writer, places, room = Writer(), places or {}, CallRoom()
    return writer.finish(
        writer.table(
            "Binary",
            functions=writer.tables([_function(writer, f, room) for f in binary.functions]),
            system_desc=_system_desc(writer, binary.system_desc),
            weights=writer.tables(
                [_weight(writer, w, places.get(name, WeightLocation())) for name, w in binary.weights.items()]
            ),
            weights_file=writer.string(weights_file),
            pipeline=writer.string(binary.pipeline),
            options=writer.string(binary.options),
            version=writer.string(binary.version),
            stages=writer.tables(
                [
                    writer.table("Stage", name=n, text=t)
                    for n, t in [(writer.string(n), writer.string(t)) for n, t in binary.stages.items()]
                ]
            ),
            tables=values.attributes(writer, [("", record.known_fields()) for record in binary.tables]),
            fixed=writer.tables(filter(None, map(writer.string, binary.fixed))),
            finite=writer.tables(filter(None, map(writer.string, binary.finite))),
        )
    )


def _system_desc(writer: Writer, desc: SystemDesc) -> int:
    text = json.dumps(to_dict(desc), separators=(",", ":"), ensure_ascii=False)
    return writer.table("SystemDescription", name=writer.string(desc.name), json=writer.string(text))


def _weight(writer: Writer, weight: Weight, place: WeightLocation) -> int:
    return writer.table(
        "Weight",
        name=writer.string(weight.name),
        type=values.tensor_type(writer, weight.type),
        storage=place.storage,
        offset=place.offset,
        sha256=writer.string(place.sha256),
    )


def _function(writer: Writer, function: Function, room: CallRoom) -> int:
    folded = fold(function, room)
    return writer.table(
        "Function",
        name=writer.string(function.name),
        tensors=writer.tables([_tensor(writer, t) for t in folded.tensors]),
        operations=writer.tables([_operation(writer, op) for op in folded.operations]),
        steps=writer.tables([_step(writer, step) for step in folded.steps]),
        inputs=writer.numbers(function.inputs, INT32),
        outputs=writer.tables([_output(writer, o) for o in function.outputs]),
        bound_ns=function.bound_ns or 0.0,
        recomputation=_recomputation(writer, function.recomputation),
        greedy_saves_ns=function.greedy_saves_ns,
        loops=writer.tables([_function(writer, loop, room) for loop in function.loops]),
    )


def _step(writer: Writer, step: CalledStep) -> int:
    return writer.table(
        "Step",
        start=step.start,
        operations=writer.tables([_operation(writer, op) for op in step.operations]),
        tensors=writer.tables([_tensor(writer, t) for t in step.tensors]),
        varying=writer.numbers(step.varying, INT32),
        calls=writer.tables([_call(writer, call) for call in step.calls]),
    )


def _call(writer: Writer, call: StepCall) -> int:
    return writer.table(
        "StepCall",
        first_tensor=call.first_tensor,
        arguments=writer.numbers(call.arguments, INT32),
        addresses=writer.numbers(call.addresses, UINT64),
        attributes=values.attributes(writer, call.attributes),
    )


def _recomputation(writer: Writer, of: Recomputation | None) -> int | None:
    return None if of is None else writer.table("Recomputation", ns=of.ns, bound_ns=of.bound_ns or 0.0)


def _tensor(writer: Writer, tensor: Tensor) -> int:
    return writer.table(
        "Tensor",
        id=tensor.id,
        name=writer.string(tensor.name),
        type=values.tensor_type(writer, tensor.type),
        layout=values.layout(writer, tensor.layout),
        kind=enums.TENSOR_KIND.number[tensor.kind],
        address=tensor.address,
        alias=tensor.alias,
        held=_held(writer, tensor.held),
        is_complex=tensor.is_complex,
    )


def _held(writer: Writer, held: HeldWeight | None) -> int | None:
    if held is None:
        return None
    order = writer.numbers(held.order, INT32)
    return writer.table("Held", weight=writer.string(held.weight), part=held.part, order=order)


def _operation(writer: Writer, op: Operation) -> int:
    operands = [-1 if i is None else i for i in op.operands]
    return writer.table(
        "Operation",
        name=writer.string(op.name),
        operands=writer.numbers(operands, INT32),
        results=writer.numbers(op.results, INT32),
        attributes=values.attributes(writer, op.attributes),
        grid=op.grid,
        spread=enums.SPREAD.number[op.spread],
        fidelity=enums.FIDELITY.number[op.fidelity],
        config=values.attributes(writer, config_fields(op.config)),
        circular_buffer_bytes=op.circular_buffer_bytes,
        location=writer.string(op.location),
    )


def _output(writer: Writer, output: Output) -> int:
    return writer.table("Output", name=writer.string(output.name), tensor=output.tensor, is_complex=output.is_complex)
