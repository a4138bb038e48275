"""`.ttb` files: the header and the schema."""

import inspect
from pathlib import Path
from textwrap import dedent

import ttstack.flatbuffer
from ttstack.flatbuffer import container
from ttstack_docs.markdown import code

SCHEMA = Path(ttstack.flatbuffer.__file__).parent / "schema"
_ORDER = ("types", "attributes", "program", "binary")


def header_layout() -> str:
    """The header's fields, as the module that writes it says them."""
    lines = (inspect.getdoc(container) or "").splitlines()
    return code(dedent("\n".join(line for line in lines if line.startswith("    "))))


def schema_text() -> str:
    """The schema's files, those that others include first."""
    return "\n\n".join(f"### {name}.fbs\n\n{code((SCHEMA / f'{name}.fbs').read_text())}" for name in _ORDER)
