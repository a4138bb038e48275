"""Mutants that no test can catch, as they change nothing that anybody could see, each with its proof."""

EQUIVALENT: dict[tuple[str, str, str], str] = {}
"""By path, text before and text after: why it is the same program."""
