"""Program configurations of matrix products.

Belongs here: which configurations there are (`configs`), which rules of `ttnn` they keep (`rules`), and which one the
library chooses by itself (`default`). Does not belong here: the blocks of a given configuration
(`ttstack.device.matmul_blocks`) and their circular buffers (`ttstack.device.circular_buffers.matmul`).
"""
