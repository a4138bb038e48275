"""Prints modules without what the parser can restore."""

from collections.abc import Collection
from functools import cache

from ttstack.dialects.text.edits import Edits
from ttstack.dialects.text.operation import RESULT_SEGMENTS, SEGMENTS, match_operation
from ttstack.dialects.text.tokens import Tokens
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.fields import Arity


def print_module(module: ir.Module, *, locations: bool = False) -> str:
    """Print a module as text, without the segment sizes that every reader can compute."""
    return without_segments(print_verbatim(module, locations=locations))


def print_verbatim(module: ir.Module, *, locations: bool) -> str:
    """Print a module as MLIR does."""
    return str(module.operation.get_asm(enable_debug_info=locations, use_local_scope=False, assume_verified=True))


def without_segments(text: str) -> str:
    """Take segment sizes out of the text of a module."""
    return elide(text, _variadic(len(OPS))) if SEGMENTS in text else text


@cache
def _variadic(_ops: int) -> frozenset[str]:
    """Names of ops of any number of operands; those of plug-ins may come later."""
    names = (name for name, spec in OPS.items() if Arity.VARIADIC in spec.operand_specs().values())
    return frozenset(f"{dialect}.{name}" for name in names for dialect in ("ttir", "ttnn"))


def elide(text: str, ops: Collection[str]) -> str:
    """Take segment sizes out of the ops of these names; the reader writes them again."""
    tokens = Tokens(text)
    edits = Edits(tokens)
    for index in range(len(tokens)):
        if tokens[index].strip('"') not in ops or (op := match_operation(tokens, index)) is None:
            continue
        entries = op.entries(op.attributes)
        if SEGMENTS not in entries or op.attributes is None:
            continue
        if len(entries) == 1:
            edits.cut(op.attributes, tokens.partner[op.attributes])
        else:
            for name in (SEGMENTS, RESULT_SEGMENTS):
                if name in entries:
                    edits.cut_item(*entries[name])
    return edits.apply()
