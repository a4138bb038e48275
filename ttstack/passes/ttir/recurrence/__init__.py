"""Recurrent layers, unrolled into time steps: merging of two recurrences."""
