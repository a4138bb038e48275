"""Small programs, compiled by the Python API."""

from typing import Any

import numpy as np

import ttstack
from ttstack.program.validate import validate_binary

T = "tensor<64x96xf32>"
SOURCE = f"""
func.func @forward(%a: {T}, %b: {T}) -> {T} {{
  %0 = "ttir.add"(%a, %b) : ({T}, {T}) -> {T}
  %1 = "ttir.abs"(%0) : ({T}) -> {T}
  return %1 : {T}
}}
"""


def compiled(text: str, **options: Any) -> ttstack.Program:
    program = ttstack.compile(f"\n{text}", **options)
    validate_binary(program.binary)
    return program


def function(arguments: str, lines: str, returned: str) -> str:
    """A module of one function; `returned` is `values : types`."""
    types = returned.partition(" : ")[2]
    return f"func.func @f({arguments}) -> ({types}) {{\n{lines}\n  return {returned}\n}}\n"


def outputs(text: str, *arrays: np.ndarray, **options: Any) -> list[np.ndarray]:
    inputs = {f"arg{i}": a for i, a in enumerate(arrays)}
    return list(compiled(text, **options).run(inputs).outputs.values())


def op_names(program: ttstack.Program) -> list[str]:
    return [op.name for op in program.function().operations if op.name not in ("deallocate", "to_layout")]
