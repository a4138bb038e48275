"""One op on a device: layouts, cores, kernel class, circular buffers, program configuration."""
