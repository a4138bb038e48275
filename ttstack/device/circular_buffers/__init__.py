"""Circular buffers as the kernels of tt-metal allocate them, to the byte, a file for each kind of kernel.

Belongs here: bytes of each kind of kernel (`matmul` and `convolution` for any choice of blocks, `rowwise`, `attention`,
`eltwise`, `movement`, ...). Does not belong here: the choice of blocks (`ttstack.device.matmul.configs`,
`ttstack.device.block_configs`), and the footprint of an op, which is the most of its kernels
(`ttstack.device.footprint`).

Numbers are those that `ttnn` 0.81.1 reports when it runs the kernels on a mock device.
"""
