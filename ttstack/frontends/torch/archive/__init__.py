"""Saved exported programs (`.pt2`): what strangers wrote is read and checked here, and torch gets what is left."""

from ttstack.frontends.torch.archive.load import load_archive

__all__ = ["load_archive"]
