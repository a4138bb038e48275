"""Saved exported programs (`.pt2`): untrusted content is checked here before torch reads it."""

from ttstack.frontends.torch.archive.load import load_archive

__all__ = ["load_archive"]
