"""Program configurations of matmuls.

This package contains the possible configurations (`configs`), the rules of `ttnn` for them (`rules`), and the library's
default (`default`). Other modules contain the blocks of a given configuration (`ttstack.device.matmul_blocks`) and
their circular buffers (`ttstack.device.circular_buffers.matmul`).
"""
