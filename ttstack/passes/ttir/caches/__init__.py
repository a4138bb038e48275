"""Writes into key-value caches, contiguous and paged, in place."""
