"""Circular buffers as the kernels of tt-metal allocate them, to the byte, a file for each kind of kernel.

Figures are those that `ttnn` 0.81.1 shows when it runs the kernels on a mock device.
"""
