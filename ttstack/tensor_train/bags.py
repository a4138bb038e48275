"""Pooling of looked-up rows by bag, as in `torch.nn.functional.embedding_bag`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.indices import Array, array

MODES = ("sum", "mean", "max")

_CHUNK_ELEMENTS = 1 << 20  # of gathered rows: they are pooled while they are in cache


@dataclass(frozen=True)
class Bags:
    """Flat entries of all bags: index and weight of each, and start and length of each bag."""

    indices: Array
    weights: Array | None
    starts: Array
    lengths: Array

    @classmethod
    def of(
        cls,
        indices: Array,
        offsets: ArrayLike | None = None,
        per_sample_weights: ArrayLike | None = None,
        *,
        include_last_offset: bool = False,
    ) -> Self:
        """Create bags: bag `i` has the indices from `offsets[i]` to the next offset, or row `i` of `indices`.

        Raises:
            TensorTrainError: offsets are missing, superfluous, or do not ascend from 0; or the weights' shape differs.
        """
        weights = None if per_sample_weights is None else array(per_sample_weights, "per_sample_weights")
        if weights is not None and weights.dtype.kind not in "fiu":
            raise TensorTrainError(f"per_sample_weights are {weights.dtype}, not real numbers", hint="give floats")
        if weights is not None and weights.shape != indices.shape:
            raise TensorTrainError(
                f"per_sample_weights {list(weights.shape)} differ from indices {list(indices.shape)}",
                hint="give one weight for each index",
            )
        bounds = _bounds(indices, offsets, include_last_offset=include_last_offset)
        flat_weights = None if weights is None else weights.reshape(-1)
        return cls(indices.reshape(-1), flat_weights, bounds[:-1], np.diff(bounds))

    def without(self, index: int) -> Self:
        """Return the bags without the entries of one index."""
        kept = self.indices != index
        before = np.concatenate([[0], np.cumsum(kept)])
        starts, stops = before[self.starts], before[self.starts + self.lengths]
        weights = None if self.weights is None else self.weights[kept]
        return replace(self, indices=self.indices[kept], weights=weights, starts=starts, lengths=stops - starts)

    def pool(self, table: Array, positions: Array, mode: str) -> Array:
        """Pool the rows at `positions` of each bag's entries; the row of an empty bag is 0."""
        out = np.zeros((len(self.lengths), table.shape[1]), table.dtype)
        for bags, length in self._equal_lengths(table.shape[1]):
            entries = self.starts[bags, None] + np.arange(length)
            rows = np.take(table, positions[entries], axis=0)
            if self.weights is not None:
                factors = self.weights[entries].astype(table.dtype, copy=False)
                out[bags] = np.matmul(factors[:, None], rows)[:, 0]
            else:
                out[bags] = (rows.max if mode == "max" else rows.sum)(axis=1)
        if mode == "mean":
            out /= np.maximum(self.lengths, 1)[:, None].astype(out.dtype)
        return out

    def _equal_lengths(self, width: int) -> Iterator[tuple[Array, int]]:
        """Yield bags of one length in chunks; there are at most sqrt(2 n) different lengths among n entries."""
        order = np.argsort(self.lengths, stable=True)
        found, first = np.unique(self.lengths[order], return_index=True)
        for length, start, stop in zip(found, first, np.append(first[1:], len(order))[: len(first)], strict=True):
            if length == 0:
                continue
            step = max(1, _CHUNK_ELEMENTS // (int(length) * width))
            for at in range(start, stop, step):
                yield order[at : min(at + step, stop)], int(length)


def _bounds(indices: Array, offsets: ArrayLike | None, *, include_last_offset: bool) -> Array:
    """Return the start of each bag, and the end of the last one."""
    if offsets is None:
        if indices.ndim != 2:
            raise TensorTrainError(f"{indices.ndim}-D indices need offsets", hint="give offsets or 2-D indices")
        count, length = indices.shape
        return cast(Array, np.arange(count + 1) * length)
    bounds = array(offsets, "offsets")
    if bounds.size and bounds.dtype.kind not in "iu":
        raise TensorTrainError(f"offsets are integers, not {bounds.dtype}", hint="convert them, as with .astype(int)")
    if indices.ndim != 1 or bounds.ndim != 1:
        raise TensorTrainError(
            f"offsets need 1-D indices and are 1-D; here are {indices.ndim}-D indices and {bounds.ndim}-D offsets",
            hint="flatten the indices, or leave out the offsets",
        )
    bounds = bounds.astype(np.int64)
    if not include_last_offset:
        bounds = np.append(bounds, indices.size)
    if bounds.size == 0 or bounds[0] != 0 or bounds[-1] > indices.size or (np.diff(bounds) < 0).any():
        raise TensorTrainError(
            f"offsets do not ascend from 0 to the {indices.size} indices",
            hint="give the position of each bag's first index",
        )
    return bounds
