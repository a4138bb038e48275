"""Nothing: the bindings search the file system for this module at every op of `stablehlo` until they find it."""
