"""Tables of environment variables and log channels."""

from ttstack.support.environment import VARIABLES
from ttstack.support.logs import CHANNELS
from ttstack_docs.markdown import literal, table


def environment_table() -> str:
    """Every variable with its values and its default."""
    head = ("variable", "what it does", "values", "if not set", "read by")
    return table(head, [(literal(v.name), v.about, v.values, v.default, v.scope) for v in VARIABLES])


def channel_table() -> str:
    """Every log channel."""
    return table(("channel", "what it logs"), [(literal(name), about) for name, about in CHANNELS.items()])
