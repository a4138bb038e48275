"""What a reader finds where a save was killed, or while several threads save: always a whole program.

`python benchmarks/saves.py [--kills N] [--saves N] [--seed N]` kills a process that saves one path again and again,
N times with weights inside the file and N times beside it, and lets four threads save one path N times while two
read it. Each prints a tally; the exit code is 1 where anything but an old or a new program was found.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

_ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "runtime")]

import numpy as np  # noqa: E402  (after the path, so that the file runs as a script)

from ttstack.flatbuffer import load, save  # noqa: E402
from ttstack.ops.types import DType, TensorType  # noqa: E402
from ttstack.program.records import Binary, Weight  # noqa: E402
from ttstack.system_desc import load as load_system  # noqa: E402

PLACES = ("inline", "beside")
SOON = 0.15
"""Seconds within which a process that saves is killed: some saves."""
_TYPE = TensorType((512, 512), DType.F32)
_SYSTEM = load_system("wormhole")


def program(generation: int) -> Binary:
    """A program that says its generation twice: in the `.ttb` file, and in each value of its weight."""
    values = np.full(_TYPE.shape, generation, np.float32)
    return Binary((), _SYSTEM, {"w": Weight("w", _TYPE, values)}, pipeline=str(generation))


def found_at(path: Path) -> str:
    """What a reader finds: `whole`, `mixed`, or the error that it gets."""
    try:
        binary = load(path)
        values = binary.weights["w"].data
    except Exception as error:
        return str(error).partition("\n")[0]
    assert values is not None
    return "whole" if (values == int(binary.pipeline)).all() else "mixed"


def save_for_ever(path: Path, where: str) -> None:
    """What is killed: says when it begins, then saves one generation after the other."""
    print("saving", flush=True)
    for generation in count():
        save(program(generation), path, weights=where)  # pyright: ignore[reportArgumentType]


def kills(folder: Path, where: str, number: int, seed: int) -> Counter[str]:
    """What is found after each of so many kills at random moments of a save."""
    tally, draw, path = Counter[str](), random.Random(seed), folder / "model.ttb"
    save(program(0), path, weights=where)  # pyright: ignore[reportArgumentType]
    for _ in range(number):
        command = [sys.executable, __file__, "--save-for-ever", str(path), where]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            assert child.stdout
            child.stdout.readline()
            time.sleep(draw.uniform(0, SOON))
            child.kill()
        tally[found_at(path)] += 1
    return tally


def threads(folder: Path, where: str, number: int, writers: int = 4, readers: int = 2) -> Counter[str]:
    """What readers find while threads save one path, so many times in all; and the errors that savers get."""
    tally, path, generations = Counter[str](), folder / "model.ttb", count()
    save(program(next(generations)), path, weights=where)  # pyright: ignore[reportArgumentType]

    def write(generation: int) -> str | None:
        try:
            save(program(generation), path, weights=where)  # pyright: ignore[reportArgumentType]
        except Exception as error:
            return f"saving: {str(error).partition(chr(10))[0]}"
        return None

    with ThreadPoolExecutor(writers) as saving, ThreadPoolExecutor(readers) as reading:
        saves = [saving.submit(write, next(generations)) for _ in range(number)]
        while not all(done.done() for done in saves):
            found = [reading.submit(found_at, path) for _ in range(readers)]
            tally.update(done.result() for done in found)
        tally.update(failed for done in saves if (failed := done.result()))
    tally[found_at(path)] += 1
    return tally


def left_over(folder: Path, where: str) -> list[str]:
    """The files in the folder that no program there needs, after one more save."""
    save(program(0), folder / "model.ttb", weights=where)  # pyright: ignore[reportArgumentType]
    weights = [path.name for path in folder.glob("*.weights.safetensors")]
    kept = {"model.ttb", *(weights if where == "beside" and len(weights) == 1 else ())}
    return sorted(path.name for path in folder.iterdir() if path.name not in kept)


def main() -> int:
    """Both campaigns with weights in both places."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--saves", type=int, default=240)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save-for-ever", nargs=2, metavar=("PATH", "WHERE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.save_for_ever:
        save_for_ever(Path(asked.save_for_ever[0]), asked.save_for_ever[1])
    bad = 0
    for where in PLACES:
        for name, number in (("kills", asked.kills), ("saves", asked.saves)):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                tally = kills(folder, where, number, asked.seed) if name == "kills" else threads(folder, where, number)
                left = left_over(folder, where)
            print(f"{number} {name}, weights {where}: {dict(tally.most_common())}; left over: {left or 'nothing'}")
            bad += len(left) + sum(times for what, times in tally.items() if what != "whole")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
