"""Names and fields that the page on the Python API promises: they stay within a major version.

`promised.txt` grows with `pytest tests/api/test_promises.py --update-golden`, which takes no line away.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS

FILE = Path(__file__).with_name("promised.txt")


def promised() -> Iterator[str]:
    """What the page documents: functions with their parameters, classes with their public members."""
    for path in re.findall(r"generated: api (ttstack[\w.]*)", (DOCS / "python-api.md").read_text()):
        module, _, name = path.rpartition(".")
        thing = getattr(importlib.import_module(module), name)
        yield from members(path, thing) if inspect.isclass(thing) else parameters(path, thing)


def members(path: str, cls: type[Any]) -> Iterator[str]:
    own = [base for base in cls.__mro__ if base.__module__.startswith("ttstack.")]
    names = {name for base in own for name in vars(base) if not name.startswith("_")}
    names |= {field.name for field in fields(cls) if not field.name.startswith("_")} if is_dataclass(cls) else set()
    for name in sorted(names):
        value = inspect.getattr_static(cls, name, None)
        yield f"{path}.{name}"
        if inspect.isfunction(value):
            yield from parameters(f"{path}.{name}", value)


def parameters(path: str, function: Any) -> Iterator[str]:
    yield from (f"{path}({name})" for name in inspect.signature(function).parameters if name != "self")


def test_what_was_promised_is_there(pytestconfig: pytest.Config):
    stored, found = set(FILE.read_text().split()) if FILE.exists() else set[str](), set(promised())
    if pytestconfig.getoption("--update-golden"):
        FILE.write_text("".join(f"{line}\n" for line in sorted(stored | found)))
        stored |= found
    assert not stored - found, "a user's code reads these: give them back, under their first names if need be"
    assert not found - stored, "these are new promises: run this test with --update-golden"
