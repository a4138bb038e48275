"""Matmuls: merging, splitting, batching, and folding into their weights.

Movement that a matmul absorbs belongs here; other movement belongs to `movement`.
"""
