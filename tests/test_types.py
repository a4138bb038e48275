"""What modules that hold IR leave untyped. `python tests/test_types.py` lists it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
AT_MOST = 55
"""Annotations with `Any`; none is known to hold an IR value where the bindings have a type for it."""


def annotations(tree: ast.AST) -> Iterator[ast.expr]:
    """Those of arguments, results and variables, and the types that names are given to."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as found) | ast.AnnAssign(annotation=found):
                yield found
            case ast.FunctionDef(returns=ast.expr() as found):
                yield found
            case ast.Assign(value=ast.Subscript() | ast.BinOp() | ast.Name() as found):
                yield found


def is_untyped(annotation: ast.AST) -> bool:
    """Whether it says `Any`, but for elements of arrays, and attributes by name as Python has them."""
    if isinstance(annotation, ast.Subscript):
        whole = ast.unparse(annotation)
        if whole.startswith(("np.ndarray[", "np.dtype[", "NDArray[")) or whole in (
            "dict[str, Any]",
            "Mapping[str, Any]",
        ):
            return False
    return getattr(annotation, "id", "") == "Any" or any(map(is_untyped, ast.iter_child_nodes(annotation)))


def holds_ir(tree: ast.AST) -> bool:
    """Whether a module imports the bindings."""
    return any(isinstance(node, ast.ImportFrom) and node.module == "ttstack.mlir" for node in ast.walk(tree))


def untyped() -> list[str]:
    """Places of such annotations."""
    modules = {path: ast.parse(path.read_text()) for path in sorted((ROOT / "ttstack").rglob("*.py"))}
    return [
        f"{path.relative_to(ROOT)}:{annotation.lineno}: {ast.unparse(annotation)}"
        for path, tree in modules.items()
        if holds_ir(tree)
        for annotation in annotations(tree)
        if is_untyped(annotation)
    ]


def test_ir_values_have_types() -> None:
    found = untyped()
    assert 0 < len(found) <= AT_MOST, "\n".join(found)


@pytest.mark.parametrize(
    ("annotation", "found"),
    [
        ("Any", True),
        ("list[Any]", True),
        ("dict[Any, int]", True),
        ("Callable[[Any], ir.Value]", True),
        ("Any | None", True),
        ("Mapping[str, list[Any]]", True),
        ("np.ndarray[Any, Any]", False),
        ("Mapping[str, np.ndarray[Any, Any]]", False),
        ("dict[str, Any]", False),
        ("ir.Value | None", False),
    ],
)
def test_untyped_annotations_are_found(annotation: str, found: bool) -> None:
    assert is_untyped(ast.parse(annotation, mode="eval").body) is found


if __name__ == "__main__":
    print(*untyped(), sep="\n")  # noqa: T201 is the command of the first line
