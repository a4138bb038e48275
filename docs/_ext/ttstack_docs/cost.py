"""The parts of the cost model."""

import ast
from pathlib import Path

import ttstack.cost
from ttstack.cost import Combination, Term
from ttstack_docs.markdown import literal, table

_FOLDER = Path(ttstack.cost.__file__).parent


_COMBINATIONS = {
    "overlapping": (Combination.MATH, Combination.STREAM),
    "added": (Combination.ADDED, Combination.AFTER),
}


def cost_terms(kind: str) -> str:
    """The terms that overlap with others, or are added to them: what each is, and what it counts as in *bound*."""
    rows = [
        (literal(term), term.meaning, literal(term.bound) if term.bound else "")
        for term in Term.of(*_COMBINATIONS[kind])
    ]
    return table(("term", "what it is", "bound"), rows)


def cost_modules() -> str:
    """Every module of the cost model with what it says about itself, and its functions."""
    rows = [_row(path) for path in sorted(_FOLDER.rglob("*.py")) if path.stem != "__init__"]
    return table(("module", "what it says", "functions"), rows)


def _row(path: Path) -> tuple[str, str, str]:
    tree = ast.parse(path.read_text())
    public = [n for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    functions = "<br>".join(f"{literal(f.name)}: {(ast.get_docstring(f) or '').partition(chr(10))[0]}" for f in public)
    return (
        literal(f"ttstack/cost/{path.relative_to(_FOLDER).as_posix()}"),
        " ".join((ast.get_docstring(tree) or "").split()),
        functions,
    )
