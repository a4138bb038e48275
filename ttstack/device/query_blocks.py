"""Blocks of queries of attention over whole sequences, and how cores divide them."""

from ttstack.ops.flash import Attended


def blocks_of_core(attended: Attended, blocks: int, heads: int, cores: int) -> int:
    """The blocks of queries of the core that has most; there are `blocks` of each of `heads` heads of all users.

    Whole blocks lie in a row, head after head, and go to cores in equal runs, since 2026-05 (tt-metal PR 44614). Causal
    ones go in pairs (issue 55766: such a core decides when the op ends).
    """
    if in_pairs(attended, blocks):
        return 2 * -(-blocks * heads // 2 // cores)
    return -(-blocks * heads // cores)


def in_pairs(attended: Attended, blocks: int) -> bool:
    """Return True if a core gets blocks of causal queries in pairs, one that sees few keys and one that sees many."""
    return attended.is_causal and attended.structure is None and blocks % 2 == 0
