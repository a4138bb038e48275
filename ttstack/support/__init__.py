"""Process services without knowledge of models, devices or MLIR.

This package contains atomic files, YAML, name suggestions, errors of values, users' code and plug-ins, locks that
survive a fork, the garbage collector, and work in a child process (`isolation`).

Other modules contain errors (`ttstack.diagnostics`), escapes that errors use (`ttstack.escape`), and everything about
ops, tensors or chips.
"""
