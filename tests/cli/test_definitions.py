"""`ttstack ops` and `ttstack passes` say what definitions say."""

from collections.abc import Callable
from typing import Any

import pytest

from ttstack.dialects.ttir import views
from ttstack.ops import OPS
from ttstack.ops.described import describe_op
from ttstack.passes.base import PASSES

Command = Callable[..., Any]


def test_every_op_is_listed(ttstack: Command) -> None:
    listed = ttstack("ops").out
    assert all(name in listed for name in OPS)


@pytest.mark.parametrize("name", ["layer_norm", "ttir.layer_norm", "ttnn.layer_norm"])
def test_an_op_has_operands_attributes_and_a_view(ttstack: Command, name: str) -> None:
    shown = ttstack("ops", name).out
    for text in ("input, weight?, bias?, residual?", "epsilon = 1.0 : f32, default 1e-05", "views.LayerNorm"):
        assert text in shown


def test_views_have_the_names_that_are_shown() -> None:
    named = [describe_op(spec).view for spec in OPS.values() if spec.executable]
    assert [name for name in named if not hasattr(views, name)] == []


def test_a_pass_has_its_text_its_stage_and_how_to_leave_it_out(ttstack: Command) -> None:
    shown = ttstack("passes", "fuse").out
    assert (PASSES["fuse"].__doc__ or "").split()[0] in shown
    assert "--without fuse" in shown
    assert PASSES["fuse"].stages[0].title in shown


@pytest.mark.parametrize(("words", "meant"), [(("ops", "layernorm"), "layer_norm"), (("passes", "fusee"), "fuse")])
def test_unknown_names(ttstack: Command, words: tuple[str, str], meant: str) -> None:
    result = ttstack(*words)
    assert result.code == 1
    assert f"did you mean '{meant}'?" in result.err
