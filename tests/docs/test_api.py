"""The page on the Python API has every public name, and every public name says what it is."""

import inspect

import pytest

import ttstack
from tests.docs.pages import DOCS
from ttstack.options.choices import CHOICES

NAMES = [name for name in ttstack.__all__ if name != "__version__"]
CLASSES = [name for name in NAMES if inspect.isclass(getattr(ttstack, name))]


@pytest.mark.parametrize("name", ttstack.__all__)
def test_every_public_name_is_on_the_page(name: str):
    assert f"ttstack.{name}" in (DOCS / "python-api.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_documented(name: str):
    thing = getattr(ttstack, name)
    assert inspect.getdoc(thing)
    assert thing.__module__.startswith("ttstack.")


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_method_is_documented(name: str):
    cls = getattr(ttstack, name)
    own = (base for base in cls.__mro__ if base.__module__.startswith("ttstack."))
    methods = {key: value for base in own for key, value in vars(base).items() if not key.startswith("_")}
    for key, value in methods.items():
        if callable(value) or isinstance(value, property):
            assert inspect.getdoc(value), f"{name}.{key}"


def test_parameters_of_compile_are_described():
    text = inspect.getdoc(ttstack.compile) or ""
    for name in {*inspect.signature(ttstack.compile).parameters} - {*CHOICES}:
        assert f"    {name}: " in text
