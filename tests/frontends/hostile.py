"""Run as a program, so that a crash is seen: damaged files one after the other, and a good one after each; or threads.

python -m tests.frontends.hostile mutations FILE COUNT SEED
python -m tests.frontends.hostile threads COUNT
"""

import random
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path

import ttstack
from ttstack.diagnostics import TTStackError
from ttstack.frontends.source import import_model

GOOD = """
func.func @f(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.exponential %a : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The data with bits flipped, bytes replaced, a piece removed, repeated, or the end cut off."""
    found = bytearray(data)
    at = rng.randrange(len(found))
    match rng.randrange(5):
        case 0:
            found[at] ^= 1 << rng.randrange(8)
        case 1:
            found[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF))
        case 2:
            del found[at : at + rng.randrange(1, 9)]
        case 3:
            found[at:at] = found[at : at + rng.randrange(1, 17)]
        case _:
            del found[at:]
    return bytes(found)


def mutations(path: Path, count: int, seed: int) -> Counter[str]:
    """How many mutants of a file were compiled, and how many refused with which error; all else is raised."""
    rng, data = random.Random(seed), path.read_bytes()
    tally: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        mutant = Path(folder) / path.name
        for number in range(count):
            mutant.write_bytes(mutated(data, rng) or b"\0")
            try:
                ttstack.compile(mutant)
                tally["compiled"] += 1
            except TTStackError as error:
                tally[error.code] += 1
            except Exception as error:
                raise AssertionError(f"mutant {number} of seed {seed}") from error
            with import_model(GOOD) as found:
                assert "ttir.exp" in str(found.module)
    return tally


def compiled_in_threads(count: int) -> None:
    """Compile in that many threads at once what one thread has compiled before, with the same result."""
    sources = [GOOD, GOOD.replace("4x8", "64x64"), GOOD.replace("exponential", "tanh"), "examples/dlrm.mlir"]
    wanted = [ttstack.compile(source).cost().total_ns for source in sources]
    faults: list[object] = []

    def work(first: int) -> None:
        try:
            for i in range(first, first + len(sources)):
                got = ttstack.compile(sources[i % len(sources)]).cost().total_ns
                if got != wanted[i % len(sources)]:
                    faults.append((i, got))
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["mutations", file, count, seed]:
            print(dict(mutations(Path(file), int(count), int(seed))))  # noqa: T201  (what the caller reads)
        case ["threads", count]:
            compiled_in_threads(int(count))
        case other:
            sys.exit(f"no such check: {other}")
