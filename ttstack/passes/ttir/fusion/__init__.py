"""Fusion of ops into another op's kernel: biases, activations, residual additions."""
