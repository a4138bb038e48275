"""Modules of the tests as code of this machine's processor: `python -m benchmarks.processor_modules [COUNT]`.

Of all `.mlir` files of the repository, each module between `// -----` that compiles for one device counts. The COUNT
(30) with the most operations are run by the NumPy runtime and by `engine="cpu"`, on values from a fixed seed. Printed
are their operations, the largest difference over the largest value, and the size of the object file.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import ttstack
from benchmarks.processor import LIMIT, apart
from benchmarks.replay.cases import FOLDERS
from ttstack.diagnostics import TTStackError
from ttstack.targets.cpu.engine import compile_function

_ROOT = Path(__file__).parent.parent
_BETWEEN = re.compile(r"^// -----.*$", re.MULTILINE)
_COUNT = 30
_SHORT = 2.0**-7
"""The same of programs with reals of 16 bits: two steps of bfloat16, which has 8 bits."""


def programs() -> Iterator[tuple[str, ttstack.Program]]:
    """Every module of one function that compiles, as `FILE:NUMBER`."""
    for path in sorted(path for folder in FOLDERS for path in (_ROOT / folder).rglob("*.mlir")):
        for number, text in enumerate(_BETWEEN.split(path.read_text())):
            try:
                program = ttstack.compile(text)
                program.function()
            except TTStackError:
                continue
            yield f"{path.relative_to(_ROOT)}:{number}", program


def row(name: str, program: ttstack.Program) -> tuple[str, bool]:
    """A line of the table, and whether both engines give the same."""
    want, have = (program.run(engine=engine) for engine in ("numpy", "cpu"))
    found = max((apart(h, w) for h, w in ((have.outputs, want.outputs), (have.updated, want.updated)) if w), default=0)
    size = len(compile_function(program.function()).generated.code)
    line = f"| {name} | {len(program.function().operations)} | {found:.1e} | {size / 1024:.0f} |"
    short = any(t.type.dtype.is_float and t.type.dtype.bits == 16 for t in program.function().tensors)
    return line, found <= (_SHORT if short else LIMIT)


def main(count: int) -> int:
    """Print the table; 1 where one differs or is refused."""
    found = sorted(programs(), key=lambda named: -len(named[1].function().operations))[:count]
    print("| module | operations | apart | object, KiB |\n|---|---|---|---|")
    well = True
    for name, program in found:
        try:
            line, good = row(name, program)
        except TTStackError as error:
            line, good = f"{name}: {error}", False
        print(line, flush=True)
        well &= good
    return int(not well)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else _COUNT))
