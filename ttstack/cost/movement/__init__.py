"""Kernels that move data and compute nothing: what the threads of a core do, block by block."""
