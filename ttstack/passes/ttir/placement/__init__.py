"""Named ops to dispatches with cores, layouts and memories.

`ttstack.placement` makes the decisions; these passes convert functions for it and apply its result.
"""
