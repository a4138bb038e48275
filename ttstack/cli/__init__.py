"""The command line, one command a file; what a command needs is imported when it runs."""

from ttstack.cli.exits import main

__all__ = ["main"]
