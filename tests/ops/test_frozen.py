"""Records whose methods are not generated behave as frozen dataclasses do."""

import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from ttstack.ops.frozen import FrozenRecord


class Base(FrozenRecord):
    """One field."""

    first: int


class Derived(Base):
    """Two, one with a default."""

    second: str = "b"


def test_values_decide_equality_and_hash() -> None:
    assert Derived(first=1) == Derived(first=1, second="b")
    assert hash(Derived(first=1)) == hash(Derived(first=1, second="b"))
    assert Derived(first=1) != Derived(first=2)
    assert Derived(first=1) != Base(first=1)
    assert len({Derived(first=1), Derived(first=1), Base(first=1)}) == 2


def test_fields_are_in_order_and_shown() -> None:
    assert [field.name for field in fields(Derived)] == ["first", "second"]  # pyright: ignore[reportArgumentType]
    assert repr(Derived(second="x", first=3)) == "Derived(first=3, second='x')"
    assert replace(Derived(first=3), second="y") == Derived(first=3, second="y")  # pyright: ignore[reportArgumentType]
    assert pickle.loads(pickle.dumps(Derived(first=3))) == Derived(first=3)


def test_what_is_missing_or_unknown_is_named() -> None:
    with pytest.raises(TypeError, match=r"Derived misses first, has no third, zero"):
        Derived(second="c", third=1, zero=0)  # pyright: ignore[reportCallIssue]


def test_nothing_changes() -> None:
    record = Derived(first=1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
        record.first = 2  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'first'"):
        del record.first  # pyright: ignore[reportAttributeAccessIssue]
