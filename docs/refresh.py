"""Write the generated parts of README.md and of pages again: `python docs/refresh.py`, or with pages as arguments."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "runtime"), str(ROOT / "docs" / "_ext")]

from ttstack_docs.in_place import PAGES, refreshed  # noqa: E402  (found only on the paths above)

for page in map(Path, sys.argv[1:]) if sys.argv[1:] else PAGES:
    before = page.read_text()
    if (after := refreshed(before)) != before:
        page.write_text(after)
        sys.stdout.write(f"wrote {page}\n")
