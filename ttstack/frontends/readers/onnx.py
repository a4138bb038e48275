"""ONNX models."""

from pathlib import Path

from ttstack.frontends.readers.extra import frontend
from ttstack.frontends.readers.kind import SourceModel
from ttstack.mlir import load_libraries


def prepare(_head: bytes) -> None:
    """Import ONNX.

    Raises:
        SourceError: it is not installed.
    """
    frontend("onnx", "ONNX")
    load_libraries()


def read(path: Path, inputs: object) -> SourceModel:
    """Return the model of an `.onnx` file.

    Raises:
        SourceError: onnx is not installed, or the file cannot be read.
        UnsupportedOpError: lists all ops without a conversion to TTIR.
    """
    return frontend("onnx", "ONNX").import_onnx(path, inputs)
