"""The parts of the cost model."""

import ast
from pathlib import Path

import ttstack.cost
from ttstack.cost import Combination, Term
from ttstack.system_desc.resources import Resource
from ttstack_docs.markdown import literal, table

_FOLDER = Path(ttstack.cost.__file__).parent


_COMBINATIONS = {
    "overlapping": (Combination.MATH, Combination.STREAM),
    "added": (Combination.ADDED, Combination.AFTER),
}


def cost_terms(kind: str) -> str:
    """The terms that overlap with others, or are added to them, and what each is."""
    rows = [(literal(term), term.meaning) for term in Term.of(*_COMBINATIONS[kind])]
    return table(("term", "what it is"), rows)


def resource_figures() -> str:
    """Every resource that an op can be bound by, with its figures in a device description."""
    rows = [(literal(r), r.full_name, r.meaning, ", ".join(map(literal, r.sections))) for r in Resource]
    return table(("bound", "resource", "what the op waits for", "figures"), rows)


def resource_remedies() -> str:
    """What makes ops faster that are bound by each resource."""
    return table(
        ("bound", "what the op waits for", "what helps"), [(literal(r), r.meaning, r.remedy) for r in Resource]
    )


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
