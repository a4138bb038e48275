"""Buffers of a function: aliases, lifetimes, addresses, and memory in use.

Values can be of any type: numbers of a placement graph, MLIR values, ids of a program's tensors.
"""
