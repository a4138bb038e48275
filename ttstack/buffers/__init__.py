"""Buffers of a function: who shares whose, how long each lives, where it lies, and what is in use meanwhile.

Values are whatever a caller tells apart: numbers of a placement graph, MLIR values, ids of a program's tensors.
"""
