"""Ops that become part of another op's kernel: biases, activations, residual sums."""
