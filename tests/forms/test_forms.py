"""Modules of one op each, in every form that its definition allows: accepted, and equal to it; or refused."""

from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType

import pytest

import ttstack
from tests.forms.form import Form, assert_is, function
from ttstack.context import new_context
from ttstack.diagnostics import TTStackError
from ttstack.frontends.text import parse

pytest.importorskip("torch")

from tests.forms import (
    attention,
    cache,
    convolution,
    creation,
    decode,
    eltwise,
    lookup,
    matmul,
    mesh,
    movement,
    normalization,
    pool,
    quantization,
    reduction,
)

FAMILIES: Sequence[ModuleType] = (
    attention,
    cache,
    convolution,
    creation,
    decode,
    eltwise,
    lookup,
    matmul,
    mesh,
    movement,
    normalization,
    pool,
    quantization,
    reduction,
)
FORMS = [(family, i) for family in FAMILIES for i in range(len(family.FORMS))]
INVALID = [case for family in FAMILIES for case in family.INVALID]


@lru_cache
def _program(family: ModuleType) -> ttstack.Program:
    """One program for all forms of a family that can be read, each a function."""
    with new_context():
        readable = [form.function(f"f{i}") for i, form in enumerate(family.FORMS) if _reads(form)]
    return ttstack.compile("".join(readable))


def _reads(form: Form) -> bool:
    try:
        parse(form.function("f"))
    except TTStackError:
        return False
    return True


def _id(case: tuple[ModuleType, int]) -> str:
    return str(case[0].FORMS[case[1]])


@pytest.mark.parametrize("case", FORMS, ids=_id)
def test_a_form_gives_what_its_definition_says(case: tuple[ModuleType, int]):
    family, number = case
    form: Form = family.FORMS[number]
    name = f"f{number}"
    if not any(f.name == name for f in _program(family).binary.functions):
        with new_context():
            parse(form.function("f"))  # says why
    outputs = _program(family).run({f"arg{i}": a for i, a in enumerate(form.arrays())}, function=name).outputs
    for got, want, t in zip(outputs.values(), form.expected(), form.returned, strict=True):
        assert_is(got, want, t)


@pytest.fixture(scope="module")
def context():
    with new_context() as found:
        yield found


@pytest.mark.parametrize("case", INVALID, ids=lambda case: f"{case[0]}({case[1]}) {case[3]}")
@pytest.mark.usefixtures("context")
def test_what_no_op_means_is_refused(case: tuple[str, str, str, str, str]):
    op, operands, results, attributes, says = case
    with pytest.raises(TTStackError) as refused:
        parse(function("f", op, operands.split(), results.split(), attributes))
    assert says in str(refused.value)


def test_there_are_hundreds_of_both():
    assert len(FORMS) >= 300
    assert len(INVALID) >= 100
