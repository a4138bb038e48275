"""The public names of the package."""

import pytest

import ttstack
from ttstack.diagnostics import (
    ExecutionError,
    InputError,
    InvalidIRError,
    PassOptionError,
    SourceError,
    UnsupportedOpError,
)


def test_every_public_name_is_there():
    assert set(dir(ttstack)) == set(ttstack.__all__)
    assert all(getattr(ttstack, name) is not None for name in ttstack.__all__)


def test_every_error_is_one_family():
    for error in (InvalidIRError, UnsupportedOpError, SourceError, PassOptionError, InputError, ExecutionError):
        assert issubclass(error, ttstack.TTStackError)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = ttstack.nothing
