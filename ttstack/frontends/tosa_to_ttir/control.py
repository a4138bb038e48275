"""Unsupported ops, with the reasons."""

from typing import NoReturn

from ttstack.frontends.tosa_to_ttir.tosa_op import TosaConversionTable, TosaOp

CONVERSIONS = TosaConversionTable()


@CONVERSIONS("while_loop")
def _loop(call: TosaOp) -> NoReturn:
    """Reject loops, which are not unrolled here."""
    call.refuse("is a loop", "write its rounds out before the export")


@CONVERSIONS("variable_read", "variable_write")
def _variable(call: TosaOp) -> NoReturn:
    """Reject variables: state must be an argument and a result."""
    call.refuse("is state that no argument holds", "make it an argument and a result of the function")
