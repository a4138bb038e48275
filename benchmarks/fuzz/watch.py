"""What happened while a file was read that must not: code, processes, other files."""

import fcntl
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.fuzz.case import CANARY

_ROOT = Path(__file__).parents[2]
_FOLDERS = (_ROOT, sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), "/proc", "/sys", "/usr/lib", "/usr/share")
_ALLOWED = (*(os.path.realpath(p) + "/" for p in _FOLDERS), "/dev/null", "/dev/urandom")
_PROCESSES = (
    "os.system",
    "subprocess.Popen",
    "os.exec",
    "os.posix_spawn",
    "os.startfile",
    "pty.spawn",
    "socket.connect",
)
_CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree", "os.chmod", "os.link", "os.symlink")
_COMMANDS = ("os", "posix", "subprocess", "nt", "pty", "shutil")


class Watch:
    """A hook for all of a process and its forks; findings go to a file, which forks share."""

    def __init__(self) -> None:
        self._said = os.memfd_create("findings")
        fcntl.fcntl(self._said, fcntl.F_SETFL, os.O_APPEND)
        self._folder = ""
        sys.addaudithook(self._hook)

    @contextmanager
    def reading(self, folder: Path) -> Iterator[list[str]]:
        """The findings while files in a folder are read."""
        os.ftruncate(self._said, 0)
        self._folder = os.path.realpath(folder)
        found: list[str] = []
        try:
            yield found
        finally:
            self._folder = ""
            found += os.pread(self._said, 10_000, 0).decode(errors="replace").splitlines()
            if (canary := folder.parent / CANARY).exists() or (canary := folder / CANARY).exists():
                found.append("planted code ran")
                canary.rmdir()

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._folder and (what := self._judged(event, arguments)):
            os.write(self._said, f"{what[:300]!r}\n".encode(errors="replace"))

    def _judged(self, event: str, arguments: tuple[Any, ...]) -> str | None:
        if event in _PROCESSES:
            return f"{event} {arguments!r}"
        if event == "exec" and CANARY in repr(getattr(arguments[0], "co_consts", "")):
            return "planted code was executed"
        if event == "pickle.find_class" and arguments[0] in _COMMANDS:
            return f"a pickle asked for {arguments[0]}.{arguments[1]}"
        if event == "open" or event in _CHANGES:
            return self._opened(event, arguments[0])
        return None

    def _opened(self, event: str, path: Any) -> str | None:
        if not isinstance(path, str | bytes):
            return None
        name = os.path.realpath(os.fsdecode(path)) if b"\0" not in os.fsencode(path) else ""
        if not name or name.startswith(self._folder + "/") or name == self._folder:
            return None
        if event == "open" and name.startswith(_ALLOWED) and "/build/" not in name:
            return None
        if name.startswith("/tmp/") and "secret" not in name and CANARY not in name:
            return None
        return f"{event} {name}"
