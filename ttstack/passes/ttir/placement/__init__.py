"""From named ops to dispatches with cores, layouts and memories.

The decisions are made in `ttstack.placement`; passes here carry a function there and write the answer into it.
"""
