"""Modules as MLIR bytecode, to copy them or to give them to another process."""

from io import BytesIO

from ttstack.mlir import ir


def bytecode(module: ir.Module) -> bytes:
    """Return a module as bytecode, which `ir.Module.parse` reads."""
    buffer = BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()
