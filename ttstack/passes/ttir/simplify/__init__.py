"""Target-independent algebra: identities, constants, parameters, the order of multiplications.

These passes recognize no composites and move no elements.
"""
