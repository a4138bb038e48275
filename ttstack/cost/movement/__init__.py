"""Kernels that move data without computing: the block-by-block work of a core's threads.

Belongs here: which kernel of tt-metal an op is (`choose`), and a description of each. Does not belong here: operands
of kernels that also compute (`ttstack.cost.data`).
"""
