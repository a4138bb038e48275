"""What can be drawn for each op: valid operand types and attributes, by a strategy of its family."""

import pytest
from hypothesis import strategies as st

from tests.ops import (  # each says what it draws for its family
    strategies_attention,  # noqa: F401
    strategies_cache,  # noqa: F401
    strategies_collective,  # noqa: F401
    strategies_creation,  # noqa: F401
    strategies_eltwise,  # noqa: F401
    strategies_embedding,  # noqa: F401
    strategies_experts,  # noqa: F401
    strategies_fourier,  # noqa: F401
    strategies_indexing,  # noqa: F401
    strategies_matmul,  # noqa: F401
    strategies_normalization,  # noqa: F401
    strategies_reduction,  # noqa: F401
    strategies_shape,  # noqa: F401
    strategies_slices,  # noqa: F401
    strategies_tensor_train,  # noqa: F401
    strategies_training,  # noqa: F401
    strategies_windows,  # noqa: F401
)
from tests.ops.case import Case
from tests.ops.draws import MAKERS
from ttstack.ops import OPS


def cases(mnemonic: str) -> st.SearchStrategy[Case]:
    """Cases of an op: those of the nearest class above it that has a strategy."""
    maker = next((MAKERS[c] for c in OPS[mnemonic].__mro__ if c in MAKERS), None)
    if maker is None:
        pytest.fail(f"nothing draws '{mnemonic}': add a maker of its cases to tests/ops/strategies_FAMILY.py")
    return st.composite(lambda draw: maker(draw, mnemonic))()


def has_cases(mnemonic: str) -> bool:
    return any(c in MAKERS for c in OPS[mnemonic].__mro__)
