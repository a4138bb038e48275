"""Binary MLIR files: bytecode, StableHLO's portable artifacts, and serialized exports of `jax.export`."""

import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ttstack.diagnostics import SourceError
from ttstack.dialects.context import as_diagnostics
from ttstack.mlir import ir, register_stablehlo_dialects, stablehlo
from ttstack.support.whole_number import whole_number

BYTECODE = b"ML\xefR"
"""The magic bytes of MLIR bytecode and portable artifacts."""

_ARTIFACT = b"StableHLO_v"
"""The producer string of portable artifacts, after the magic and one byte."""

_NO_DIALECT = re.compile(r"dialect '(\w+)' is unknown")


def read_bytes(data: bytes, name: str) -> ir.Module:
    """Return the module of bytecode, of a portable artifact, or of `jax.export.Exported.serialize`.

    Raises:
        SourceError: the data is of another kind, or an artifact that is damaged or newer than this reader.
        InvalidIRError: the bytecode is truncated or damaged, or does not verify.
    """
    found = data if data.startswith(BYTECODE) else _inside_flatbuffer(data, name)
    context = ir.Context.current
    register_stablehlo_dialects(context)
    if found[5 : 5 + len(_ARTIFACT)] != _ARTIFACT:
        with as_diagnostics("cannot read the module", name):
            return ir.Module.parse(found)
    messages: list[str] = []
    with _collect(messages):
        try:
            return stablehlo.deserialize_portable_artifact(context, found)
        except ValueError as e:
            raise _unreadable(name, found, messages) from e


def holds_artifact(head: bytes) -> bool:
    """Return True if a file with this beginning is a flatbuffer that contains bytecode, as from `jax.export`."""
    return BYTECODE in head[4:] and 4 <= int.from_bytes(head[:4], "little") < len(head)


def _inside_flatbuffer(data: bytes, name: str) -> bytes:
    """Return the artifact in a serialized export, a vector of bytes after its length."""
    start = data.find(BYTECODE)
    length = struct.unpack_from("<I", data, start - 4)[0] if start >= 4 else 0
    if start < 4 or not length:
        raise SourceError(
            f"'{name}' is neither text nor MLIR bytecode",
            hint="give StableHLO text, bytecode or a portable artifact, or the result of jax.export's serialize()",
        )
    if start + length > len(data):
        raise SourceError(
            f"'{name}' is cut short: the module in it has {length} bytes, {len(data) - start} are there",
            hint="export the model again, and copy the whole file",
        )
    return data[start : start + length]


@contextmanager
def _collect(messages: list[str]) -> Iterator[None]:
    """Collect MLIR's diagnostics, which it would print, in `messages`."""

    def keep(diagnostic: ir.Diagnostic) -> bool:
        messages.append(diagnostic.message)
        return True

    handler = ir.Context.current.attach_diagnostic_handler(keep)
    try:
        yield
    finally:
        handler.detach()


def _unreadable(name: str, artifact: bytes, messages: Sequence[str]) -> SourceError:
    if unknown := next((found[1] for m in messages if (found := _NO_DIALECT.search(m))), None):
        return SourceError(
            f"'{name}' uses the dialect '{unknown}', which cannot be read from a portable artifact",
            hint="export the model for one chip; if it is, compile the text that Exported.mlir_module() gives",
        )
    version = artifact[5 + len(_ARTIFACT) : artifact.find(b"\0", 5)].decode("ascii", "replace")
    ours = stablehlo.get_current_version()
    newer = _numbers(version) > _numbers(ours)
    what = f"was written by StableHLO {version}, this reader knows {ours}" if newer else "is cut short or damaged"
    hint = "export for an older version" if newer else "export the model again, and copy the whole file"
    return SourceError(f"'{name}' {what}", notes=tuple(messages), hint=hint)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(number for part in version.split(".") if (number := whole_number(part)) is not None)
