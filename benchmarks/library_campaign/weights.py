"""The same random programs as files with their weights, each run by its own `main` on the mock device."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.library_campaign.outcome import Outcome, numbered
from benchmarks.library_campaign.programs import drawn, place
from ttstack.diagnostics import TTStackError
from ttstack.library.boards import Board, board_of
from ttstack.library.run import find_interpreter, mock_environment
from ttstack.ttnn_python import write_python
from ttstack_runtime.inputs import random_weights

BATCH = 20
keys = numbered(2000)
"""One a program."""
_RUN = """
import importlib.util, json, sys
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("emitted", path)
    program = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(program)
        program.main([])
        why = ""
    except BaseException as error:
        why = f"{type(error).__name__}: {error}"[:300]
    print(json.dumps(why), flush=True)
"""
"""Runs files one after the other in one process, and prints a line for each: what it raised, or an empty text."""


def judged(seed: int, keys: Sequence[str]) -> Iterator[Outcome]:
    """What became of the programs with these keys."""
    with tempfile.TemporaryDirectory() as folder:
        files: dict[Board, dict[str, tuple[str, Path, int]]] = {}
        for key in keys:
            program, path = drawn(seed, int(key)), Path(folder) / f"model_{key}.py"
            try:
                binary = random_weights(place(program), 0)
                function = binary.functions[0]
                write_python(binary, function, key, path, path.with_suffix(".safetensors"))
            except TTStackError as why:
                yield Outcome(key, program.kind, "not emitted", why.diagnostic.message)
                continue
            found = program.kind, path, len(function.operations)
            files.setdefault(board_of(binary, function), {})[key] = found
        for board, programs in files.items():
            said = _run(board, [path for _, path, _ in programs.values()])
            for (key, (kind, _, ops)), why in zip(programs.items(), said, strict=True):
                yield Outcome(key, kind, "failed" if why else "accepted", why, ops)


def _run(board: Board, paths: Sequence[Path]) -> list[str]:
    """What each file raised; a file that ends the process, and those after it, are run anew."""
    said: list[str] = []
    interpreter = find_interpreter(None)
    with mock_environment(board, interpreter) as environment:
        while len(said) < len(paths):
            command = [str(interpreter.absolute()), "-c", _RUN, *map(str, paths[len(said) :])]
            ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            lines = [line for line in ended.stdout.splitlines() if line.startswith('"')]
            said += map(json.loads, lines)
            if ended.returncode:
                said.append(f"ended the process: {ended.stderr.strip()[-200:]}")
    return said
