"""Attention as one op: decoding over a cache, masks, and tiles in training.

`recognize` finds attention that a model decomposes; `facts` finds hidden scores.
"""
