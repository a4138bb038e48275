"""Terms of the math units: cycles of the core with the most work, if its operands are there in time.

Belongs here: one file for each kind of kernel (`matmul`, `attention`, `rowwise`), and what tile ops cost (`work`).
Does not belong here: reading and writing (`ttstack.cost.data`), launches and waits (`ttstack.cost.exposed_time`).
"""
