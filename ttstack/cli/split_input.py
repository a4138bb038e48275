"""Parts of a text that `ttstack opt --split-input-file` processes separately."""

SEPARATOR = "// -----"
"""Begins a line between two parts, as in mlir-opt."""


def split_input(text: str) -> list[str]:
    """Return the parts, each with an empty line for every line before it, so that errors name lines of the file."""
    parts: list[list[str]] = [[]]
    for number, line in enumerate(text.splitlines()):
        if line.startswith(SEPARATOR):
            parts.append([""] * (number + 1))
        else:
            parts[-1].append(line)
    return ["\n".join(lines) + "\n" for lines in parts]
