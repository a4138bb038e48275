"""Reordered elements of a tensor: any chain of permutations, reshapes and views, as one map."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from numpy.typing import NDArray


class Part(NamedTuple):
    """A part of a source axis: `index // stride % extent`."""

    axis: int
    stride: int
    extent: int


Dim = tuple[Part, ...]
"""The parts of one dimension, outermost first; none if its extent is 1."""


def in_source_order(parts: Iterable[Part]) -> Dim:
    """Sort parts by their order in the source."""
    return tuple(sorted(parts, key=lambda part: (part.axis, -part.stride)))


@dataclass(frozen=True)
class IndexMap:
    """A bijection from the elements of a source to those of a result: the axis parts of each dimension.

    Parts of one axis that are adjacent in source and result are merged, so that maps are equal if they move elements
    equally.
    """

    source: tuple[int, ...]
    dims: tuple[Dim, ...]

    def __post_init__(self) -> None:
        """Merge parts that are adjacent in source and result."""
        object.__setattr__(self, "dims", tuple(_joined(dim) for dim in self.dims))

    @staticmethod
    def identity(shape: Sequence[int]) -> "IndexMap":
        """Return the identity map of a tensor of this shape."""
        return IndexMap(tuple(shape), tuple((Part(i, 1, n),) for i, n in enumerate(shape)))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return tuple(math.prod(part.extent for part in dim) for dim in self.dims)

    @property
    def parts(self) -> Dim:
        """All parts, in the order of the result."""
        return tuple(part for dim in self.dims for part in dim)

    @property
    def keeps_order(self) -> bool:
        """True if a reshape computes the map."""
        return self.parts == in_source_order(self.parts)

    @property
    def is_identity(self) -> bool:
        """True if neither order nor shape changes."""
        return self.shape == self.source and self.keeps_order

    def permute(self, order: Sequence[int]) -> "IndexMap":
        """Return the map followed by a permutation after which dimension `order[i]` is dimension `i`."""
        return IndexMap(self.source, tuple(self.dims[d] for d in order))

    def reshape(self, shape: Sequence[int]) -> "IndexMap | None":
        """Return the map followed by a reshape; None if a dimension would end inside a part that it does not divide."""
        if 0 in self.source:
            return None
        left, dims = [*reversed(self.parts)], list[Dim]()
        for extent in shape:
            dim, missing = list[Part](), extent
            while missing > 1:
                part = left.pop()
                if missing % part.extent:
                    if part.extent % missing:
                        return None
                    inner = part.extent // missing
                    left.append(Part(part.axis, part.stride, inner))
                    part = Part(part.axis, part.stride * inner, missing)
                dim.append(part)
                missing //= part.extent
            dims.append(tuple(dim))
        return IndexMap(self.source, tuple(dims))

    def resize(self, part: Part, extent: int) -> "IndexMap":
        """Return the map of a source in which one part has another extent, as in the result."""
        length = self.source[part.axis] // part.extent * extent
        source = (*self.source[: part.axis], length, *self.source[part.axis + 1 :])

        def resized(p: Part) -> Part:
            if p == part:
                return part._replace(extent=extent)
            is_outside = p.axis == part.axis and p.stride > part.stride
            return p._replace(stride=p.stride // part.extent * extent) if is_outside else p

        return IndexMap(source, tuple(tuple(map(resized, dim)) for dim in self.dims))

    def then(self, after: "IndexMap") -> "IndexMap | None":
        """Return this map followed by another; None if the other map splits parts unevenly."""
        dims: list[Dim] = []
        for dim in after.dims:
            taken = [self._part(part) for part in dim]
            if None in taken:
                return None
            dims.append(tuple(p for parts in taken if parts is not None for p in parts))
        return IndexMap(self.source, tuple(dims))

    def _part(self, part: Part) -> Dim | None:
        """Return the source parts of a part of a result dimension; None if they are split unevenly."""
        low, high, stride, taken = part.stride, part.stride * part.extent, 1, list[Part]()
        for p in reversed(self.dims[part.axis]):
            end = stride * p.extent
            begin_in, end_in = max(low, stride), min(high, end)
            if begin_in < end_in:
                if begin_in % stride or end_in % begin_in or end % end_in:
                    return None
                taken.insert(0, Part(p.axis, p.stride * (begin_in // stride), end_in // begin_in))
            stride = end
        return tuple(taken)

    @cached_property
    def inverse(self) -> "IndexMap":
        """The map from the result back to the source."""
        dims: list[list[tuple[int, Part]]] = [[] for _ in self.source]
        for axis, dim in enumerate(self.dims):
            stride = 1
            for part in reversed(dim):
                dims[part.axis].append((part.stride, Part(axis, stride, part.extent)))
                stride *= part.extent
        return IndexMap(self.shape, tuple(tuple(p for _, p in sorted(dim, reverse=True)) for dim in dims))

    @cached_property
    def order(self) -> tuple[int, ...] | None:
        """The permutation of axes if the map is only that; unit axes fill its unit dimensions in order."""
        units = iter(i for i, n in enumerate(self.source) if n == 1)
        axes = [dim[0].axis if len(dim) == 1 else next(units, -1) if not dim else -1 for dim in self.dims]
        whole = all(self.source[axis] == n for axis, n in zip(axes, self.shape, strict=True) if axis >= 0)
        return tuple(axes) if whole and sorted(axes) == [*range(len(self.source))] else None

    @cached_property
    def as_permute(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A shape of the source and a permutation of its axes that compute the map, with the fewest axes."""
        ranks = {part: i for i, part in enumerate(in_source_order(self.parts))}
        runs: list[list[Part]] = []
        for part in self.parts:
            if runs and ranks[part] == ranks[runs[-1][-1]] + 1:
                runs[-1].append(part)
            else:
                runs.append([part])
        in_order = sorted(runs, key=lambda run: ranks[run[0]])
        return tuple(math.prod(p.extent for p in run) for run in in_order), tuple(in_order.index(run) for run in runs)

    def move(self, elements: NDArray[Any]) -> NDArray[Any]:
        """Move the elements of an array of the source's shape."""
        cut, order = self.as_permute
        return elements.reshape(cut).transpose(order).reshape(self.shape)

    def __str__(self) -> str:
        """Format the map in einops notation, with axes by number: `0 1 2 -> 0 2.1:48 1`."""
        dims = " ".join(
            f"({' '.join(map(_spell, dim))})" if len(dim) > 1 else _spell(*dim) if dim else "1" for dim in self.dims
        )
        return f"{'x'.join(map(str, self.source))} -> {dims}"


def _spell(part: Part) -> str:
    return f"{part.axis}/{part.stride}%{part.extent}"


def _joined(parts: Iterable[Part]) -> Dim:
    joined: list[Part] = []
    for part in parts:
        if part.extent == 1:
            continue
        if joined and joined[-1].axis == part.axis and joined[-1].stride == part.stride * part.extent:
            joined[-1] = Part(part.axis, part.stride, joined[-1].extent * part.extent)
        else:
            joined.append(part)
    return tuple(joined)
