"""Services of the process that know nothing of models, devices or MLIR.

Belongs here: files (whole or not at all), YAML, names that a user may have meant, faults of values, code of users and
plug-ins, locks that survive a fork, the garbage collector, and work in a child process (`isolation`).

Does not belong here: errors (`ttstack.diagnostics`), escapes that errors use (`ttstack.escape`), and whatever names an
op, a tensor or a chip.
"""
