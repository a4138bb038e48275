"""One op on a device: layouts, cores, kernel class, circular buffers, program configuration.

Belongs here: all that the kernels of tt-metal and calls of `ttnn` are known to do with an op, and what they refuse.
Does not belong here: what an op computes (`ttstack.ops`), how long it takes (`ttstack.cost`), which layout it gets
(`ttstack.placement`), and numbers of a chip (`ttstack.system_desc`).
"""
