"""Networks that the repository does not name: predicted times, and how much of them is moves.

    python -m benchmarks.unseen draw --seed N            # draw networks anew, in two halves
    python -m benchmarks.unseen measure FILE             # compile those of the work half for an n150; goes on in FILE
    python -m benchmarks.unseen measure FILE --tree DIR  # the same with the code of another checkout
    python -m benchmarks.unseen show FILE                # a line for each network, and its largest moves
    python -m benchmarks.unseen compare BEFORE AFTER

The held half is for a verdict on finished work: `measure --half held` opens it.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks.unseen.compare import comparison
from benchmarks.unseen.draw import HALVES, ROOT, draw, named_words, write
from benchmarks.unseen.measure import GIBIBYTES, measure, read
from benchmarks.unseen.show import text_of


def main() -> int:
    """Run the command that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--revision", default="HEAD", help="whose files name the families that are left out")
    measuring = commands.add_parser("measure")
    measuring.add_argument("file", type=Path, help="JSON lines, one for each network; those that are there stay")
    measuring.add_argument("names", nargs="*", help="only these of the half")
    measuring.add_argument("--half", choices=HALVES, default="work")
    measuring.add_argument("--tree", type=Path, default=ROOT, help="a checkout whose code compiles")
    measuring.add_argument("--memory", type=int, default=GIBIBYTES, metavar="GIB", help="that a network may take")
    showing = commands.add_parser("show")
    showing.add_argument("file", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    asked = parser.parse_args()
    match asked.command:
        case "draw":
            _draw(asked.seed, asked.revision)
        case "measure":
            for record in measure(asked.file, asked.half, asked.names, asked.tree.resolve(), asked.memory):
                print(text_of(record), flush=True)
        case "show":
            print("\n".join(map(text_of, read(asked.file))))
        case _:
            print("\n".join(comparison(read(asked.before), read(asked.after))))
    return 0


def _draw(seed: int, revision: str) -> None:
    from benchmarks.unseen.libraries import LIBRARIES

    entries = [entry for entries in LIBRARIES.values() for entry in entries()]
    write(draw(entries, named_words(revision), seed), seed, revision, {name: version(name) for name in LIBRARIES})


if __name__ == "__main__":
    sys.exit(main())
