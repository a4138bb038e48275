"""Ops that tt-mlir prints in an assembly of their own take the generic form.

ttir.empty() : T                                 "ttir.empty"() : () -> T
ttir.to_layout %a, %b : A into B -> C            "ttir.to_layout"(%a, %b) : (A, B) -> C
ttir.to_layout %a, %b : A into B hostInfo = #l   "ttir.to_layout"(%a, %b) {layout = #l} : (A, B) -> B
ttir.ttnn_metal_layout_cast %a : A -> B           "ttir.ttnn_metal_layout_cast"(%a) : (A) -> B
ttcore.device @default_device = <...>            (removed: the target is given to the compiler)
ttcore.device_module {...}                       builtin.module {...}
ttcore.cpu_module {...}                          (removed: the host's part is not a program of the device)
ttcore.load_cached(@f, [%a]) : (A) -> B          func.call @f(%a) : (A) -> B
"""

from collections.abc import Callable

from ttstack.dialects.text.edits import Edits, one_line
from ttstack.dialects.text.operation import match_operation
from ttstack.dialects.text.tokens import Tokens

Respell = Callable[[Tokens, Edits, int], int]


def respell_custom(tokens: Tokens, edits: Edits, index: int) -> int:
    """Rewrite the op whose name is the token `index`, if it is one of these; return the next index."""
    found = _OPS.get(tokens[index])
    return found(tokens, edits, index) if found else index + 1


def _respell_empty(tokens: Tokens, edits: Edits, index: int) -> int:
    colon = _after_dictionary(tokens, index + 3)
    if tokens.closing_index(index + 1, "(") == index + 2 and tokens[colon] == ":":
        edits.replace(index, index, '"ttir.empty"')
        edits.insert_after(colon, " () ->")
    return index + 1


def _respell_cast(tokens: Tokens, edits: Edits, index: int) -> int:
    colon = _after_dictionary(tokens, index + 2)
    source = tokens.value_end(colon + 1)
    if tokens[colon] != ":" or source is None or tokens[source + 1] != "->":
        return index + 1
    edits.replace(index, index, '"ttir.ttnn_metal_layout_cast"')
    edits.insert_before(index + 1, "(")
    edits.insert_after(index + 1, ")")
    edits.insert_before(colon + 1, "(")
    edits.insert_after(source, ")")
    return index + 1


def _respell_to_layout(tokens: Tokens, edits: Edits, index: int) -> int:
    colon = index + 1
    while colon < index + 8 and tokens[colon] not in (":", ""):
        colon += 1
    source = tokens.value_end(colon + 1)
    if tokens[colon] != ":" or source is None or tokens[source + 1] != "into":
        return index + 1
    target = tokens.value_end(source + 2)
    if target is None:
        return index + 1
    last, dictionary = _layout_attributes(tokens, target)
    arrow = tokens[last + 1] == "->"
    end = tokens.value_end(last + 2) if arrow else last
    if end is None:
        return index + 1
    results = tokens.slice(last + 2, end) if arrow else _assigned_type(tokens, index, source + 2, target)
    types = f"({tokens.slice(colon + 1, source)}, {tokens.slice(source + 2, target)}) -> {results}"
    operands = tokens.slice(index + 1, colon - 1)
    edits.replace(index, end, one_line(f'"ttir.to_layout"({operands}){dictionary} : {types}'))
    return end + 1


def _layout_attributes(tokens: Tokens, target: int) -> tuple[int, str]:
    """Return the attributes between the types, ``hostInfo = #layout {a}``: the last token, and a dictionary."""
    last, entries = target, []
    if tokens[last + 1] == "hostInfo" and (end := tokens.value_end(last + 3)):
        entries.append(f"layout = {tokens.slice(last + 3, end)}")
        last = end
    if closing := tokens.closing_index(last + 1, "{"):
        entries += [tokens.slice(*item) for item in tokens.items(last + 1)]
        last = closing
    return last, f" {{{', '.join(entries)}}}" if entries else ""


def _assigned_type(tokens: Tokens, index: int, first: int, last: int) -> str:
    return tokens.slice(first, last) if tokens[index - 1] == "=" else "()"


def _respell_cached(tokens: Tokens, edits: Edits, index: int) -> int:
    arguments = tokens.closing_index(index + 4, "[")
    if tokens[index + 3] != "," or arguments is None or tokens[arguments + 1] != ")":
        return index + 1
    edits.replace(index, index + 1, "func.call")
    edits.replace(index + 3, index + 4, "(")
    edits.blank(arguments, arguments)
    return arguments + 1


def _remove(tokens: Tokens, edits: Edits, index: int) -> int:
    """Remove a device, or a module of the host, in generic or custom form."""
    op = match_operation(tokens, index)
    last = op.last if op else None
    body = index + 1 if tokens[index + 1] != "attributes" else _after_dictionary(tokens, index + 2)
    if op is None and tokens[index].endswith("module"):
        last = tokens.closing_index(body, "{")
    if tokens[index + 1].startswith("@") and tokens[index + 2] == "=":
        value = tokens.closing_index(index + 3, "<") or tokens.value_end(index + 3)
        last = value and _after_dictionary(tokens, value + 1) - 1
    if last is None:
        return index + 1
    if tokens[last + 1] == "loc":
        last = tokens.partner.get(last + 2, last)
    edits.blank(index, last)
    return last + 1


def _after_dictionary(tokens: Tokens, index: int) -> int:
    closing = tokens.closing_index(index, "{")
    return index if closing is None else closing + 1


def _respell_module(tokens: Tokens, edits: Edits, index: int) -> int:
    if tokens[index + 1] in ("{", "attributes", "("):
        edits.replace(index, index, '"builtin.module"' if tokens.kind(index) == "string" else "builtin.module")
    return index + 1


def _of_both_dialects(name: str, respell: Respell) -> dict[str, Respell]:
    """Return the rewrites of both dialects, in generic form too."""
    return {quote + dialect + name + quote: respell for dialect in ("tt.", "ttcore.") for quote in ("", '"')}


_OPS = {
    "ttir.empty": _respell_empty,
    "ttir.to_layout": _respell_to_layout,
    "ttir.ttnn_metal_layout_cast": _respell_cast,
    "ttcore.load_cached": _respell_cached,
    "tt.load_cached": _respell_cached,
    **_of_both_dialects("device", _remove),
    **_of_both_dialects("cpu_module", _remove),
    **_of_both_dialects("device_module", _respell_module),
}
