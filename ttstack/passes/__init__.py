"""Passes on modules, one file each, and the pipelines that consist of them."""
