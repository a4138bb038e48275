"""Printed IR without what `respell` can restore."""

from collections.abc import Collection

from ttstack.frontends.ttir_compat.edits import Edits
from ttstack.frontends.ttir_compat.operation import RESULT_SEGMENTS, SEGMENTS, match_operation
from ttstack.frontends.ttir_compat.tokens import Tokens


def elide(text: str, ops: Collection[str]) -> str:
    """Take segment sizes out of the ops of these names; `respell` writes them again."""
    tokens = Tokens(text)
    edits = Edits(tokens)
    for index in range(len(tokens)):
        if tokens[index].strip('"') not in ops or (op := match_operation(tokens, index)) is None:
            continue
        entries = op.entries(op.attributes)
        if SEGMENTS not in entries or op.attributes is None:
            continue
        if len(entries) == 1:
            edits.cut(op.attributes, tokens.partner[op.attributes])
        else:
            for name in (SEGMENTS, RESULT_SEGMENTS):
                if name in entries:
                    edits.cut_item(*entries[name])
    return edits.apply()
