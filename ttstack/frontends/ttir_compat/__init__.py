"""Conversion of MLIR text of tt-mlir, old and new, and of ttstack to a syntax that MLIR can parse here.

Dialects defined from Python do not support ``<{...}>`` properties, custom assembly, or attributes with parameters other
than attributes. Everything here is text to text. Lines keep their number, and most tokens their column, so that
locations and parse errors point into the user's text.
"""

import re
from collections.abc import Collection

from ttstack.dialects.text.edits import Edits
from ttstack.dialects.text.operation import match_operation
from ttstack.dialects.text.tokens import Tokens
from ttstack.frontends.ttir_compat.attributes import Attributes
from ttstack.frontends.ttir_compat.custom import respell_custom
from ttstack.frontends.ttir_compat.destinations import Accepts, count_destinations
from ttstack.frontends.ttir_compat.generic import ResultSegments, Segments, respell_generic
from ttstack.frontends.ttir_compat.kind import looks_like
from ttstack.frontends.ttir_compat.older import respell_older

__all__ = ["Accepts", "Segments", "looks_like", "respell"]

_DIALECTS = ("tt", "ttcore", "ttir", "ttnn")
_CONCERNED = re.compile(rf"\b(?:{'|'.join(_DIALECTS)})[.<]")
_OPS = re.compile(r'"(?:tt|ttir|ttnn)\.')
_EMPTY = ("ttir.empty", '"ttir.empty"', "tensor.empty", '"tensor.empty"')


def respell(
    text: str,
    segments: Segments | None = None,
    accepts: Accepts | None = None,
    attributes: Collection[str] | None = None,
    result_segments: ResultSegments | None = None,
) -> str:
    """The text with tt-mlir's spellings replaced; text that has none, or no longer, comes back the same.

    Text whose brackets do not balance is left alone from there on, for MLIR to report.

    Args:
        text: A module in MLIR's text form, of any dialects.
        segments: Gives the `operandSegmentSizes` to write, or None for none, from an op's name, the number
            of its operands and the sizes in the text. Without it, those in the text stay.
        accepts: Whether the op of a name takes that many operands. With it, destination operands are
            recognised in text that does not mark them, by the ``empty`` op that made them.
        attributes: The attributes that the dialects define, as ``tt.grid``. With it, an attribute of
            tt-mlir's that is not among them becomes a plain string.
        result_segments: Gives the `resultSegmentSizes` to write from an op's name and the number of its results,
            or None for none.
    """
    # Looking for plain strings first spares texts of large constants a search that is fifty times slower.
    if not any(dialect + mark in text for dialect in _DIALECTS for mark in ".<") or not _CONCERNED.search(text):
        return text
    return _respell_ops(_respell_attributes(respell_older(text), attributes), segments, accepts, result_segments)


def _respell_attributes(text: str, known: Collection[str] | None) -> str:
    tokens = Tokens(text)
    edits = Edits(tokens)
    attributes = Attributes(tokens, edits, known)
    index = 0
    while index < len(tokens):
        index = attributes.respell(index) if tokens[index].startswith("#") else index + 1
    return edits.apply()


def _respell_ops(
    text: str, segments: Segments | None, accepts: Accepts | None, result_segments: ResultSegments | None
) -> str:
    tokens = Tokens(text)
    edits = Edits(tokens)
    empty: set[str] = set()
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token == "func.func":
            empty.clear()
        elif token.startswith("%") and tokens[index + 1] == "=":
            (empty.add if tokens[index + 2] in _EMPTY else empty.discard)(token)
        elif _OPS.match(token) and (op := match_operation(tokens, index)):
            respell_generic(op, edits, count_destinations(op, empty, accepts), segments, result_segments)
        index = respell_custom(tokens, edits, index)
    return edits.apply()
