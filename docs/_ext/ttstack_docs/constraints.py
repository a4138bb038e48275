"""What patterns in PDL can ask."""

from inspect import signature

from ttstack.passes.rewriting.constraints import CONSTRAINTS
from ttstack_docs.markdown import table


def constraint_table() -> str:
    """A row for each constraint function."""
    rows = [
        [f"`{name}({', '.join(signature(function).parameters)})`", (function.__doc__ or "").splitlines()[0]]
        for name, function in CONSTRAINTS.items()
    ]
    return table(["constraint", "holds"], rows)
