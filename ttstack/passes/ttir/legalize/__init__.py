"""Forms that the library's kernels take: decompositions of ops without a kernel, and operands that fit one.

Each rewrite here is needed for a program to run at all; what only makes it faster belongs elsewhere.
"""
