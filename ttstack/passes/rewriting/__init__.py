"""Rewrites: patterns, the driver that applies them, and the prices that select candidates.

The rewrites themselves are in `ttstack.passes.ttir`.
"""
