"""Ops whose kernels need data from the host in each pass."""

WRITES_FROM_HOST = ("arange", "full", "ones", "reverse", "zeros")
"""Ops whose calls in `ttnn` write values from the host: a trace cannot record them."""
