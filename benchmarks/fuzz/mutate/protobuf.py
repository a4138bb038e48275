"""Changes of ONNX models: fields of their messages, and of the bytes that these are written as."""

import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import DecodeError
from onnx import ModelProto

from benchmarks.fuzz.case import CANARY, Files, Mutator, Promise, first, with_first
from benchmarks.fuzz.mutate import plain
from benchmarks.fuzz.mutate.numbers import REAL, TEXT, WHOLE

_OPS = (
    "Add",
    "Relu",
    "Reshape",
    "Loop",
    "If",
    "Scan",
    "LSTM",
    "Einsum",
    "Range",
    "Tile",
    "Expand",
    "ConstantOfShape",
    "Pad",
    "Nope",
)


def _messages(message: Any) -> list[Any]:
    found = [message]
    for field, value in message.ListFields():
        if field.type == Field.TYPE_MESSAGE:
            for part in value if _repeated(field) else [value]:
                found += _messages(part)
    return found


def _repeated(field: Any) -> bool:
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == Field.LABEL_REPEATED


def _drawn(rng: random.Random, field: Any) -> Any:
    match field.cpp_type:
        case Field.CPPTYPE_FLOAT | Field.CPPTYPE_DOUBLE:
            return rng.choice(REAL)
        case Field.CPPTYPE_STRING:
            text = rng.choice((*TEXT, *_OPS, "x", "y", "y"))
            data = text.encode(errors="surrogatepass")
            return data if field.type == Field.TYPE_BYTES else data.decode(errors="replace")
        case Field.CPPTYPE_ENUM:
            return rng.randrange(0, 20)
        case _:
            return rng.choice(WHOLE)


def _value(rng: random.Random, message: Any) -> None:
    """A scalar field gets another value."""
    fields = [f for f, _ in message.ListFields() if f.type != Field.TYPE_MESSAGE] or [
        f for f in message.DESCRIPTOR.fields if f.type != Field.TYPE_MESSAGE
    ]
    if not fields:
        return
    field = rng.choice(fields)
    try:
        if _repeated(field):
            values = getattr(message, field.name)
            if values and rng.randrange(3):
                values[rng.randrange(len(values))] = _drawn(rng, field)
            else:
                values.append(_drawn(rng, field))
        else:
            setattr(message, field.name, _drawn(rng, field))
    except (ValueError, TypeError):  # more than the field holds
        message.ClearField(field.name)


def _dropped(rng: random.Random, message: Any) -> None:
    if fields := message.ListFields():
        message.ClearField(rng.choice(fields)[0].name)


def _repeat(rng: random.Random, message: Any) -> None:
    fields = [f for f, v in message.ListFields() if _repeated(f) and len(v)]
    if fields:
        values = getattr(message, rng.choice(fields).name)
        if rng.randrange(2):
            values.extend([values[rng.randrange(len(values))]])
        else:
            del values[rng.randrange(len(values))]


def _operator(rng: random.Random, message: Any) -> None:
    if message.DESCRIPTOR.name == "NodeProto":
        message.op_type = rng.choice(_OPS)
    else:
        _value(rng, message)


def _attribute(rng: random.Random, message: Any) -> None:
    if message.DESCRIPTOR.name == "NodeProto":
        made = message.attribute.add()
        made.name = rng.choice(("axis", "perm", "to", "keepdims", "axes", "group", "pads", "strides", "value", "body"))
        made.type, made.i = rng.choice((2, 2, 7)), rng.choice([n for n in WHOLE if abs(n) < 2**63])
        made.ints.extend([rng.randrange(-3, 4) for _ in range(rng.randrange(4))])
    else:
        _dropped(rng, message)


def _in_messages(change: Any) -> Any:
    def apply(rng: random.Random, files: Files) -> Files:
        model = ModelProto.FromString(files[first(files)])
        messages = _messages(model)
        for _ in range(rng.choice((1, 1, 2, 4))):
            change(rng, rng.choice(messages))
        return with_first(files, model.SerializeToString())

    return apply


def _names_in_bytes(rng: random.Random, files: Files) -> Files:
    """A name of the same length that is not UTF-8: the classes of protobuf write none."""
    model = ModelProto.FromString(files[first(files)])
    names = [n for node in model.graph.node for n in (*node.input, *node.output, node.op_type, node.name) if n]
    name = rng.choice(names or ["x"]).encode()
    odd = rng.choice((b"\xff", b"\0", b"\xed", b" ")) * len(name)
    return with_first(files, model.SerializeToString().replace(name, odd))


def _external(rng: random.Random, files: Files) -> Files:
    """A tensor whose data lie in another file, at another place, or in one that is not one of ours."""
    model = ModelProto.FromString(files[first(files)])
    tensor = model.graph.initializer[0] if model.graph.initializer else model.graph.initializer.add()
    tensor.data_location = 1
    del tensor.external_data[:]
    given = {
        "location": rng.choice(
            ("weights.bin", "/etc/passwd", "../secret", "/dev/zero", "a/../../secret", "", ".", "nul\0")
        ),
        "offset": rng.choice(("0", "1", "-1", str(2**63), "x", "4096")),
        "length": rng.choice(("4", "8192", str(2**62), "-4", "", "0x10")),
    }
    for key in rng.sample(list(given), rng.randrange(1, 4)):
        tensor.external_data.add(key=key, value=given[key])
    return with_first(files, model.SerializeToString())


def _stays(rng: random.Random, files: Files) -> Files:
    """Words for people, and fields that no version has."""
    model = ModelProto.FromString(files[first(files)])
    model.doc_string, model.producer_name = CANARY, str(rng.randrange(99))
    for node in model.graph.node:
        node.doc_string = "said"
    return with_first(files, model.SerializeToString() + b"\xf2\x07\x03abc")


def readable(data: bytes) -> ModelProto | None:
    """The model, where the bytes are one."""
    try:
        return ModelProto.FromString(data)
    except DecodeError:
        return None


MUTATORS = [
    *plain.mutators(),
    *(
        Mutator(f"onnx{change.__name__}", _in_messages(change))
        for change in (_value, _value, _dropped, _repeat, _operator, _attribute)
    ),
    Mutator("onnx_names", _names_in_bytes),
    Mutator("onnx_external", _external),
    Mutator("onnx_stays", _stays, Promise.EQUAL),
]
EXTERNAL = [
    *plain.mutators(),
    *(Mutator(f"beside_{m.name}", m.change) for m in plain.mutators(beside=True) if m.name in ("truncate", "delete")),
    Mutator("onnx_external", _external),
    Mutator("onnx_value", _in_messages(_value)),
    Mutator("onnx_dropped", _in_messages(_dropped)),
    Mutator("onnx_stays", _stays, Promise.EQUAL),
]
