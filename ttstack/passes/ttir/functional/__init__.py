"""Conversion of a frontend's output to one function of pure ops: calls, layouts, buffers, state.

Optimizations belong elsewhere, except for the form in which state is stored.
"""
