"""Every field of every record is in the file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any, cast

import numpy as np

from tests.flatbuffer.test_fields import QUANTIZED, TABLE
from ttstack.device.program_config import TileCounts
from ttstack.flatbuffer.decode import decode
from ttstack.flatbuffer.encode import encode
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loops import IndexExpr, IndexingMap
from ttstack.ops.types import TensorType
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.records import Binary, Function, HeldWeight, Recomputation, Tensor, Weight

ELSEWHERE = {(Weight, "data"), (Weight, "sha256"), (LoopNest, "index_bound"), (IndexingMap, "pick")}
"""Fields that lie where `WeightLocation` says, and those of lookups, which are named ops in a file."""

BY_NAME = (TileCounts, EmbeddingTableReport)
"""Records whose fields are written by their names, as attributes are."""


def full(binary: Binary) -> Binary:
    """A program in which each field has another value than its default somewhere."""
    function = binary.functions[0]
    nest = function.operations[2].attributes["program"]
    nest = replace(nest, inputs=(replace(nest.inputs[0], terms=(IndexExpr(2, 3, 4, 1),) * 3), *nest.inputs[1:]))
    operations = list(function.operations)
    operations[2] = replace(operations[2], attributes={"program": nest})
    tensors = list(function.tensors)
    tensors[1] = replace(tensors[1], layout=replace(tensors[1].layout, filters=True))
    tensors[0] = replace(tensors[0], is_complex=True)
    tensors[5] = replace(tensors[5], held=HeldWeight("cache", 1, (1, 0)))
    tensors[6] = replace(tensors[6], type=TensorType((4, 3), QUANTIZED.dtype))
    said = {"bound_ns": 1.5, "recomputation": Recomputation(2.5, 1.25), "greedy_saves_ns": 0.5}
    said |= {"loops": (replace(function, name="loop"),)}
    outputs = (replace(function.outputs[0], is_complex=True),)
    function = replace(function, tensors=tuple(tensors), operations=tuple(operations), outputs=outputs, **said)
    return replace(binary, functions=(function,), tables=(TABLE,), options="{}", fixed=("w",), finite=("t",))


def records(value: Any) -> Iterator[Any]:
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        for field in fields(value):
            yield from records(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for held in cast("Mapping[str, Any]", value).values():
            yield from records(held)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for held in cast("Sequence[Any]", value):
            yield from records(held)


def default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def test_every_field_comes_back(binary: Binary):
    given = full(binary)
    kinds = {type(record) for record in records(given) if not isinstance(record, BY_NAME)}
    assert kinds >= {Function, Tensor, Weight, IndexingMap}
    unset = {
        f"{kind.__name__}.{field.name}"
        for kind in kinds
        for field in fields(kind)
        if (kind, field.name) not in ELSEWHERE
        and all(_same(getattr(r, field.name), default(field)) for r in records(given) if type(r) is kind)
    }
    assert not unset, "give each a value of its own in `full`, tests/flatbuffer/test_records.py"
    described = replace(given, weights={n: Weight(n, w.type) for n, w in given.weights.items()})
    pairs = zip(records(decode(encode(described))), records(described), strict=True)
    lost = {
        f"{type(a).__name__}.{f.name}" for a, b in pairs for f in fields(a) if getattr(a, f.name) != getattr(b, f.name)
    }
    assert not lost, "write them in ttstack/flatbuffer/encode*.py, and read them in decode*.py"


def _same(a: Any, b: Any) -> bool:
    return not isinstance(a, np.ndarray) and a == b
