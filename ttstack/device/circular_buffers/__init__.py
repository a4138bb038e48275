"""Circular buffers as the kernels of tt-metal allocate them, to the byte, in a file for each kind of kernel.

This package contains the bytes of each kind of kernel (`matmul` and `convolution` for any choice of blocks, `rowwise`,
`attention`, `eltwise`, `movement`, ...). Other modules contain the choice of blocks (`ttstack.device.matmul.configs`,
`ttstack.device.block_configs`), and the footprint of an op, the maximum of its kernels (`ttstack.device.footprint`).

Numbers are those that `ttnn` 0.81.1 reports when it runs the kernels on a mock device.
"""
