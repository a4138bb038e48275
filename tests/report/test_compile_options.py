"""The options that a program was compiled with, as a title spells them."""

import json

import pytest

from ttstack.options.model import CompileOptions
from ttstack.report.compile_options import changed_options


def test_defaults_are_left_out() -> None:
    assert changed_options(CompileOptions().to_json()) == ""


def test_options_are_spelled_as_on_the_command_line() -> None:
    options = CompileOptions.of(
        {"weights_dtype": "bfp8_b", "placement": "optimal", "placement_caution": 0.5, "without": ("fuse", "cse")}
    )
    assert changed_options(options.to_json()) == (
        "--placement optimal --placement-caution 0.5 --weights-dtype bfp8_b --without fuse,cse"
    )
    assert changed_options(CompileOptions.of({"approximate": "none"}).to_json()) == "--approximate none"
    assert changed_options(json.dumps({"verify_patterns": True})) == "--verify-patterns"


@pytest.mark.parametrize("text", ["", "no JSON", "[]", '"text"', "[" * 100_000, json.dumps({"dtype": {"a": 1}})])
def test_other_texts_have_none(text: str) -> None:
    assert changed_options(text) == ""


def test_options_of_an_untrusted_file_stay_short_and_printable() -> None:
    assert len(changed_options(json.dumps({"dtype": "x" * 1000}))) == 160
    assert changed_options(json.dumps({"dtype": "a\x1b[31m"})) == ""
