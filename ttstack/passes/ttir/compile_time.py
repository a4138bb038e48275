"""What is known before a program runs: parameters, constants, and what depends on them alone."""

from typing import Any

from ttstack.dialects.signature import kind_of
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.program.records import TensorKind

_UNDEFINED = {"empty", "rand", "dropout"}


def is_known(value: ir.Value) -> bool:
    """Whether nothing but parameters and constants decides the value."""
    found, seen = [value], {value}
    for each in found:  # grows as it goes
        owner: Any = each.owner
        if isinstance(owner, ir.Block):
            if kind_of(each) is not TensorKind.PARAMETER or is_overwritten(each):
                return False
        elif not is_computable(owner):
            return False
        else:
            operands = set(owner.operands) - seen
            found += operands
            seen |= operands
    return True


def is_computable(op: ir.Operation) -> bool:
    """Whether an op can be done before the program runs: it moves elements or computes on them, by no index."""
    dialect, _, mnemonic = op.name.partition(".")
    spec = OPS.get(mnemonic)
    if dialect != "ttir" or spec is None or mnemonic in _UNDEFINED or any(map(is_overwritten, op.results)):
        return False
    plain = spec.pure and not spec.spans_mesh and not spec.host_indices and spec.executable and not spec.opaque
    return plain and spec.family in _FAMILIES and len(op.results) == 1


_FAMILIES = ("eltwise", "shape", "reduction", "creation")
"""Files of ops whose results are as cheap to compute here as on the device, and not much larger than operands."""
