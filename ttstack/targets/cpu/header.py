"""The C header of a compiled model: types, sizes, functions, and the mapping of the weights file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ttstack.diagnostics import OutputError
from ttstack.escape import c_comment_text
from ttstack.ops.types import DType, storage_of
from ttstack.passes.cpu.interface import VERSION, FunctionInterface, NamedTensor, c_name, symbol, weights_of
from ttstack.version import VERSION as PRODUCT

_MARK, _MARKED = "compiled by ttstack", 1024
"""The mark of ttstack's headers, within this many bytes."""
_TYPES = {
    DType.F64: "double",
    DType.F32: "float",
    DType.F16: "uint16_t",
    DType.BF16: "uint16_t",
    DType.BFP8_B: "float",
    DType.BFP4_B: "float",
    DType.I1: "uint8_t",
}
"""C types of element types, other than integers; 16-bit reals are their bits."""
_WORDS = (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr "
    "const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false "
    "float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq "
    "private protected public register reinterpret_cast restrict return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq"
)
_RESERVED = frozenset(_WORDS.split())
"""Reserved words of C and C++."""


def header(name: str, functions: Sequence[FunctionInterface], layout: Mapping[str, int]) -> str:
    """Return the header; `layout` has the offsets of values in the weights file, and is empty without one."""
    upper = name.upper()
    order = weights_of(list(functions))
    parameters = {p.name: p for f in functions for p in f.parameters}
    fields = [
        f"    const {_c_type(parameters[w])} *{field}; /* {c_comment_text(w)}: {_type(parameters[w])} */"
        for w, field in _fields(order).items()
    ]
    parts = [
        f"/* {name}: {_MARK} {PRODUCT}. Calling convention {VERSION}. */",
        f"#ifndef {upper}_H\n#define {upper}_H\n\n#include <stddef.h>\n#include <stdint.h>",
        f"#define {upper}_INTERFACE {VERSION}",
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        f"typedef struct {{\n{chr(10).join(fields) or '    const void *none;'}\n}} {name}_weights;",
        *(_function(name, f) for f in functions),
        "#ifdef __cplusplus\n}\n#endif",
    ]
    if layout:
        parts.append(_mapping(name, layout, parameters))
    return "\n\n".join([*parts, f"#endif /* {upper}_H */"]) + "\n"


def check_header(path: Path) -> None:
    """Raise an error if a header cannot be replaced.

    Raises:
        OutputError: a file of that name exists that ttstack did not write.
    """
    if path.exists() and _MARK.encode() not in path.read_bytes()[:_MARKED]:
        raise OutputError(
            f"'{path}' is not a file of ttstack's: the header would replace it",
            hint="move it, or give another name to the output",
        )


def _fields(order: Mapping[str, int]) -> dict[str, str]:
    """Return unique C names of weights."""
    found: dict[str, str] = {}
    for weight in order:
        plain = c_name(weight)
        base = plain = f"{plain}_" if plain in _RESERVED else plain
        while plain in found.values():
            plain = f"{base}_{len(found)}"
        found[weight] = plain
    return found


def _c_type(argument: NamedTensor) -> str:
    dtype = storage_of(argument.type.dtype)
    return _TYPES.get(dtype) or f"{'u' if dtype.is_unsigned else ''}int{dtype.bits}_t"


def _type(argument: NamedTensor) -> str:
    return "x".join([*map(str, argument.type.shape), str(argument.type.dtype)])


def _function(name: str, interface: FunctionInterface) -> str:
    call = symbol(name, interface.name)
    taken = [f"const {_c_type(a)} *{_plain(a.name, 'in', i)}" for i, a in enumerate(interface.inputs)]
    given = [f"{_c_type(a)} *{_plain(a.name, 'out', i)}" for i, a in enumerate(interface.outputs)]
    sizes = [
        f"#define {call.upper()}_{way}{i}_BYTES {a.type.nbytes} /* {c_comment_text(a.name)}: {_type(a)} */"
        for way, group in (("IN", interface.inputs), ("OUT", interface.outputs))
        for i, a in enumerate(group)
    ]
    arguments = ", ".join([f"const {name}_weights *weights", *taken, *given])
    checked = "".join(f"\n   {number}: {op} had an index out of bounds" for number, op in interface.checked.items())
    doc = f"/* 0, or the number of the op at fault{':' if checked else '.'}{checked} */"
    return "\n".join([*sizes, doc, f"int32_t {call}({arguments});"])


def _plain(name: str, way: str, number: int) -> str:
    """Return a unique argument name."""
    return f"{way}{number}_{c_name(name)}"


def _mapping(name: str, layout: Mapping[str, int], parameters: Mapping[str, NamedTensor]) -> str:
    """Return a function that maps the weights file; the offsets are those of the file written with the header."""
    first = min(layout.values())
    end = max(at + parameters[w].type.nbytes for w, at in layout.items())
    fields = _fields(layout)
    lines = "\n".join(f"    weights->{fields[w]} = (const void *)(bytes + {at});" for w, at in layout.items())
    return f"""/* Maps the weights file of this header; returns -1 if it is missing or another one. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int {name}_map_weights(const char *path, {name}_weights *weights) {{
    struct stat found;
    int file = open(path, O_RDONLY);
    if (file < 0) return -1;
    const char *bytes = fstat(file, &found) || found.st_size != {end} ? MAP_FAILED
        : mmap(NULL, {end}, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) return -1;
    if (*(const uint64_t *)bytes != {first - 8}) {{
        munmap((void *)bytes, {end});
        return -1;
    }}
{lines}
    return 0;
}}"""
