"""Blocks of queries of attention over full sequences, and their division over cores."""

from ttstack.ops.flash import Attended


def blocks_of_core(attended: Attended, blocks: int, heads: int, cores: int) -> int:
    """Return the blocks of queries of the busiest core; each of `heads` heads of all users has `blocks`.

    Since 2026-05 (tt-metal PR 44614), blocks are ordered head after head, and cores get equal runs. Causal ones are
    distributed in pairs (issue 55766: such a core is the last to finish).
    """
    if in_pairs(attended, blocks):
        return 2 * -(-blocks * heads // 2 // cores)
    return -(-blocks * heads // cores)


def in_pairs(attended: Attended, blocks: int) -> bool:
    """Return True if a core gets causal blocks in pairs, one with few visible keys and one with many."""
    return attended.is_causal and attended.structure is None and blocks % 2 == 0
