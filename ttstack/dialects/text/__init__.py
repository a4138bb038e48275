"""MLIR text of our dialects: tokens, edits that keep lines in place, and the printer.

Respelling of tt-mlir's text and errors of the parser belong to `ttstack.frontends`.
"""

from ttstack.dialects.text.printer import elide, print_module

__all__ = ["elide", "print_module"]
