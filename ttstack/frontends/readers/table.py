"""Recognition of a file's kind by its content, then its suffix."""

from collections.abc import Callable
from pathlib import Path

from ttstack.diagnostics import SourceError
from ttstack.frontends.readers import bytecode, onnx, text, torch
from ttstack.frontends.readers.artifact import BYTECODE, holds_artifact
from ttstack.frontends.readers.kind import FrameworkFile, ModuleFile

HEAD_BYTES = 4096
"""Number of bytes of a file that are read to recognize it."""


def begins(*magic: bytes) -> Callable[[bytes], bool]:
    """Return a function that tests whether a file begins with one of these."""
    return lambda head: head.startswith(magic)


def is_text(head: bytes) -> bool:
    """Return True for UTF-8 without control characters; the last character may be truncated."""
    try:
        found = head.decode()
    except UnicodeDecodeError as e:
        if len(head) < HEAD_BYTES or e.start < len(head) - 3:
            return False
        found = head[: e.start].decode()
    return all(c.isprintable() or c.isspace() for c in found)


def is_onnx(head: bytes) -> bool:
    """Return True for a protobuf message whose field 1, the version of ONNX's format, is a small number."""
    return head[:1] == b"\x08" and 0 < int.from_bytes(head[1:2]) < 128


FILES: tuple[ModuleFile | FrameworkFile, ...] = (
    ModuleFile("MLIR text", (".mlir", ".ttir"), is_text, text.prepare, text.read),
    FrameworkFile("a PyTorch program", (".pt2",), begins(b"PK\x03\x04"), torch.prepare, torch.read, isolated=False),
    ModuleFile("MLIR bytecode", (".mlirbc", ".bc", ".stablehlo"), begins(BYTECODE), bytecode.prepare, bytecode.read),
    ModuleFile("a serialized JAX export", (".jax",), holds_artifact, bytecode.prepare, bytecode.read),
    FrameworkFile("an ONNX model", (".onnx",), is_onnx, onnx.prepare, onnx.read),
)
"""All supported kinds of files. To add one, add a reader module and a line here."""

_OTHERS = {
    "a compiled program: `ttstack run` takes it": begins(b"TTSB"),
    "a Python pickle": begins(b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
    "weights without a model (safetensors)": lambda head: head[8:10] == b'{"',
    "weights without a model (GGUF)": begins(b"GGUF"),
    "a TensorFlow Lite model": lambda head: head[4:8] == b"TFL3",
    "an HDF5 file": begins(b"\x89HDF"),
    "compressed with gzip": begins(b"\x1f\x8b"),
}


def kind_of(path: Path) -> tuple[ModuleFile | FrameworkFile, bytes]:
    """Return the kind of a file, and its first bytes.

    Raises:
        SourceError: it is empty, of an unsupported kind, or its suffix does not match its content.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head:
        raise SourceError(f"'{path}' is empty", hint=describe_kinds())
    named = next((kind for kind in FILES if path.suffix.lower() in kind.suffixes), None)
    if named and named.matches(head):
        return named, head
    found = next((kind for kind in FILES if kind.matches(head)), None)
    if found and path.suffix == ".py":
        raise SourceError(f"'{path}' is Python", hint=f"name what makes the model in it: {path.stem}:FACTORY")
    if found and named is None:
        return found, head
    looks = found.name if found else next((what for what, matches in _OTHERS.items() if matches(head)), None)
    wrong = f"'{path}' is not {named.name}" if named else f"'{path}' is not a model that can be read"
    hint = f"give it one of the suffixes {', '.join(found.suffixes)}" if found else describe_kinds()
    raise SourceError(f"{wrong}; it looks like {looks}" if looks else wrong, hint=hint)


def describe_kinds() -> str:
    """Return a description of the supported kinds of models."""
    files = "; ".join(f"{kind.name} ({', '.join(kind.suffixes)})" for kind in FILES)
    return f"models are read from {files}; or give package.module:factory for a PyTorch model"
