"""The presets of formats, fidelities and sums."""

from ttstack.options.choices import Precision
from ttstack.placement.precision import APPROXIMATED, PRECISIONS
from ttstack.placement.roles import Role
from ttstack_docs.markdown import table


def precision_table() -> str:
    """A row for each role, a column for each name."""
    rows = [[str(role), *(_cell(name, role) for name in Precision)] for role in Role]
    fast = ["fast forms", *(", ".join(APPROXIMATED.get(name, ())) or "none" for name in Precision)]
    return table(["", *(f"`{name}`" for name in Precision)], [*rows, fast])


def _cell(name: Precision, role: Role) -> str:
    kept = PRECISIONS[name][role]
    sums = kept.sums and f"sums in {kept.sums}"
    return " ".join(str(said) for said in (kept.format, kept.fidelity, sums) if said)
