"""The environment variables are all in one table."""

import re
from pathlib import Path

from ttstack.support.environment import VARIABLES, Variable

ROOT = Path(__file__).parents[1]
_NAME = re.compile(r"\bTTSTACK_[A-Z_]*[A-Z]\b")
_SUFFIXES = {".py", ".md", ".yml", ".sh", ".cpp", ".h", ""}
_TABLE = ROOT / "ttstack/support/environment.py"


def _texts() -> dict[Path, str]:
    folders = ("ttstack", "runtime", "tests", "benchmarks", "docs", "examples", ".ci")
    paths = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file() and p.suffix in _SUFFIXES]
    generated = [p for p in paths if "_build" not in p.parts and "_generated" not in p.parts]
    files = [ROOT / "Makefile", ROOT / "README.md", *generated]
    return {path: path.read_text("utf-8", errors="replace") for path in files}


def test_every_variable_is_in_the_table() -> None:
    found = {name for text in _texts().values() for name in _NAME.findall(text)}
    assert found == {variable.name for variable in VARIABLES}


def test_the_product_names_variables_by_the_table_only() -> None:
    package = [text for path, text in _texts().items() if ROOT / "ttstack" in path.parents and path != _TABLE]
    assert len(package) > 500
    assert not [text for text in package if re.search(r'"TTSTACK_[A-Z_]+"', text)]


def test_the_table_has_no_two_of_one_name() -> None:
    assert len({variable.name for variable in VARIABLES}) == len(VARIABLES)


def test_an_empty_variable_is_not_set(monkeypatch) -> None:
    variable = Variable("TTSTACK_LOG", "", "", "")
    monkeypatch.setenv(variable.name, "")
    assert variable.value is None
    monkeypatch.setenv(variable.name, "all")
    assert variable.value == "all"
