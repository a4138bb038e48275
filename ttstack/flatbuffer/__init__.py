"""Compiled programs as `.ttb` files.

    save(binary, "model.ttb")           # weights over 64 MiB go to a separate file
    binary = load("model.ttb")          # checked completely, decoded once, values mapped and not read

A file is a header, a flatbuffer and the values of inline weights; one SHA-256 covers all of it, and is checked before
anything is decoded (`container`). The flatbuffer's schema is in `schema/*.fbs`; `make flatbuffers` regenerates
`_generated/`, which is committed. `encode` and `decode` translate between it and the records of `ttstack.program`,
whose references `ttstack.program.validate` checks.

A reader accepts files of its own major version and of every older minor version. New fields that older readers need
increase the minor version, and all changes other than added fields increase the major version.
"""

from ttstack.flatbuffer.container import SCHEMA_VERSION
from ttstack.flatbuffer.file import INLINE_LIMIT, load, save

__all__ = ["INLINE_LIMIT", "SCHEMA_VERSION", "load", "save"]
