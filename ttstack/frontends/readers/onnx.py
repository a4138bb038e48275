"""ONNX models."""

from pathlib import Path
from typing import Any

from ttstack.frontends.readers.extra import frontend
from ttstack.frontends.readers.kind import SourceModel


def prepare(_head: bytes) -> None:
    """Import ONNX.

    Raises:
        SourceError: it is not installed.
    """
    frontend("onnx", "ONNX")


def read(path: Path, inputs: Any) -> SourceModel:
    """The model of an `.onnx` file.

    Raises:
        SourceError: onnx is not installed, or the file cannot be read.
        UnsupportedOpError: ops that have no conversion to TTIR; all of them.
    """
    return frontend("onnx", "ONNX").import_onnx(path, inputs)
