"""Questions that rewrites ask of one value: what produced it, which movement lies before it, what is constant.

Only questions belong here: no file builds an op unless a rewrite asks it to, and none knows a network or a device.
"""
