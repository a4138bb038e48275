"""Files that are written whole or not at all."""

import os
from os import PathLike
from pathlib import Path

from ttstack.diagnostics import OutputError


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file in place of what was there; a failure leaves that untouched.

    Raises:
        OutputError: it cannot be written.
    """
    target = Path(path).absolute()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(target)
    except OSError as error:
        raise OutputError(
            f"cannot write '{path}': {error.strerror}", hint="give a folder that exists and can be written to"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)
