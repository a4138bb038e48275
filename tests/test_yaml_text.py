"""Every text of a user's in YAML: what is none, is nested too deeply or repeats itself without end is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ttstack.diagnostics import TTStackError
from ttstack.options.tensor_train import read_rules
from ttstack.placement.overrides import load_overrides
from ttstack.support.yaml_text import line_of, read_yaml
from ttstack.system_desc import load
from ttstack.system_desc.what_if import what_if

LEVELS = "".join(f", &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]" for i in range(9))
TEXTS = {
    "unfinished": "[1, 2",
    "no date": "[2024-99-99]",
    "deep": "[" * 20_000 + "]" * 20_000,
    "itself": "&a [*a]",
    "repeated": f"[&a0 [1]{LEVELS}]",
    "tag": "[!!python/object/apply:os.getcwd []]",
}


def in_file(read: Callable[[Path], object]) -> Callable[[str, Path], object]:
    def written(text: str, folder: Path) -> object:
        (folder / "given.yaml").write_text(text)
        return read(folder / "given.yaml")

    return written


READERS = {
    "overrides": in_file(load_overrides),
    "tables": in_file(read_rules),
    "device": in_file(load),
    "what-if": lambda text, _: what_if(load("wormhole"), [f"dram.routers={text if text[0] == '[' else f'[{text}]'}"]),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_what_is_no_value_is_refused_by_all(read: Callable[[str, Path], object], text: str, tmp_path: Path) -> None:
    with pytest.raises(TTStackError):
        read(text, tmp_path)


def test_aliases_are_what_they_repeat() -> None:
    assert read_yaml("a: &x [1, 2]\nb: *x\nc:") == {"a": [1, 2], "b": [1, 2], "c": None}
    assert read_yaml("") is None


def test_a_control_character_of_json_hides_no_line():
    assert line_of('{"a": "\x7f",\n"b":\t[1]}', "b.0") == 2
