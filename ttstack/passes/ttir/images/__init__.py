"""Convolutions and norms of images: channels-last layout, folded padding and batch norms, grouped convolutions."""
