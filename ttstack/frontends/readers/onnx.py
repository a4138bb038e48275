"""ONNX models."""

from pathlib import Path
from typing import Any

from ttstack.diagnostics import SourceError
from ttstack.frontends.readers.kind import Source


def read(path: Path, inputs: Any) -> Source:
    """The model of an `.onnx` file.

    Raises:
        SourceError: onnx is not installed, or the file cannot be read.
        UnsupportedOpError: ops that have no conversion to TTIR; all of them.
    """
    try:
        from ttstack.frontends.onnx import import_onnx
    except ModuleNotFoundError as e:
        if e.name != "onnx":
            raise
        raise SourceError("compiling ONNX models needs onnx", hint="pip install 'ttstack[onnx]'") from e
    return import_onnx(path, inputs)
