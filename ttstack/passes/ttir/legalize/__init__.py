"""Legalization for the library: decompositions of ops without a kernel, and operands that fit one.

Programs need these rewrites to run; optimizations belong elsewhere.
"""
