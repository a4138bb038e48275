"""Generated parts of pages, which are in the files too, between a marker and `<!-- end -->`."""

import re
from pathlib import Path

from ttstack_docs import MARKER, made

_ROOT = Path(__file__).parents[3]
_DOCS = _ROOT / "docs"
PAGES = [_ROOT / "README.md", *sorted(_DOCS.glob("*.md")), *sorted(_DOCS.glob("tutorial/*.md"))]
"""All pages with generated parts, and others."""


def refreshed(text: str) -> str:
    """Return the text with every generated part as the product makes it now."""
    return MARKER.sub(_anew, text)


def _anew(marker: re.Match[str]) -> str:
    line, _, _ = marker[0].partition("\n")
    return f"{line}\n{made(marker)}\n<!-- end -->"
