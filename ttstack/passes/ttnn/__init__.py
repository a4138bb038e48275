"""Passes on `ttnn`: deallocation and addresses of buffers."""
