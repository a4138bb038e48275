"""Arrays under the sliding windows of convolutions and pools."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from ttstack.ops.windows import Window
from ttstack_runtime.kernels.table import Array


def tap(window: Window, index: int) -> slice:
    """Where tap `index` of all windows lies in the padded axis."""
    start = index * window.dilation
    return slice(start, start + (window.count - 1) * window.stride + 1, window.stride)


def positions(window: Window) -> Array:
    """[count, kernel]: where each tap of each window lies in the axis without padding."""
    starts = np.arange(window.count, dtype=np.int64) * window.stride - window.low
    return starts[:, None] + np.arange(window.kernel, dtype=np.int64) * window.dilation


def pad_windows(x: Array, windows: Sequence[Window], value: float | None) -> Array:
    """[N, *spatial, C] with padding and overhang of `value`; None repeats the edge."""
    amounts = [(0, 0), *((w.low, w.high + w.overhang) for w in windows), (0, 0)]
    if not any(low or high for low, high in amounts):
        return x
    return np.pad(x, amounts, mode="edge") if value is None else np.pad(x, amounts, constant_values=value)


def on_images(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel on [N, H, W, C] that takes [1, 1, N * H * W, C] too, where `flattened_compat_info` says N, H and W."""

    @wraps(kernel)
    def run(x: Array, *operands: Any, flattened_compat_info: Sequence[int] | None = None, **attributes: Any) -> Any:
        if flattened_compat_info is None:
            return kernel(x, *operands, **attributes)
        images = x.reshape(*flattened_compat_info, x.shape[-1])
        results: Array | tuple[Array, ...] = kernel(images, *operands, **attributes)
        return tuple(_flat(r) for r in results) if isinstance(results, tuple) else _flat(results)

    return run


def _flat(images: Array) -> Array:
    return images.reshape(1, 1, -1, images.shape[-1])
