"""Rewrites of a user's own: patterns of a file, written in PDL or in Python."""
