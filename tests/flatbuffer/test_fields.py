"""Every field of a file in turn is absent, of another kind, or an impossible number, under a checksum that fits."""

import random
import resource
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.flatbuffer.conftest import with_scan
from ttstack.compiled_program import Program
from ttstack.diagnostics import BinaryFormatError
from ttstack.flatbuffer import container, encode, load
from ttstack.flatbuffer.decode import decode
from ttstack.flatbuffer.weights import WeightsSection
from ttstack.flatbuffer.writer import Writer
from ttstack.ops.types import DType, QuantType, TensorType
from ttstack.program.embedding_table_report import EmbeddingTableReport
from ttstack.program.records import Binary, Weight

QUANTIZED = TensorType((4, 3), QuantType(DType.I8, DType.F32, (0.5, 0.25, 1.0), (0, 1, 2), 1, (-100, 100)))
TABLE = EmbeddingTableReport(
    *("table", 100, 4, "f32", 1, 1600, True, "it pays", (10, 10), (2, 2), (1, 3, 1)),
    *(100, 200, ("l1/replicated", "dram/interleaved"), 0.1, 0.2, 3.0, 4.0),
)
NUMBERS = (0, -1, 255, 2**31 - 1, -(2**31), 2**62, -(2**63), 2**64 - 1, float("nan"), float("inf"), -1.0)
MORE_BYTES = 256 << 20


@dataclass
class Fault:
    """What is written in place of the field that is written at `at`, counted from 0."""

    at: int
    value: Callable[[Writer], Any]
    fields: int = field(default=0)

    def instead(self, value: Any, writer: Writer) -> Any:
        self.fields += 1
        return self.value(writer) if self.fields - 1 == self.at else value


NONE = Fault(-1, lambda _: None)


class FaultyWriter(Writer):
    """Writes as always, but for one field."""

    fault: ClassVar[Fault]

    def table(self, name: str, /, **fields: Any) -> int:
        return super().table(name, **{key: self.fault.instead(value, self) for key, value in fields.items()})

    def numbers(self, values: Any, dtype: Any) -> int | None:
        return super().numbers([self.fault.instead(value, self) for value in values], dtype)

    def floats(self, values: Any) -> int:
        return super().floats([self.fault.instead(value, self) for value in values])


@pytest.fixture
def whole(binary: Binary) -> Binary:
    """The program with everything that a file can hold."""
    quantized = Weight("quantized", QUANTIZED, np.zeros(QUANTIZED.shape, np.int8))
    return replace(with_scan(binary), tables=(TABLE,), weights={**binary.weights, "quantized": quantized})


def write(binary: Binary, path: Path, fault: Fault) -> bool:
    """Write a file with a fault; False where the field cannot even hold it."""
    FaultyWriter.fault = fault
    section = WeightsSection(list(binary.weights.values()))
    try:
        program = encode.encode(binary, section.places)
    except Exception:
        return False
    with path.open("wb") as file:
        container.write(file, program, section.nbytes, section)
    return True


def read(path: Path, plain: Callable[[Binary], Binary]) -> str:
    """`refused`, or `loaded`: then it is costed, and the same after encoding."""
    try:
        found = load(path, verify=True)
    except BinaryFormatError:
        return "refused"
    FaultyWriter.fault = NONE
    for function in found.functions:
        Program(found).cost(function.name)
    assert repr(plain(decode(encode.encode(found)))) == repr(plain(found))
    return "loaded"


def wrong_value(draw: random.Random) -> Callable[[Writer], Any]:
    """Absent, a string where something else is expected, or a number."""
    number = draw.choice(NUMBERS)
    return draw.choice([lambda _: None, lambda writer: writer.string("zzz"), lambda _: number])


def test_every_field_in_turn(whole: Binary, plain: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, counting, tally = tmp_path / "model.ttb", Fault(-1, lambda _: None), Counter[str]()
    monkeypatch.setattr(encode, "Writer", FaultyWriter)
    assert write(whole, path, counting)
    assert read(path, plain) == "loaded"
    draw, before = random.Random(1), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for at in range(counting.fields):
        if write(whole, path, Fault(at, wrong_value(draw))):
            tally[read(path, plain)] += 1
    assert counting.fields > 300
    assert min(tally["refused"], tally["loaded"]) > 50
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MORE_BYTES >> 10


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"weights": {"w": Weight("w", TensorType((-1, 3), DType.F32))}}, "a tensor has the extent -1"),
        ({"weights": {"w": Weight("w", TensorType((2**40, 2**40), DType.F32))}}, "is too large"),
        ({"tables": (replace(TABLE, rows=None),)}, "a record of a table is damaged"),
        ({"tables": (replace(TABLE, rel_error=float("nan")),)}, "a record of a table is damaged"),
    ],
)
def test_impossible_records(binary: Binary, wrong: dict[str, Any], why: str) -> None:
    changed = replace(binary, **wrong)
    with pytest.raises(ValueError, match=why):
        decode(encode.encode(changed))
