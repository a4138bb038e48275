"""The switches of mutants, in each process that Python starts for the tests of a checkout that has them."""

import builtins
import os

on = os.environ.get("MUTANT", "")
"""The mutant that is alive."""
reached: set[str] = set()
"""Those whose place the program came to; what other processes than the tests' own reached stands in a file."""
home = 0


def _mutant(key: str) -> bool:
    if key not in reached:
        reached.add(key)
        if os.getpid() != home:
            _tell(key)
    return key == on


def _tell(key: str) -> None:
    try:
        with open(os.environ["MUTANTS_REACHED"], "a", encoding="ascii") as file:  # noqa: PTH123  (no import of pathlib)
            file.write(f"{key}\n")
    except (OSError, KeyError):
        return


builtins._mutant = _mutant  # pyright: ignore[reportAttributeAccessIssue]
