"""Verdicts of the library as text files, a line an op: what was asked, and what it made of that."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import ttstack
from tests.docs.pages import ROOT
from ttstack.library.verdict import Judgement, LibraryVerdict
from ttstack.ttnn_python import Emission
from ttstack.ttnn_python.expression import spell
from ttstack.ttnn_python.function import EmittedOp
from ttstack.ttnn_python.given import declare
from ttstack.ttnn_python.layers import assigned_variables, canonical

FOLDER = Path(__file__).parent / "verdicts"
COMMAND = "make verdicts"
PROGRAMS = {
    path.stem: path
    for path in (
        *sorted((ROOT / "tests/golden/functions").glob("*.mlir")),
        ROOT / "examples/encoder_layer.mlir",
        ROOT / "examples/dlrm.mlir",
        ROOT / "docs/mlp.mlir",
    )
}


@dataclass(frozen=True)
class Stored:
    """What the library made of one call."""

    call: str
    """Digest of the call and of the tensors that it takes and gives."""
    op: str
    accepted: bool
    operation: str
    """The device operation that it became there, without spaces; `-` where there is none."""
    kernel: str
    buffer_bytes: int

    @staticmethod
    def of(line: str) -> "Stored":
        """As `line` spells it."""
        call, op, verdict, operation, kernel, nbytes = line.split()
        return Stored(call, op, verdict == "accepted", operation, kernel, int(nbytes))

    def line(self) -> str:
        """As a line of a file."""
        verdict = "accepted" if self.accepted else "refused"
        return f"{self.call} {self.op} {verdict} {self.operation} {self.kernel} {self.buffer_bytes}"


def emission(name: str) -> Emission:
    """One of the programs, compiled."""
    program = ttstack.compile(PROGRAMS[name])
    return Emission(program.binary, program.function(), name)


def calls(found: Emission) -> Iterator[tuple[str, EmittedOp]]:
    """Each op that launches something, under the digest of its call."""
    variables = assigned_variables(found.steps)
    for step in found.steps:
        if step.number is not None:
            tensors = [
                found.function.tensors[i] for i in (*step.operation.operands, *step.operation.results) if i is not None
            ]
            text = [canonical([step], variables), *(spell(declare(t, found.constants)) for t in tensors)]
            configurations = {k: spell(v) for k, v in found.constants.values.items() if any(k in part for part in text)}
            yield hashlib.sha256(f"{text} {configurations}".encode()).hexdigest()[:12], step


def of_judgement(found: Emission, judged: Judgement) -> Iterator[Stored]:
    """The verdicts on a program's ops."""
    verdicts = {verdict.number: verdict for verdict in judged.verdicts}
    for call, step in calls(found):
        yield _of(call, verdicts[step.number or 0])


def _of(call: str, verdict: LibraryVerdict) -> Stored:
    main, nbytes = verdict.main, max((launch.buffer_bytes for launch in verdict.launches), default=0)
    operation, kernel = (main.name, main.kernel or "-") if main else ("-", "-")
    return Stored(call, verdict.name, verdict.accepted, operation, kernel, nbytes)


def stored() -> Mapping[str, Stored]:
    """All verdicts that are stored, by call."""
    lines = (line for path in FOLDER.glob("*.txt") for line in path.read_text().splitlines())
    return {found.call: found for found in map(Stored.of, lines)}


def store(name: str, verdicts: Iterable[Stored]) -> None:
    """Write those of one program, a line for each call."""
    FOLDER.mkdir(exist_ok=True)
    lines = dict.fromkeys(verdict.line() for verdict in verdicts)
    (FOLDER / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
