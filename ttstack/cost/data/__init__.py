"""Terms of data streams: operands on their way to the cores, and results on their way back.

Belongs here: streams of kernels that also compute, by kind of access, and what memories and networks allow all cores.
Does not belong here: kernels that only move data (`ttstack.cost.movement`), chips' traffic (`ttstack.cost.mesh`).
"""
