"""An edit is one override more: the program is that of `compile`, and what it changed adds up."""

from pathlib import Path

import pytest

import ttstack
from tests.explore.conftest import MODEL
from ttstack.diagnostics import InputError, OverrideError
from ttstack.explore.session import Session

MAY_BE_EDITED = (
    ("memory", "dram"),
    ("grid", "1x2"),
    ("dtype", "bfp8_b"),
    ("fidelity", "HiFi2"),
)


def longest(session: Session) -> str:
    """The number of the product that takes the most time."""
    report = session.versions[0].reports["forward"]
    return str(max((op for op in report.ops if op.name == "linear"), key=lambda op: op.elapsed_ns).index)


@pytest.mark.parametrize(("field", "value"), MAY_BE_EDITED)
def test_an_edit_gives_what_compile_gives(session: Session, tmp_path: Path, field: str, value: str) -> None:
    session.save_overrides = tmp_path / "overrides.yaml"
    time, change = session.edit("ttnn", longest(session), field, value)
    before, after = session.versions
    compiled = ttstack.compile(MODEL, overrides=tmp_path / "overrides.yaml")
    assert after.binary.functions == compiled.binary.functions
    assert after.binary.functions != before.binary.functions
    old, new = (v.reports["forward"].total_ns / 1000 for v in (before, after))
    assert sum(map(float, time.values.values())) == pytest.approx(new)
    assert sum(map(float, change.values.values())) == pytest.approx(new - old)
    assert [graph.id for graph in session.graphs][:2] == ["ttnn, edit 1", "ttnn"]


def test_edits_follow_one_another_or_begin_anew(session: Session) -> None:
    op = longest(session)
    session.edit("ttnn", op, "grid", "1x2")
    session.edit("ttnn", op, "fidelity", "HiFi2")
    session.edit("ttnn", op, "fidelity", "HiFi2", base=0)
    _, second, both, alone = (len(version.overrides.ops) for version in session.versions)
    assert (second, both, alone) == (1, 2, 1)
    where = session.versions[0].reports["forward"].ops[int(op)].location
    found = [
        next(o for o in v.reports["forward"].ops if o.location == where and o.name == "linear")
        for v in session.versions
    ]
    assert [str(o.grid) for o in found[1:3]] == ["1x2"] * 2
    assert found[3].grid == found[0].grid


def test_an_edit_of_an_edit_names_its_ops(session: Session) -> None:
    op = longest(session)
    session.edit("ttnn", op, "grid", "1x2")
    _, change = session.edit("ttnn, edit 1", op, "grid", "2x2", base=1)
    assert set(change.values) == {f"op {op.index}" for op in session.versions[1].reports["forward"].ops}


REFUSED = (
    ("ttnn", "99", "memory", "l1", "there is no op 99"),
    ("ttnn", "op x", "memory", "l1", "no op is 'x'"),
    ("ttnn", "0", "colour", "red", "an op has no 'colour' to edit"),
    ("ttnn", "0", "memory", "sram", "memory is dram or l1"),
    ("ttnn", "0", "grid", "4", "grid"),
    ("ttnn", "0", "grid", "ax2", "integer"),
    ("ttnn", "0", "grid", "90x90", "is larger than the device's 8x8"),
    ("ttnn", "0", "layout", "round", "layout"),
    ("ttnn", "0", "config", "in0_block_w=x y", "config"),
    ("ttnn", "0", "config", "colour=3", "no configuration has colour"),
    ("ttir", "0", "memory", "l1", "ops of the graph 'ttir' have no placement yet"),
    ("moon", "0", "memory", "l1", "there is no graph 'moon'"),
)


def test_what_cannot_be_is_said_and_changes_nothing(session: Session, tmp_path: Path) -> None:
    session.save_overrides = tmp_path / "overrides.yaml"
    for graph, op, field, value, said in REFUSED:
        with pytest.raises((InputError, OverrideError)) as caught:
            session.edit(graph, op, field, value)
        assert said in str(caught.value)
    with pytest.raises(InputError, match="there is no edit 3"):
        session.edit("ttnn", "0", "memory", "dram", base=3)
    assert len(session.versions) == 1
    assert not session.save_overrides.exists()


def test_a_change_of_layout_has_no_placement(session: Session) -> None:
    session.edit("ttnn", "0", "layout", "block_sharded")
    _, after = session.versions
    moved = next(op for op in after.reports["forward"].ops if op.name == "to_layout")
    with pytest.raises(InputError, match="which has no placement of its own"):
        session.edit("ttnn, edit 1", str(moved.index), "memory", "dram")
