"""Attention as one op: decoding over a cache, masks, tiles of training.

Attention that a model writes out is found by `recognize`; what masks hide is found by `facts`.
"""
