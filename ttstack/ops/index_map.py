"""The elements of a tensor in other places: any chain of permutations, reshapes and views, as one map."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from numpy.typing import NDArray


class Part(NamedTuple):
    """A part of an axis of the source: `index // stride % extent`."""

    axis: int
    stride: int
    extent: int


Dim = tuple[Part, ...]
"""The parts that make one dimension, outermost first; none where its extent is 1."""


@dataclass(frozen=True)
class IndexMap:
    """A bijection from the elements of a source to those of a result: which parts of axes make each dimension.

    Parts of one axis that lie next to each other in the source and in the result are one part, so that two maps
    are equal where they move elements alike.
    """

    source: tuple[int, ...]
    dims: tuple[Dim, ...]

    def __post_init__(self) -> None:
        """Join parts that are neighbours in both."""
        object.__setattr__(self, "dims", tuple(_joined(dim) for dim in self.dims))

    @staticmethod
    def identity(shape: Sequence[int]) -> "IndexMap":
        """Nothing moved in a tensor of this shape."""
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
        """Return True if a reshape computes it."""
        place = [(part.axis, -part.stride) for part in self.parts]
        return place == sorted(place)

    @property
    def is_identity(self) -> bool:
        """Return True if it changes neither places nor shape."""
        return self.shape == self.source and self.keeps_order

    def permute(self, order: Sequence[int]) -> "IndexMap":
        """The map, then a permutation after which dimension `order[i]` is dimension `i`."""
        return IndexMap(self.source, tuple(self.dims[d] for d in order))

    def reshape(self, shape: Sequence[int]) -> "IndexMap | None":
        """The map, then a reshape; None where a dimension would end inside of a part that it does not divide."""
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

    def then(self, after: "IndexMap") -> "IndexMap | None":
        """This map, then another of its result; None where that takes parts which are no parts of axes here."""
        dims: list[Dim] = []
        for dim in after.dims:
            taken = [self._part(part) for part in dim]
            if None in taken:
                return None
            dims.append(tuple(p for parts in taken if parts is not None for p in parts))
        return IndexMap(self.source, tuple(dims))

    def _part(self, part: Part) -> Dim | None:
        """What a part of a dimension of the result is of the source."""
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
        """The permutation of axes that it is, if it is no more; axes of extent 1 fill its unit dimensions in order."""
        units = iter(i for i, n in enumerate(self.source) if n == 1)
        axes = [dim[0].axis if len(dim) == 1 else next(units, -1) if not dim else -1 for dim in self.dims]
        whole = all(self.source[axis] == n for axis, n in zip(axes, self.shape, strict=True) if axis >= 0)
        return tuple(axes) if whole and sorted(axes) == [*range(len(self.source))] else None

    @cached_property
    def as_permute(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A shape of the source and a permutation of its axes, with as few axes as do it."""
        ranks = {part: i for i, part in enumerate(sorted(self.parts, key=lambda p: (p.axis, -p.stride)))}
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
        """As einops writes it, with axes by number: `0 1 2 -> 0 2.1:48 1`."""
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
