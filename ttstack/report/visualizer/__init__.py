"""The folders that ttnn-visualizer (https://github.com/tenstorrent/ttnn-visualizer) opens: memory and performance."""
