"""What each source dialect converts, and to what."""

from importlib import import_module

from ttstack_docs.markdown import literal, summary, table


def conversion_tables(dialect: str) -> str:
    """A section for each family of conversions from a dialect, a row for each of its ops."""
    families = import_module(f"ttstack.frontends.{dialect}_to_ttir").FAMILIES
    parts: list[str] = []
    for family in families:
        rows = [
            (
                literal(name.removeprefix("torch.") if dialect == "onnx" else name),
                " ".join(map(literal, c.targets)) or "nothing",
                c.note,
            )
            for name, c in sorted(family.CONVERSIONS.by_name.items())
        ]
        title = family.__name__.rsplit(".", 1)[-1]
        parts += [f"### {title}", summary(family), table(("op", "becomes", "how"), rows)]
    return "\n\n".join(parts)


def onnx_through_torch() -> str:
    """The ONNX ops that become ops of the torch dialect first."""
    supported = import_module("ttstack.frontends.onnx.supported")
    return ", ".join(map(literal, sorted(supported.THROUGH_TORCH)))
