"""Writing fitted figures and their sources into the text of a preset, comments and order kept."""

import argparse
import re
from collections.abc import Iterable
from pathlib import Path


def with_figure(text: str, path: str, value: str, source: str) -> str:
    """The YAML text with the figure at `section.field` (or deeper, in a flow mapping) and its source replaced."""
    section, *rest = path.split(".")
    start, end = _section(text, section)
    body = _with_value(text[start:end], rest, value)
    return _with_source(text[:start] + body + text[end:], path, source)


def with_section(text: str, name: str, lines: Iterable[str], source: str) -> str:
    """The YAML text with a section of the chip replaced, or put before the sources, and its source."""
    body = f"    {name}:\n" + "".join(f"      {line}\n" for line in lines)
    changed, count = re.subn(rf"^    {name}:\n(?:      .*\n)+", body, text, count=1, flags=re.MULTILINE)
    if not count:
        changed = re.sub(r"^    sources:\n", f"{body}    sources:\n", text, count=1, flags=re.MULTILINE)
    line = f"      {name}: {source}\n"
    cited, count = re.subn(rf"^      {name}: .*\n", line, changed, count=1, flags=re.MULTILINE)
    return cited if count else re.sub(r"^    sources:\n", f"    sources:\n{line}", changed, count=1, flags=re.MULTILINE)


def preset_parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser of what commands take that compare a preset with rows: both, and whether to change the preset."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="a CSV file of measurements, or a folder of them")
    result = parser.add_mutually_exclusive_group()
    result.add_argument("--write", type=Path, help="a preset's YAML file, to be changed in place")
    result.add_argument("--check", type=Path, help="a preset's YAML file: an error where --write would change it")
    parser.add_argument("--system-desc", default="wormhole")
    parser.add_argument("--only", default="", help="fit the stages with this in their sources, the others as they are")
    return parser


def write_or_check(path: Path, text: str, check: bool) -> None:
    """Write the text of a preset; with `check`, raise `SystemExit` where that would change it."""
    if not check:
        path.write_text(text)
    elif text != path.read_text():
        raise SystemExit(f"{path} is not what this gives: write it with --write {path}")


def _section(text: str, name: str) -> tuple[int, int]:
    """Where the lines of a section of the chip begin and end."""
    found = re.search(rf"^    {name}:\n((?:^      .*\n)+)", text, re.MULTILINE)
    if found is None:
        raise KeyError(f"the preset has no section {name!r}")
    return found.start(1), found.end(1)


def _with_value(body: str, path: list[str], value: str) -> str:
    *outer, field = path
    if outer:
        block = rf"(^ +{outer[0]}: *(?:\{{[^}}]*?|\n(?:.*\n)*? +)\b{field}: )[^,\n}}]+"
    else:
        block = rf"(^ +{field}: )[^\n]+"
    changed, count = re.subn(block, rf"\g<1>{value}", body, count=1, flags=re.MULTILINE)
    if count != 1:
        raise KeyError(f"the preset has no figure {'.'.join(path)!r}")
    return changed


def _with_source(text: str, path: str, source: str) -> str:
    line = f"      {path}: {source}"
    changed, count = re.subn(rf"^      {re.escape(path)}: .*$", line, text, count=1, flags=re.MULTILINE)
    if count:
        return changed
    parent = path.rsplit(".", 1)[0]
    beside = [m.end() for m in re.finditer(rf"^      {re.escape(parent)}[.:].*\n", text, re.MULTILINE)]
    if not beside:
        raise KeyError(f"the preset cites no source near {path!r}")
    return text[: beside[-1]] + line + "\n" + text[beside[-1] :]
