"""What `ttstack advise` says of its first changes, and what their commands give: `python -m benchmarks.advice`.

Every command is run as a user types it, on small models of the zoo; the exit code is 1 where one gives another time.
"""

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import yaml

from ttstack.cli.exit_codes import run

MODELS = ("bert", "gpt2", "llama", "llama_decode", "t5", "vit", "resnet", "mobilenet_v2", "dlrm", "lstm")
FIRST = 3
_SAME_NS = 1.0
"""Times are printed with less."""


def command(*arguments: object) -> str:
    """What a command prints; ends this one where it fails."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = run([str(argument) for argument in arguments])
    if code:
        sys.exit(f"ttstack {' '.join(map(str, arguments))} ended with {code}")
    return printed.getvalue()


def total_ns(program: Path) -> float:
    """The predicted time of a program."""
    return json.loads(command("perf", program, "--json"))["total_ns"]


def applied(name: str, folder: Path) -> Iterator[tuple[dict[str, Any], float, float]]:
    """The changes for a model with the largest gains, its time as it is, and the time that each gives."""
    model, program, again = f"examples.zoo.{name}:small", folder / "program.ttb", folder / "again.ttb"
    command("compile", model, "-o", program)
    before = total_ns(program)
    found = json.loads(command("advise", program, model, "--measure-seconds", 0, "--json"))
    faster = sorted((c for c in found if c["gain_ns"] > 0), key=lambda c: -c["gain_ns"])
    for change in faster[:FIRST]:
        arguments = (change["option"] or "").split()
        if change["overrides"]:
            (folder / "overrides.yaml").write_text(yaml.safe_dump(change["overrides"]))
            arguments = ["--overrides", folder / "overrides.yaml"]
        command("compile", model, *arguments, "-o", again)
        yield change, before, total_ns(again) / change["passes"]


def main() -> None:
    """Print a row for each change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    wrong = 0
    print("| model | change | before, µs | said to gain, µs | gained, µs | gain | error expected |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in parser.parse_args().models:
            for change, before, after in applied(name, Path(folder)):
                said, gained = change["gain_ns"], before - after
                wrong += abs(said - gained) > _SAME_NS
                cells = (name, change["change"], *(f"{ns / 1e3:,.1f}" for ns in (before, said, gained)))
                cells += (f"{100 * gained / before:.1f} %", f"±{100 * change['expected_error']:.0f} %")
                print(f"| {' | '.join(cells)} |", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
