"""Data-flow facts: bounds, masks, indices, slots and positions, computed once for all values of a function.

These files analyze and build nothing. `attention`, `caches` and `embeddings` use the facts.
"""
