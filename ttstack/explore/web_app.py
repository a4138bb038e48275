"""The pages of Model Explorer, from its package."""

import mimetypes
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from ttstack.diagnostics import OutputError

PACKAGE = "ai-edge-model-explorer"
_INSTALL = f"pip install --no-deps {PACKAGE}"


def pages() -> Mapping[str, Path]:
    """Return the files to serve, by request path, without importing the package.

    Raises:
        OutputError: it is not installed.
    """
    found = find_spec("model_explorer")
    folders = [Path(place) / "web_app" for place in found.submodule_search_locations or ()] if found else []
    files = {f"/{path.relative_to(of).as_posix()}": path for of in folders for path in of.rglob("*") if path.is_file()}
    if "/index.html" not in files:
        raise OutputError(
            "Model Explorer is not installed",
            notes=("ttstack serves its pages; it needs neither its server nor its adapters, which are 130 MB",),
            hint=f"install it: {_INSTALL}; or write graphs for another one with --graphs DIR",
        )
    return {"/": files["/index.html"], **files}


def content_type(path: Path) -> str:
    """Return the MIME type of a file."""
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"
