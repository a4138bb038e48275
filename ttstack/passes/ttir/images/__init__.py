"""Convolutions, and norms of images: channels last, padding and batch norms folded, fewer groups, kernels of norms."""
