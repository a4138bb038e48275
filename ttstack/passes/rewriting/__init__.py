"""The language of rewrites: patterns, the driver that applies them, and the prices that decide.

A rewrite itself belongs to a room of `ttstack.passes.ttir`.
"""
