"""The version of the product; `pyproject.toml` reads it from here."""

VERSION = "0.1.0"
