"""An empty module: without it, the bindings would search the file system at every op of `vhlo`."""
