"""Random attention, caches and recurrences, compiled with and without rewrites: values must be PyTorch's."""
