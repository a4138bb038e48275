"""Tensors that arguments alone say."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.ttnn_python.stand_in.tensor import DataType, Layout, Tensor


def full(
    shape: Sequence[int],
    value: float = 0,
    *,
    dtype: DataType = DataType.BFLOAT16,
    layout: Layout = Layout.ROW_MAJOR,
    device: Any = None,
    memory_config: Any = None,
) -> Tensor:
    """A number everywhere."""
    return Tensor(np.full(shape, value), dtype, layout, device, memory_config)


def ones(shape: Sequence[int], **keywords: Any) -> Tensor:
    """One everywhere."""
    return full(shape, 1, **keywords)


def arange(
    start: int, end: int, step: int, *, dtype: DataType, layout: Layout, device: Any, memory_config: Any = None
) -> Tensor:
    """Numbers in order."""
    return Tensor(np.arange(start, end, step), dtype, layout, device, memory_config)
