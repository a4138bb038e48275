"""Input files: arrays by name, `.npz` or `.safetensors`."""

import zipfile
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]

from ttstack.diagnostics import InputError


def load_inputs(path: str | Path) -> dict[str, np.ndarray]:
    """Arrays by name from an `.npz` or `.safetensors` file.

    Raises:
        InputError: there is no such file, or it is not of the format that its suffix says.
    """
    file = Path(path)
    readers = {".npz": _read_npz, ".safetensors": _read_safetensors}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise InputError(f"cannot read inputs from '{file}'", hint=f"give one of {', '.join(readers)}")
    if not file.is_file():
        raise InputError(f"there is no input file '{file}'")
    return reader(file)


def _read_npz(file: Path) -> dict[str, np.ndarray]:
    try:
        with file.open("rb") as stream:
            archive = np.load(stream, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise _broken(file, "it holds one array without a name")
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as fault:
        raise _broken(file, str(fault) if zipfile.is_zipfile(file) else "it is no zip archive") from fault


def _read_safetensors(file: Path) -> dict[str, np.ndarray]:
    try:
        return load_file(file)
    except (SafetensorError, OSError, KeyError, ValueError) as fault:
        raise _broken(file, str(fault)) from fault


def _broken(file: Path, why: str) -> InputError:
    return InputError(f"'{file}' is not a readable {file.suffix} file", notes=(why,))
