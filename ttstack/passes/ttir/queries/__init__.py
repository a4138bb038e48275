"""Queries of rewrites about a value: its producer, the movement before it, whether it is constant.

Queries build no ops unless a rewrite asks for it, and depend on no network or device.
"""
