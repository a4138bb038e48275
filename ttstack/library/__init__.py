"""Validation of programs by the real `ttnn` library on a mock device, in another interpreter."""
