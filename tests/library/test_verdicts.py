"""What the library said of ten programs, and what our rules say of them; runs without the library."""

from collections.abc import Mapping

import pytest

from tests.library.stored import COMMAND, PROGRAMS, Stored, calls, emission, stored
from ttstack.device.rules import rule_faults
from ttstack.library.factories import factory
from ttstack.library.verdict import buffers_here

KNOWN = 0.4
"""Share of the calls that a verdict is stored for: fewer are left when placement decides otherwise."""

SAME_BYTES = 0.94
"""Share of calls with a verdict whose circular buffers take as many bytes here: it only rises."""

SAME_OPERATION = 0.95
"""Share of calls with a verdict whose device operation is the one that reports name: it only rises."""


@pytest.fixture(scope="module")
def verdicts() -> Mapping[str, Stored]:
    return stored()


def test_our_rules_refuse_what_the_library_refuses(verdicts: Mapping[str, Stored]):
    asked = known = same = named = 0
    factories: list[tuple[str, str]] = []
    others: list[str] = []
    for name in PROGRAMS:
        found = emission(name)
        chip = found.binary.chip(found.function)
        for call, step in calls(found):
            asked += 1
            verdict = verdicts.get(call)
            faults = [step.missing] if step.missing else [*rule_faults(found.function.device_op(step.operation), chip)]
            if verdict is None:
                continue
            known += 1
            same += verdict.buffer_bytes == buffers_here(found, step)
            if chosen := factory(found.function.device_op(step.operation)):
                factories.append((chosen, verdict.kernel))
            named += verdict.operation == found.report.ops[step.number or 0].op_code
            if verdict.accepted == bool(faults):
                others.append(f"{name} {step}: {faults or 'accepted here'}")
    assert others == []
    assert len(factories) >= 25
    assert [pair for pair in factories if pair[0] != pair[1]] == []
    assert known >= KNOWN * asked, f"{known} of {asked} calls have a verdict: {COMMAND}"
    assert same >= SAME_BYTES * known, f"{same} of {known} calls have as many bytes"
    assert named >= SAME_OPERATION * known, f"{named} of {known} calls are the operation that reports name"


def test_lines_are_read_as_they_are_written(verdicts: Mapping[str, Stored]):
    assert len(verdicts) >= 50
    assert all(Stored.of(verdict.line()) == verdict for verdict in verdicts.values())
