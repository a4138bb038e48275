"""RUN lines of untrusted files: what they may do."""

import re

from ttstack.cli.run_line import RunLine
from ttstack.diagnostics import SourceError

ALLOWED = {
    "opt": (
        *("-p", "--pipeline", "--split-input-file", "--verify-diagnostics", "--allow-unregistered-dialect"),
        *("--system-desc", "--ttnn", "--locations", "--print-after", "--print-only", "--print-device", "--timings"),
        *("--check-values", "--check-numerics", "--stop-after", "--explain-rewrites", "-o", "--output", "--json"),
    ),
    "compile": (
        *("-o", "--output", "--dtype", "--weights-dtype", "--half-dtype", "--precision", "--placement"),
        *("--system-desc", "--ttnn", "--without", "--function", "--input", "--effects", "--timings", "--keep-ir"),
        *("--compile-to", "--compile-from", "--json"),
    ),
    "perf": (
        *("--all", "--calls", "--every-op", "--sort", "--top", "--group-by", "--depth", "--function", "--what-if"),
        "--json",
    ),
    "explain": ("--top", "--function", "--json"),
    "inspect": ("--section", "--function", "--json"),
    "run": ("--seed", "--numerics", "--function", "--json"),
}
"""Commands and options that execute no code of the file's author, and name no files but those of the test."""
_FACTORY = re.compile(r"[\w.]+:\w+")
"""`package.module:factory`, which is imported."""


def check_trust(run: RunLine, place: str) -> None:
    """Check that a line executes no code, and reads and writes only the files of the test.

    Raises:
        SourceError: it may do more.
    """
    command, *words = run.arguments or ("opt",)
    if command not in ALLOWED:
        raise _untrusted(command, place)
    for word in words:
        option = word.partition("=")[0]
        if word.startswith("-") and option not in ALLOWED[command]:
            raise _untrusted(option, place)
        if "apply-patterns" in word or _leaves_folder(word) or _FACTORY.fullmatch(word):
            raise _untrusted(word, place)
    for name in (run.output_file, run.check.input_file if run.check else ""):
        if _leaves_folder(name):
            raise _untrusted(name, place)


def _leaves_folder(word: str) -> bool:
    """Return True for a word that can name a file outside of the test's folder."""
    return any(part in word for part in ("..", "/", "\\", "%S"))


def _untrusted(what: str, place: str) -> SourceError:
    return SourceError(
        f"a RUN line has '{what}', which may execute code, or read or write other files",
        loc=place,
        hint="if you trust the file, add --trust",
    )
