"""Passes on `ttnn`: the end of buffers, and their addresses."""
