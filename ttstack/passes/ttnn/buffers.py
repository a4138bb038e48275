"""Which values share a buffer."""

from typing import Any

from ttstack.dialects.placed import VIEW


def buffer_owners(ops: list[Any]) -> dict[Any, Any]:
    """For the result of each view, the value whose buffer it is; all others own theirs."""
    owners: dict[Any, Any] = {}
    for op in ops:
        if VIEW in op.attributes:
            source = op.operands[0]
            owners[op.results[0]] = owners.get(source, source)
    return owners
