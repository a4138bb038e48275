"""The op table: what `ttstack.ops` defines, by family."""

from collections import defaultdict
from typing import Any

from ttstack.dialects.ttir import TTIR
from ttstack.dialects.ttnn import TTNN
from ttstack.ops import FAMILIES, OPS, Op
from ttstack.ops.attributes import Attribute, Spelling
from ttstack.ops.fields import Arity
from ttstack_docs.exactness import on_tiles, why_no_nest
from ttstack_docs.markdown import literal, paragraph, summary, table
from ttstack_runtime import kernels

SPELLINGS = {
    "bool": "{name} = true",
    "string": '{name} = "text"',
    "integer": "{name} = 1 : {type}",
    "float": "{name} = 1.0 : {type}",
    "number": "{name} = 1.0 : {type}",
    "array": "{name} = [1 : {type}]",
    "dense": "{name} = array<{type}: 1>",
    "enum": "{name} = #tt.{type}<sum>",
    "elements": "{name} = dense<1.0> : type of the result",
    "table": "{name} = dense<[[0, 1]]> : tensor<1x2x{type}>",
    "sides": "{name} = array<{type}: 1, 1> or 1 : {type}",
    "flattened": "{name} = #ttir<flattened_compat batch_size = 1, input_height = 2, input_width = 3>",
    "region": "a region",
    "tensor_train": "{name} = #tt.tensor_train<{{rows = 100, columns = 16, row_factors = [10, 10], "
    "column_factors = [4, 4], ranks = [1, 8, 1], element = f32}}>",
}
"""An example of each kind of attribute, as the text spells it."""


def op_tables() -> str:
    """A section for each family, a row for each op."""
    by_family: dict[str, list[type[Op]]] = defaultdict(list)
    for spec in OPS.values():
        by_family[spec.family].append(spec)
    parts: list[str] = []
    for module in FAMILIES:
        family = module.__name__.rsplit(".", 1)[-1]
        rows = [_row(spec) for spec in by_family[family]]
        parts += [f"## {family}", summary(module), table(("op", "meaning", "operands", "attributes"), rows)]
    return "\n\n".join(parts)


def _row(spec: type[Op]) -> tuple[str, ...]:
    attributes = "<br>".join(_attribute(a) for a in spec.attribute_specs().values())
    note = "" if spec.executable else " *Replaced before lowering.*"
    return literal(spec.mnemonic), paragraph(spec) + _results(spec) + _elements(spec) + note, operands(spec), attributes


def _elements(spec: type[Op]) -> str:
    """Where the element type of the results comes from, if not from operands alone."""
    if spec.result_fields():
        return " *The result's type says the element type.*"
    return "" if spec.computes is None else " *Results can be of another element type.*"


def _results(spec: type[Op]) -> str:
    """The names of the results, where there is not just one."""
    if len(spec.result_names) == 1:
        return ""
    return f" Results: {' '.join(map(literal, spec.result_names)) or 'none'}."


def operands(spec: type[Op]) -> str:
    """The operand places in order: `name`, `name?` where optional, `name...` where variadic."""
    marks = {Arity.ONE: "", Arity.OPTIONAL: "?", Arity.VARIADIC: "..."}
    return " ".join(literal(name + marks[arity]) for name, arity in spec.operand_specs().items())


def _attribute(attribute: Attribute) -> str:
    default = "required" if attribute.required else f"default {literal(_value(attribute.default))}"
    return f"{literal(spelled(attribute.name, attribute.spelling))}, {default}"


def spelled(name: str, spelling: Spelling) -> str:
    """How the text spells an attribute."""
    return SPELLINGS.get(spelling.kind, "{name}").format(name=name, type=spelling.type)


def _value(default: Any) -> str:
    match default:
        case None:
            return "absent"
        case bool():
            return str(default).lower()
        case str():
            return f'"{default}"'
        case tuple():
            return f"[{', '.join(map(str, default))}]"
    return str(default)


def op_facets() -> str:
    """What there is of each op beside its definition."""
    titles = ("op", "family", "inference", "verifier", "kernel", "form on the device", "on tiles", "cost", "in .ttb")
    return table(titles, [(literal(name), spec.family, *facets(spec)) for name, spec in sorted(OPS.items())])


def facets(spec: type[Op]) -> tuple[str, ...]:
    """Inference, verification, kernel, lowering, cost and serialization."""
    executed = spec.executable and TTNN.op(spec.mnemonic) is not None
    return (
        "yes" if spec.infer is not Op.infer else "no",
        "yes" if any(d.op(spec.mnemonic) is not None for d in (TTIR, TTNN)) else "no",
        _kernel(spec),
        f"`ttnn.{spec.mnemonic}`" if executed else "replaced before",
        _tiles(spec) if executed else "-",
        ("yes" if spec.dispatch is not Op.dispatch else "no") if executed else "-",
        "yes" if executed else "-",
    )


def _tiles(spec: type[Op]) -> str:
    said = on_tiles(spec)
    return f"estimate: {why_no_nest(spec)}" if said == "estimate" else said


def _kernel(spec: type[Op]) -> str:
    if spec.family == "generic":
        return "the executor"
    if spec.opaque:
        return "opaque: not executed"
    return literal(f"kernels/{spec.family}.py") if kernels.find(spec.mnemonic) else "no"
