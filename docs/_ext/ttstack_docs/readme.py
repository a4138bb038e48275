"""The parts of README.md that the product prints: between a marker and `<!-- end -->`."""

import re

from ttstack_docs.example import report_table

_PART = re.compile(
    r"^(?P<marker><!-- generated: report (?P<model>\w+) (?P<width>\d+) -->)\n.*?^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)


def refreshed(text: str) -> str:
    """The text with every part as the product prints it now."""
    return _PART.sub(lambda m: f"{m['marker']}\n{report_table(m['model'], m['width'])}\n<!-- end -->", text)
