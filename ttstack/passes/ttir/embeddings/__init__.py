"""Embedding lookups: bags, merged tables, lists of indices, sparse updates.

Tables in Tensor-Train form are in `tensor_train`.
"""
