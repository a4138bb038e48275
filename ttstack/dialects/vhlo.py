"""Nothing: the bindings search the file system for this module at every op of `vhlo` until they find it."""
