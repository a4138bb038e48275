"""A program judged by the library: what it takes, what it refuses, and what it does otherwise than we say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ttstack.device.footprint import circular_buffers
from ttstack.library.graph import Launch, launches, reason
from ttstack.ttnn_python import Emission
from ttstack.ttnn_python.function import EmittedOp


@dataclass(frozen=True)
class LibraryVerdict:
    """What the library made of one op."""

    number: int
    """The op's number in reports."""
    name: str
    location: str
    refusal: str
    """The library's own words; empty where it takes the op."""
    result: str
    """How what it gives there has another shape, format, layout or memory; empty where it is what we say."""
    launches: tuple[Launch, ...]
    """The device operations that it became there."""
    op_code: str
    """The device operation that we say it is."""
    buffer_bytes: int
    """Bytes of circular buffers on a core, here."""
    l1_bytes: int
    """In use of a core's L1 while it runs, here."""

    @property
    def accepted(self) -> bool:
        """Whether it runs."""
        return not self.refusal

    @property
    def main(self) -> Launch | None:
        """The device operation that we say it is, else that with the most buffers."""
        alike = [launch for launch in self.launches if launch.name == self.op_code]
        return max(alike or self.launches, key=lambda launch: launch.buffer_bytes, default=None)

    @property
    def same_buffers(self) -> bool:
        """Whether its circular buffers take as many bytes there as here."""
        return self.accepted and self.buffer_bytes == max((x.buffer_bytes for x in self.launches), default=0)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "number": self.number,
            "name": self.name,
            "location": self.location,
            "accepted": self.accepted,
            "refusal": self.refusal,
            "result": self.result,
            "op_code": self.op_code,
            "buffer_bytes": self.buffer_bytes,
            "l1_bytes": self.l1_bytes,
            "library": [
                {
                    "name": x.name,
                    "kernel": x.kernel,
                    "cores": x.cores,
                    "buffer_bytes": x.buffer_bytes,
                    "l1_bytes": x.peak_bytes,
                }
                for x in self.launches
            ],
        }


@dataclass(frozen=True)
class Judgement:
    """What the library made of a program."""

    board: str
    version: str
    """That of the library."""
    verdicts: tuple[LibraryVerdict, ...]
    refusal: str
    """Why the program is refused as it stands; empty where it ran to its end."""

    @property
    def refused(self) -> tuple[LibraryVerdict, ...]:
        """Ops that are not taken."""
        return tuple(verdict for verdict in self.verdicts if not verdict.accepted)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "board": self.board,
            "version": self.version,
            "runs": not self.refusal,
            "refusal": self.refusal,
            "ops": [verdict.as_dict() for verdict in self.verdicts],
        }


def judgement(emission: Emission, board: str, version: str, found: Mapping[str, Any]) -> Judgement:
    """What the child found, op by op."""
    validated, allocated = found["validate"], found["allocate"]
    refusals = {**allocated["refusals"], **validated["refusals"]}
    launched = launches(validated["graph"])
    verdicts = [
        _verdict(emission, step, launched.get(at, []), refusals.get(str(at), ""), allocated["results"].get(str(at), ""))
        for at, step in enumerate(emission.steps)
        if step.number is not None or str(at) in refusals or str(at) in allocated["results"]
    ]
    return Judgement(board, version, tuple(verdicts), reason(found["refusal"]) if found["refusal"] else "")


def _verdict(emission: Emission, step: EmittedOp, launched: list[Launch], refusal: str, result: str) -> LibraryVerdict:
    report = None if step.number is None else emission.report.ops[step.number]
    return LibraryVerdict(
        number=-1 if step.number is None else step.number,
        name=step.operation.name,
        location=step.operation.location,
        refusal=step.missing or (reason(refusal) if refusal else ""),
        result=result,
        launches=tuple(launched),
        op_code=report.op_code if report else "",
        buffer_bytes=buffers_here(emission, step),
        l1_bytes=report.l1_bytes if report else 0,
    )


def buffers_here(emission: Emission, step: EmittedOp) -> int:
    """Bytes of an op's circular buffers, without the shards that it makes on the way, which its program counts too."""
    return circular_buffers(emission.function.device_op(step.operation), emission.binary.chip(emission.function))
