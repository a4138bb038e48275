"""Code on the pages runs as it stands, in the order of the page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ttstack_docs.in_place import PAGES

from tests.docs.pages import ROOT, blocks
from ttstack.ops.base import OPS
from ttstack.passes import pipelines
from ttstack.passes.base import PASSES
from ttstack.placement.overrides import load_overrides
from ttstack.system_desc import loads


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the examples in it, as in a checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def registries() -> Iterator[None]:
    """Ops and passes that a page defines end with it; our own are there before the first page."""
    pipelines.optional_passes()
    before = dict(OPS), dict(PASSES)
    yield
    registries: list[Any] = [OPS, PASSES]
    for registry, entries in zip(registries, before, strict=True):
        registry.clear()
        registry.update(entries)


def _program(page: Path) -> list[str]:
    return [b.text for b in blocks(page, "python") if b.file is None]


@pytest.mark.parametrize("page", [p for p in PAGES if _program(p)], ids=lambda p: p.stem)
def test_python_runs(page: Path, folder: Path, registries: None):
    names: dict[str, Any] = {"__name__": "example"}
    for text in _program(page):
        exec(compile(text, page.name, "exec"), names)


def _yaml(*, overrides: bool) -> list[Any]:
    found = [(page, block.text) for page in PAGES for block in blocks(page, "yaml")]
    return [pytest.param(t, id=page.stem) for page, t in found if t.startswith(("ops:", "arguments:")) == overrides]


@pytest.mark.parametrize("text", _yaml(overrides=False))
def test_device_descriptions_are_good(text: str):
    desc = loads(text)
    assert f"name: {desc.name}\n" in text
    assert not desc.chips[0].unsourced()


@pytest.mark.parametrize("text", _yaml(overrides=True))
def test_overrides_are_good(text: str):
    assert load_overrides(yaml.safe_load(text)).ops
