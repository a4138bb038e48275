"""Passes from module to module, one file each, and the pipelines that they make."""
