"""Program configurations as fields by name, and what is not a configuration."""

import re
from typing import Any

import pytest

from ttstack.device.program_config import (
    AttentionConfig,
    MatmulConfig,
    MatmulProgram,
    ProgramConfig,
    RowwiseConfig,
    WindowConfig,
    config_fields,
    read_config,
)

REUSE = MatmulProgram.REUSE


@pytest.mark.parametrize(
    "config",
    [
        None,
        MatmulConfig(REUSE),
        MatmulConfig(MatmulProgram.DRAM_SHARDED, in0_block_w=2, out_block_h=3),
        AttentionConfig(4, 8),
        AttentionConfig(k_chunk_tiles=1),
        RowwiseConfig(3),
        WindowConfig(2),
    ],
)
def test_fields_give_the_same_configuration_again(config: ProgramConfig | None) -> None:
    assert read_config(config_fields(config)) == config


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"block_w": 0}, "'block_w' of a program configuration is a number of tiles from 1 on, not 0"),
        ({"type": REUSE, "per_core_N": -1}, "'per_core_N' of a program configuration is"),
        ({"out_block_h": "1"}, "not '1'"),
        ({"q_chunk_tiles": True}, "not True"),
        ({"block_w": 1.5}, "not 1.5"),
        ({"type": 3}, "3 is not a program of matrix products; there are MatmulMultiCoreReuseMultiCastProgramConfig"),
        ({"type": REUSE, "block_w": 1}, "no program configuration has type, block_w; there are type, in0_block_w"),
        ({"in0_block_w": 1}, "no program configuration has in0_block_w"),
        ({"block_w": 1, "q_chunk_tiles": 1}, "no program configuration has block_w, q_chunk_tiles"),
    ],
)
def test_what_is_no_configuration(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        read_config(given)
