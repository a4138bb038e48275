"""Compiled programs as `.ttb` files.

    save(binary, "model.ttb")           # weights over 64 MiB go to a file beside it
    binary = load("model.ttb")          # checked whole, decoded once, values mapped and not read

A file is a header, a flatbuffer and the values of inline weights; all of it is covered by one SHA-256 that is
checked before anything is decoded (`container`). The flatbuffer's schema stands in `schema/*.fbs`; `make
flatbuffers` regenerates `_generated/`, which is committed. `encode` and `decode` translate between it and the
records of `ttstack.program`, whose references `ttstack.program.validate` checks.

A reader takes files of its own major version and of every older minor version. The minor version grows with
fields that older readers can miss only at a loss, the major one with any change that is not an added field.
"""

from ttstack.flatbuffer.container import SCHEMA_VERSION
from ttstack.flatbuffer.file import INLINE_LIMIT, load, save

__all__ = ["INLINE_LIMIT", "SCHEMA_VERSION", "load", "save"]
