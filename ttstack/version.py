"""The version of ttstack; `pyproject.toml` reads it from here."""

VERSION = "0.1.0"
