"""Passes on `ttir`: from what the frontends give to dispatches with layouts."""
