"""Compile text for a device, and compute what the source says with the kernels alone."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from ttstack.compiler import compile_module
from ttstack.diagnostics import CapacityError, Diagnostic
from ttstack.dialects.base import definition_of, operands_by_place
from ttstack.dialects.context import new_context
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.options.model import CompileOptions
from ttstack.program.records import Binary
from ttstack.system_desc import SystemDesc
from ttstack_runtime.evaluate import evaluate


@cache
def _context() -> ir.Context:
    return new_context()


def compiled(text: str, device: SystemDesc, **options: Any) -> Binary:
    with _context(), ir.Location.unknown():
        module = parse(text, "random.mlir")
        return compile_module(module, CompileOptions(system_desc=device, **options), weights={}).binary


def computed(text: str, arguments: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The results of function `f`, op by op in the order of the source, without any pass."""
    with _context(), ir.Location.unknown():
        module = parse(text)
        block = module.body.operations[0].regions[0].blocks[0]
        values: dict[ir.Value, Any] = dict(zip(block.arguments, arguments.values(), strict=True))
        *ops, last = [o.operation for o in block.operations]
        for op in ops:
            places = operands_by_place(OPS[op.name.partition(".")[2]], op)
            results = evaluate(definition_of(op), [None if v is None else values[v] for v in places])
            values |= dict(zip(op.results, results, strict=True))
        return [values[v] for v in last.operands]


def compiled_or_none(text: str, device: SystemDesc, **options: Any) -> Binary | None:
    """None where the compiler says that an op needs more L1 than there is, which must be so."""
    try:
        return compiled(text, device, **options)
    except CapacityError as e:
        _check_capacity(e.diagnostic, device)
        return None


def _check_capacity(said: Diagnostic, device: SystemDesc) -> None:
    numbers = re.search(r"needs at least ([\d,]+) bytes of L1 on each core, there are ([\d,]+)$", said.message)
    assert numbers, said
    need, have = (int(n.replace(",", "")) for n in numbers.groups())
    assert need > have == device.chips[0].l1_usable_bytes
    assert str(said.loc).startswith("random.mlir:")
