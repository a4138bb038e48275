"""One op on a device: layouts, cores, kernel class, circular buffers, program configuration.

This package contains everything that is known about tt-metal's kernels and `ttnn` calls for an op, including their
restrictions. Other packages contain what an op computes (`ttstack.ops`), how long it takes (`ttstack.cost`), which
layout it gets (`ttstack.placement`), and the parameters of a chip (`ttstack.system_desc`).
"""
