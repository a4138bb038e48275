"""What is refused, with the reason."""

from typing import NoReturn

from ttstack.frontends.tosa_to_ttir.call import Call, ConversionTable

CONVERSIONS = ConversionTable()


@CONVERSIONS("cond_if", "while_loop")
def _control_flow(call: Call) -> NoReturn:
    """Refused: decided before the model is exported."""
    call.refuse("is control flow", "decide before the export, or use tosa.select; write loops out")


@CONVERSIONS("variable_read", "variable_write")
def _variable(call: Call) -> NoReturn:
    """Refused: state is an argument and a result."""
    call.refuse("is state that no argument holds", "make it an argument and a result of the function")


@CONVERSIONS("fft2d", "rfft2d")
def _fourier(call: Call) -> NoReturn:
    """Refused: there are no complex numbers."""
    call.refuse("is a Fourier transform", "multiply with its matrix")
