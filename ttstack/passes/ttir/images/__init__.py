"""Convolutions, and norms of images: channels last, folded padding and batch norms, kernels of group norms."""
