"""Files of values for inputs."""

import io
import random
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from safetensors.numpy import load_file, save

import ttstack
from benchmarks.fuzz.case import Files, Kind
from benchmarks.fuzz.mutate import archives, tensors
from ttstack.program.records import Function
from ttstack.tensor_train import TensorTrain, decompose, plan
from ttstack_runtime.inputs import load_inputs

_ARRAYS = {"x": np.arange(6).reshape(2, 3), "y": np.array([0.5, -1], np.float32)}


@cache
def _function() -> Function:
    text = "func.func @main(%x: tensor<2x3xsi64>, %y: tensor<2xf32>) -> tensor<2xf32> {\n return %y : tensor<2xf32>\n}"
    named = text.replace("si64>", 'si64> {ttir.name = "x"}').replace("2xf32>)", '2xf32> {ttir.name = "y"})')
    return ttstack.compile(named).function()


def _npz() -> list[Files]:
    found: list[Files] = []
    for how in (np.savez, np.savez_compressed):
        out = io.BytesIO()
        how(out, **_ARRAYS)
        found.append({"inputs.npz": out.getvalue()})
    return found


def read(path: Path) -> str:
    """Names, types and values."""
    return _spelled(load_inputs(path, _function()))


def _spelled(arrays: dict[str, np.ndarray]) -> str:
    return repr([(name, a.dtype.str, a.shape, a.tobytes()) for name, a in sorted(arrays.items())])


def _as_numpy(path: Path, _: random.Random) -> str | None:
    with np.load(path, allow_pickle=False) as found:
        names = zipfile.ZipFile(path).namelist()
        same = len(set(names)) == len(names) and _spelled(dict(found)) == read(path)
    return None if same else "NumPy reads other values"


def _as_safetensors(path: Path, _: random.Random) -> str | None:
    return None if _spelled(load_file(path)) == read(path) else "safetensors reads other values"


def _trains() -> list[Files]:
    table = np.random.default_rng(0).standard_normal((50, 6)).astype(np.float32)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.safetensors"
        decompose(table, plan(50, 6, ranks=2)).save(path)
        return [{path.name: path.read_bytes()}]


def read_train(path: Path) -> str:
    """Plan, certificate and cores."""
    found = TensorTrain.load(path)
    return f"{found.plan} {found.certificate} {_spelled({str(k): core for k, core in enumerate(found.cores)})}"


KINDS = [
    Kind("train", _trains, tensors.FACTS, read_train, None, 24),
    Kind("npz", _npz, archives.NPZ, read, _as_numpy, 44),
    Kind("safetensors", lambda: [{"inputs.safetensors": save(_ARRAYS)}], tensors.MUTATORS, read, _as_safetensors, 38),
]
