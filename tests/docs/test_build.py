"""The pages build without a warning, and without PyTorch."""

import subprocess
import sys
from pathlib import Path

from tests.docs.pages import DOCS

BUILD = "import sys; sys.modules['torch'] = None; from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"


def test_pages_build(tmp_path: Path):
    arguments = [
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-d",
        str(tmp_path / "doctrees"),
        str(DOCS),
        str(tmp_path / "html"),
    ]
    done = subprocess.run([sys.executable, "-c", BUILD, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "html" / "levels.html").read_text()
    assert "ttnn.linear" in page
    assert "generated:" not in page
