"""Locations in readable form."""

import re
from functools import cache

_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_NAME = re.compile(r'loc\("((?:[^"\\]|\\.)*)"[()]')


@cache
def _read(text: str, source: str, column: bool) -> str:
    name, file = _NAME.match(text), _FILE.search(text)
    place = f"{source or '-' if file[1] == '-' else file[1]}:{file[2]}" if file else ""
    place += f":{file[3]}" if file and column else ""
    if name and place:
        return f"{name[1]} ({place})"
    return name[1] if name else place


def read_location(location: object, source: str = "", *, column: bool = False) -> str:
    """Return `name (file:line)`, or the available parts of it; `source` is the name of the input file."""
    return _read(str(location), source, column)
