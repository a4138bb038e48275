"""Data-flow facts: bounds, masks, indices, slots and positions, computed once for all values of a function.

A file here analyzes and builds nothing. `attention`, `caches` and `embeddings` decide what follows from a fact.
"""
