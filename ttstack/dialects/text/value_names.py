"""Names of values by where they come from in the source, in place of MLIR's numbers.

Passes keep locations, so that a value has the same name in the text after each of them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from ttstack.dialects.functions import all_functions
from ttstack.dialects.signature import read_arguments
from ttstack.mlir import func, ir
from ttstack.support.free_name import free_name

_STRING = r'"(?:[^"\\]|\\.)*"'
_VALUE = re.compile(rf"{_STRING}|%[\w$.-]+")
_NAMED = re.compile(r'loc\(("(?:[^"\\]|\\.)*")(?:\(|\))')
_PLACE = re.compile(r'"(?:[^"\\]|\\.)*":(\d+):(\d+)')
_LONGEST = 40


def name_values(module: ir.Module, text: str) -> str:
    """Rename the values in the text of a module: arguments as the source calls them, results by their locations."""
    state = ir.AsmState(module.operation)
    head, *parts = re.split(r"^(?=  func\.func )", text, flags=re.MULTILINE)
    found = list(all_functions(module))
    return head + "".join(_renamed(part, _names(f, state)) for f, part in zip(found, parts, strict=True))


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _VALUE.sub(lambda found: names.get(found[0], found[0]), text)


def _names(function: func.FuncOp, state: ir.AsmState) -> dict[str, str]:
    """The names of a function's values by the names that MLIR prints, `%` included."""
    if not function.regions[0].blocks:
        return {}
    found, taken = dict[str, str](), set[str]()

    def name(value: ir.Value, hint: str) -> str:
        unique = free_name(hint, taken, "_v")
        taken.add(unique)
        found[value.get_name(state).partition("#")[0]] = f"%{unique}"
        return unique

    block = function.regions[0].blocks[0]
    for value, argument in zip(block.arguments, read_arguments(function), strict=True):
        name(value, _identifier(argument.name) or "arg")
    for op in block.operations:
        outer = name(op.results[0], _hint(op.operation)) if len(op.results) else "in"
        for value in _inside(op.regions):
            name(value, f"{outer}.in")
    return found


def _inside(regions: Iterable[ir.Region]) -> Iterator[ir.Value]:
    """The arguments and results in regions, however deep, in the order of their definition."""
    for block in (block for region in regions for block in region.blocks):
        yield from block.arguments
        for op in block.operations:
            yield from [*op.results][:1]
            yield from _inside(op.regions)


def _hint(op: ir.Operation) -> str:
    """A name from the source, such as `layers_0_linear`, or the line and column, `l7_8`."""
    location = str(op.location)
    named, place = _NAMED.match(location), _PLACE.search(location)
    hint = _identifier(named[1].strip('"')) if named else f"l{place[1]}_{place[2]}" if place else ""
    return f"{hint or 'v'}_out" if op.name == "ttir.empty" else hint or "v"


def _identifier(text: str) -> str:
    word = "_".join(re.findall(r"[A-Za-z0-9]+", text))[-_LONGEST:].lstrip("_")
    return f"v{word}" if word[:1].isdigit() else word
