"""How Sphinx builds the documentation; nothing here needs PyTorch."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS.parent / "runtime"), str(DOCS / "_ext")]

from ttstack.version import VERSION  # noqa: E402  (found only on the paths above)

project = "ttstack"
author = "the ttstack authors"
release = version = VERSION

extensions = ["myst_parser", "mathml"]
exclude_patterns = ["_build", "_ext"]

html_theme = "furo"
html_title = f"ttstack {VERSION}"
html_static_path = ["_static"]
html_css_files = ["ttstack.css"]
html_show_sphinx = False
html_math_renderer = "mathml"

myst_enable_extensions = ["colon_fence"]
myst_fence_as_directive = ["math"]  # as GitHub shows formulas too
myst_heading_anchors = 3

# MLIR is not a language that Pygments knows.
highlight_language = "text"
