"""Kernels that move data and compute nothing: what the threads of a core do, block by block.

Belongs here: which kernel of tt-metal an op is (`choose`), and a description of each. Does not belong here: operands
of kernels that also compute (`ttstack.cost.data`).
"""
