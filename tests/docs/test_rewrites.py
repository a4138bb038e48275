"""The page on rewrites: a section for each, whose example shows it as it is now."""

import re

import pytest
from ttstack_docs.rewrites import EXAMPLES, rewrite_section, shown

from tests.docs.pages import DOCS
from tests.every import for_every
from ttstack.passes.base import PASSES, Builtin
from ttstack.passes.pipelines import PIPELINES
from ttstack.passes.stages import Stage

REWRITES = [
    name
    for name in dict.fromkeys(s.name for s in PIPELINES["ttir-to-ttnn"]().passes if not isinstance(s, Builtin))
    if PASSES[name].optional and Stage.MEMORY not in PASSES[name].stages
]
"""Those that change ops, in the order in which they run first."""


def _sections() -> dict[str, str]:
    _, *sections = re.split(r"^## ", (DOCS / "rewrites.md").read_text(), flags=re.MULTILINE)
    return {section.partition("\n")[0]: section for section in sections}


def test_every_rewrite_has_a_section_in_the_order_of_the_pipeline():
    assert list(_sections()) == REWRITES
    assert {path.stem for path in EXAMPLES.iterdir()} == {*REWRITES}


@for_every("name", REWRITES)
def test_a_section_shows_what_the_rewrite_does(name: str):
    stands = f"<!-- generated: rewrite {name} -->\n{rewrite_section(name)}\n<!-- end -->"
    assert stands in _sections()[name], "run: python docs/refresh.py"
    assert shown(name).us <= shown(name).us_without


def test_an_example_that_does_not_show_its_rewrite_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ttstack_docs.rewrites.EXAMPLES", DOCS)
    with pytest.raises(ValueError, match="'mlp' does not change"):
        shown("mlp")
