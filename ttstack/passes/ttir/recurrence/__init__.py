"""Recurrent layers, unrolled into time steps: what two of them compute together."""
