"""Every small change that can be made to one place of a source file, as the slips that people make."""

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Mutant:
    """One expression or statement of a file in another form."""

    path: str
    """Where the file is, from the root of the checkout."""
    line: int
    start: int
    """Bytes of the file before what is replaced."""
    end: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """The same for the same change to the same text, wherever that lies in the file."""
        return sha256(f"{self.path}|{self.before}|{self.after}|{self.line}".encode()).hexdigest()[:12]

    def applied(self, source: bytes) -> bytes:
        """The file's bytes with the change made."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}  {_short(self.before)}  ->  {_short(self.after)}"


def mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """All changes to a file that leave it a Python program; annotations, docstrings and words of errors stay."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _nodes(tree):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = source[start:end].decode()
        for after in _changed(node):
            yield Mutant(path, node.lineno, start, end, before, after)


def _nodes(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Expressions and statements that are computed when the program runs."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        waiting += _computed(node)


def _computed(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node, less what only readers and type checkers look at, and less f-strings.

    Positions inside of f-strings are not those of the file before Python 3.12.
    """
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    words = {id(_docstring(node))}
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "type_params"):
            continue
        parts = value if isinstance(value, list) else [value]
        yield from (part for part in parts if isinstance(part, ast.AST) and id(part) not in words)


def _docstring(node: ast.AST) -> ast.AST | None:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
        return None
    return body[0] if isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str) else None


def _changed(node: ast.expr | ast.stmt) -> Iterator[str]:
    match node:
        case ast.Constant():
            yield from map(repr, _other_values(node.value))
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            yield _with(node, op=_OPERATORS[type(op)]())
        case ast.Compare(ops=[op]):
            yield _with(node, ops=[_COMPARISONS[type(op)]()])
        case ast.BoolOp(op=op, values=values):
            yield _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            yield from (_with(node, values=[v for v in values if v is not left]) for left in values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield f"({ast.unparse(node.operand)})"
        case ast.IfExp():
            yield _with(node, body=node.orelse, orelse=node.body)
        case ast.Call():
            yield from _other_calls(node)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp() if node.generators[0].ifs:
            first = ast.comprehension(node.generators[0].target, node.generators[0].iter, [], 0)
            yield _with(node, generators=[first, *node.generators[1:]])
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield "pass"
        case _:
            return


def _other_values(value: object) -> Iterator[object]:
    match value:
        case bool():
            yield not value
        case int():
            yield from {value + 1, 2 * value} - {value}
        case float():
            yield 2 * value if value else 1.0
        case str() if re.fullmatch(r"[a-z_][a-z0-9_.]*[a-z]", value):
            yield value[:-1] + ("n" if value[-1] != "n" else "m")
        case _:
            return


def _other_calls(node: ast.Call) -> Iterator[str]:
    if isinstance(node.func, ast.Name) and node.func.id in _TWINS:
        yield _with(node, func=ast.Name(_TWINS[node.func.id], ast.Load()))
    for keyword in node.keywords:
        if keyword.arg:
            yield _with(node, keywords=[k for k in node.keywords if k is not keyword])


def _with(node: ast.AST, **fields: object) -> str:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return f"({ast.unparse(ast.fix_missing_locations(changed))})"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 100 else f"{words[:97]}..."


_OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_TWINS = {"min": "max", "max": "min", "any": "all", "all": "any", "sum": "max"}
