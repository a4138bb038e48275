"""RUN lines of a test file: which command each runs, and what its output is compared with.

A line is `[not] ttstack ARGUMENTS [2>&1] [> %t...] [| filecheck %s [--check-prefix=P]]`, or
`filecheck %s --input-file=%t...`. No shell reads it.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ttstack.diagnostics import SourceError

INTERNAL_ERROR = 70
"""The exit code if ttstack itself fails."""

_RUN = re.compile(r"RUN:\s*(.*)$")
_OPERATORS = ("||", "&&", "&")
_FORMS = "write `ttstack ARGUMENTS`, and after `|` `filecheck %s`; no shell reads the line"


@dataclass(frozen=True)
class Check:
    """A comparison with the CHECK lines of the test."""

    prefixes: tuple[str, ...] = ("CHECK",)
    input_file: str = ""
    """File to compare; the output of the command if empty."""


@dataclass(frozen=True)
class RunLine:
    """One RUN line."""

    line: int
    """Number of its first line."""
    text: str
    arguments: tuple[str, ...] = ()
    """Arguments of `ttstack`; none if the line only compares a file."""
    fails: bool = False
    """The command must fail."""
    with_errors: bool = False
    """Standard error is part of the output."""
    output_file: str = ""
    """File for the output, with `%t` in its name."""
    check: Check | None = None


def run_lines(text: str, place: str) -> list[RunLine]:
    """Return the RUN lines of a file; a line that ends with a backslash continues in the next one.

    Raises:
        SourceError: a line has another form.
    """
    return [_parse(number, line, f"{place}:{number}") for number, line in _joined(text)]


def _joined(text: str) -> Iterator[tuple[int, str]]:
    begun: tuple[int, str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if (found := _RUN.search(line)) is None:
            continue
        first, before = begun or (number, "")
        joined = f"{before} {found[1].strip()}".strip()
        begun = (first, joined.removesuffix("\\")) if joined.endswith("\\") else None
        if begun is None:
            yield first, joined
    if begun is not None:
        yield begun


def _parse(number: int, text: str, place: str) -> RunLine:
    try:
        stages = [shlex.split(part) for part in _split_pipe(text)]
    except ValueError as e:
        raise SourceError(f"cannot read the RUN line: {e}", loc=place, hint=_FORMS) from e
    first, *rest = stages
    if first[:1] == ["filecheck"] and not rest:
        check = _check(first, place)
        if not check.input_file:
            raise SourceError(
                "`filecheck` compares nothing", loc=place, hint="add --input-file=%t, or a command before"
            )
        return RunLine(number, text, check=check)
    fails = first[:1] == ["not"]
    words, output_file, with_errors = _redirections(first[fails:], place)
    if words[:1] != ["ttstack"] or len(rest) > 1 or (rest and rest[0][:1] != ["filecheck"]):
        raise SourceError(f"the RUN line is not a command of ttstack: {text}", loc=place, hint=_FORMS)
    check = _check(rest[0], place) if rest else None
    return RunLine(number, text, tuple(words[1:]), fails, with_errors, output_file, check)


def _split_pipe(text: str) -> list[str]:
    """Split at `|` outside of quotes."""
    lexer = shlex.shlex(text, posix=False, punctuation_chars="|;")
    lexer.whitespace_split = True
    lexer.commenters = ""
    parts: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            parts.append([])
        elif word in _OPERATORS or word.startswith(";"):
            raise ValueError(f"'{word}' is an operator of shells")
        else:
            parts[-1].append(word)
    return [" ".join(words) for words in parts]


def _redirections(words: Sequence[str], place: str) -> tuple[list[str], str, bool]:
    """Return the words without redirections, the file for the output, and whether it has errors too."""
    kept, output_file, with_errors = list[str](), "", False
    rest = iter(words)
    for word in rest:
        if word == "2>&1":
            with_errors = True
        elif word.startswith(">"):
            output_file = word[1:] or next(rest, "")
            if not output_file.startswith("%t"):
                raise SourceError(f"the output goes to '{output_file}'", loc=place, hint="write `> %t`")
        else:
            kept.append(word)
    return kept, output_file, with_errors


def _check(words: Sequence[str], place: str) -> Check:
    prefixes, input_file, files = list[str](), "", list[str]()
    rest = iter(words[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if not name.startswith("-"):
            files.append(word)
            continue
        value = value if equals else next(rest, "")
        match name.lstrip("-"):
            case "check-prefix" | "check-prefixes":
                prefixes += value.split(",")
            case "input-file" if value.startswith("%t"):
                input_file = value
            case _:
                raise SourceError(
                    f"`filecheck` has '{word}' in a RUN line",
                    loc=place,
                    hint="its options here are --check-prefix=NAME and --input-file=%t",
                )
    if files != ["%s"]:
        raise SourceError(
            "`filecheck` compares with another file than the test", loc=place, hint="write `filecheck %s`"
        )
    return Check(tuple(prefixes) or ("CHECK",), input_file)
