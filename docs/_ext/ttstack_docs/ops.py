"""The op table: what `ttstack.ops` defines, by family."""

from collections import defaultdict

from ttstack.dialects.ttir import TTIR
from ttstack.dialects.ttnn import TTNN
from ttstack.ops import FAMILIES, OPS, Op
from ttstack.ops.described import describe_op
from ttstack_docs.exactness import on_tiles, why_no_nest
from ttstack_docs.markdown import literal, summary, table
from ttstack_runtime import kernels


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
    op = describe_op(spec)
    results = f" Results: {' '.join(map(literal, op.results)) or 'none'}." if len(op.results) != 1 else ""
    note = "" if op.executable else " *Replaced before lowering.*"
    attributes = "<br>".join(_attribute(*pair) for pair in op.attributes)
    return literal(op.mnemonic), op.meaning + results + note, " ".join(map(literal, op.operands)), attributes


def _attribute(spelling: str, default: str) -> str:
    given = default if default == "required" else f"default {literal(default)}"
    return f"{literal(spelling)}, {given}"


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
    if spec.functions:
        return literal("loops.py")
    return literal(f"kernels/{spec.family}.py") if kernels.find(spec.mnemonic) else "no"
