"""Matmuls merged, split, batched, and what is folded into their weights.

Movement that a matmul absorbs belongs here; movement alone belongs to `movement`.
"""
