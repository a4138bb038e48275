"""What is refused, with the reason."""

from typing import NoReturn

from ttstack.frontends.tosa_to_ttir.call import Call, ConversionTable

CONVERSIONS = ConversionTable()


@CONVERSIONS("while_loop")
def _loop(call: Call) -> NoReturn:
    """Refused: its rounds are not counted here."""
    call.refuse("is a loop", "write its rounds out before the export")


@CONVERSIONS("variable_read", "variable_write")
def _variable(call: Call) -> NoReturn:
    """Refused: state is an argument and a result."""
    call.refuse("is state that no argument holds", "make it an argument and a result of the function")


@CONVERSIONS("fft2d", "rfft2d")
def _fourier(call: Call) -> NoReturn:
    """Refused: there are no complex numbers."""
    call.refuse("is a Fourier transform", "multiply with its matrix")
