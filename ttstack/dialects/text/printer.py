"""Printing of modules without attributes that the parser restores."""

from collections.abc import Collection
from functools import cache

from ttstack.dialects.text.aliases import with_aliases
from ttstack.dialects.text.edits import Edits
from ttstack.dialects.text.operation import RESULT_SEGMENTS, SEGMENTS, match_operation
from ttstack.dialects.text.tokens import Tokens
from ttstack.dialects.text.trailer import outline_attributes, outline_constants, trailer
from ttstack.dialects.text.value_names import name_values
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.fields import Arity


def print_module(
    module: ir.Module,
    *,
    locations: bool = False,
    value_names: bool = False,
    constants: bool = True,
    device: bool = False,
) -> str:
    """Print a module as text that parses to the same module.

    Layouts, maps and locations are aliases; the device is a reference, as are long attributes and large constants. What
    they refer to is at the end of the text.

    Args:
        module: A module of any dialect.
        locations: Whether to print locations.
        value_names: Whether values have names from the source in place of numbers.
        constants: Whether large constants are at the end of the text; the text does not parse without.
        device: Whether the description of a preset is at the end of the text too; that of another device always is.
    """
    with outline_attributes(module, device=device) as attributes:
        text = module.operation.get_asm(enable_debug_info=locations, use_local_scope=False, assume_verified=True)
        text = name_values(module, str(text)) if value_names else str(text)
    text, large = outline_constants(without_segments(text))
    return with_aliases(text) + trailer(attributes, large if constants else {})


def without_segments(text: str) -> str:
    """Remove segment sizes from the text of a module."""
    return elide(text, _variadic(len(OPS))) if SEGMENTS in text else text


@cache
def _variadic(_ops: int) -> frozenset[str]:
    """Return the names of variadic ops, with those of plug-ins."""
    names = (name for name, spec in OPS.items() if Arity.VARIADIC in spec.operand_specs().values())
    return frozenset(f"{dialect}.{name}" for name in names for dialect in ("ttir", "ttnn"))


def elide(text: str, ops: Collection[str]) -> str:
    """Remove segment sizes from the ops of these names; the parser restores them."""
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
