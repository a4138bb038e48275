"""Nothing: the bindings search the file system for this module at every op of `chlo` until they find it."""
