"""MLIR text of ttstack's dialects: tokens, edits that keep lines in place, and the printer.

Rewriting of tt-mlir's text and parser errors belong to `ttstack.frontends`.
"""

from ttstack.dialects.text.printer import elide, print_module
from ttstack.dialects.text.trailer import restore_attributes, stored_attributes

__all__ = ["elide", "print_module", "restore_attributes", "stored_attributes"]
