"""How much a model may be written out to."""

import ast
import inspect
from itertools import pairwise

from ttstack.frontends import limits
from ttstack_docs.markdown import table


def written_out() -> str:
    """Every limit on what becomes of loops, calls and windows, with what it counts."""
    tree = ast.parse(inspect.getsource(limits))
    rows = [_row(named, said) for named, said in pairwise(tree.body) if isinstance(named, ast.AnnAssign)]
    return table(("at most", "of what"), rows)


def _row(named: ast.AnnAssign, said: ast.stmt) -> tuple[str, str]:
    assert isinstance(named.target, ast.Name)
    assert isinstance(said, ast.Expr)
    return f"{getattr(limits, named.target.id):,}", ast.literal_eval(said.value)
