"""Passes on `ttir`, from the frontends' output to dispatches with layouts."""
