"""From what a frontend writes to one function whose ops make new values: calls, layouts, buffers, state.

Rewrites that exist for speed belong elsewhere, but for the state that is stored in another form.
"""
