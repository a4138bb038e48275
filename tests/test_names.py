"""Names and docstrings: no two classes share one, functions are verbs or nouns for what they give; docstrings are sentences."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [
    ast.parse(path.read_text())
    for package in ("ttstack", "runtime")
    for path in (ROOT / package).rglob("*.py")
    if "_generated" not in path.parts and "standin" not in path.parts  # which has the names of what it stands in for
]

PARTICIPLE = re.compile(
    r"(?!embed$|need$|feed$|.*(embedding|mapping|nesting|padding|routing|sampling|scheduling|setting|sharding|spelling|string)$)"
    r"(\w+ed|\w+ing|built|chosen|found|given|held|hidden|kept|known|made|seen|sent|shown|taken|told|written)$"
)
FIRST = {"check", "ensure", "from", "has", "is", "run"}
"""With which a name may end in a participle: `is_placed`, `run_isolated`."""
ENDS = {"as", "at", "by", "from", "in", "of", "on", "to", "up", "with"}
"""Words before which the main one stands: the last of `made_by`, `named_in`."""
KEPT = {
    "batch_norm_training": "an op of TTIR",
    "dequantize_unrolled": "an op of TTIR",
    "ordered": "a method of `ttstack.Report`, which users call",
    "quantize_unrolled": "an op of TTIR",
    "requantize_unrolled": "an op of TTIR",
    "unsourced": "a method of `ttstack.SystemDesc`, which users call",
}


def functions(tree: ast.AST) -> Iterator[str]:
    """Public functions and methods that are called: no properties, none inside of another."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            if not any("property" in ast.unparse(d) for d in node.decorator_list) and not node.name.startswith("_"):
                yield node.name
        elif not isinstance(node, ast.expr):
            yield from functions(node)


def docstrings(tree: ast.AST) -> Iterator[str]:
    """Those of modules, classes, functions and fields."""
    blocks = (node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    for statement in (statement for block in blocks for statement in block if isinstance(statement, ast.Expr)):
        if isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str):
            yield statement.value.value


def is_participle(name: str) -> bool:
    """Whether a function is named by a participle alone: `made_by` is, `moved_tiles` names tiles."""
    words = name.strip("_").split("_")
    main = next((words[i - 1] for i, word in enumerate(words) if i and word in ENDS), words[-1])
    return words[0] not in FIRST and PARTICIPLE.match(main) is not None


def test_no_two_classes_have_one_name() -> None:
    names = Counter(node.name for module in MODULES for node in ast.walk(module) if isinstance(node, ast.ClassDef))
    assert len(names) > 500
    assert not {name: count for name, count in names.items() if count > 1}


def test_functions_are_no_participles() -> None:
    names = {name for module in MODULES for name in functions(module)}
    assert len(names) > 1000
    assert {name for name in names if is_participle(name)} == set(KEPT)


def test_docstrings_are_sentences() -> None:
    said = [text for module in MODULES for text in docstrings(module)]
    assert len(said) > 4000
    assert not [text for text in said if text.split()[0] == "Of" or text.split("\n\n")[0].rstrip()[-1] not in ".:?"]


@pytest.mark.parametrize("name", ["placed", "made_by", "rounded_to_even", "ops_shown", "closing", "known"])
def test_participles_are_found(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["is_placed", "moved_tiles", "embedding", "place", "run_isolated", "check_nesting"])
def test_verbs_nouns_and_predicates_pass(name: str) -> None:
    assert not is_participle(name)
