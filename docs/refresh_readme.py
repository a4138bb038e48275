"""Write what README.md shows of the product's output anew: `python docs/refresh_readme.py`."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "runtime"), str(ROOT / "docs" / "_ext")]

from ttstack_docs.readme import refreshed  # noqa: E402  (found only on the paths above)

README = ROOT / "README.md"
README.write_text(refreshed(README.read_text()))
