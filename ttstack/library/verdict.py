"""The library's verdict on a program: accepted and rejected ops, and differences."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ttstack.device.footprint import circular_buffers
from ttstack.library.graph import Launch, launches, reason
from ttstack.ttnn_python import Emission
from ttstack.ttnn_python.function import EmittedOp


@dataclass(frozen=True)
class LibraryVerdict:
    """The library's verdict on one op."""

    number: int
    """The op's number in reports."""
    name: str
    location: str
    refusal: str
    """The library's message; empty if it accepts the op."""
    result: str
    """How the library's result differs in shape, format, layout or memory; empty if equal."""
    launches: tuple[Launch, ...]
    """The library's device operations."""
    op_code: str
    """The device operation by ttstack."""
    buffer_bytes: int
    """Bytes of circular buffers on a core, by ttstack."""
    l1_bytes: int
    """L1 bytes in use on a core, by ttstack."""

    @property
    def accepted(self) -> bool:
        """True if the op runs."""
        return not self.refusal

    @property
    def main(self) -> Launch | None:
        """The device operation that ttstack names, otherwise that with the most buffers."""
        alike = [launch for launch in self.launches if launch.name == self.op_code]
        return max(alike or self.launches, key=lambda launch: launch.buffer_bytes, default=None)

    @property
    def same_buffers(self) -> bool:
        """True if circular buffers have equal bytes in the library and in ttstack."""
        return self.accepted and self.buffer_bytes == max((x.buffer_bytes for x in self.launches), default=0)

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
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
    """The library's verdict on a program."""

    board: str
    version: str
    """The library's version."""
    verdicts: tuple[LibraryVerdict, ...]
    refusal: str
    """The error of the unchanged program; empty if it ran completely."""

    @property
    def refused(self) -> tuple[LibraryVerdict, ...]:
        """The rejected ops."""
        return tuple(verdict for verdict in self.verdicts if not verdict.accepted)

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "board": self.board,
            "version": self.version,
            "runs": not self.refusal,
            "refusal": self.refusal,
            "ops": [verdict.as_dict() for verdict in self.verdicts],
        }


def judgement(emission: Emission, board: str, version: str, found: Mapping[str, Any]) -> Judgement:
    """Return the child's results, op by op."""
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
    """Return the bytes of an op's circular buffers, without shards of intermediates, which its program also counts."""
    return circular_buffers(emission.function.device_op(step.operation), emission.binary.chip(emission.function))
