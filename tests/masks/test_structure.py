"""What is said of the tiles of a mask is what its elements say, and its text says it again."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tests.masks.drawn import KINDS, Mask, Rng, draw
from ttstack.ops.mask_rows import MaskRows, read_structure
from ttstack.ops.mask_structure import MaskStructure, TileKind, parse_structure

DRAWN = 200
FAR = 1e4


def read(mask: Mask) -> MaskStructure:
    """By parts of one, two, three, ... rows of tiles."""
    return read_structure(mask.shape, _parts(mask), FAR)


def _parts(mask: Mask) -> Iterator[MaskRows]:
    at, step, columns = 0, 32, np.arange(mask.shape[3])
    while at < mask.shape[2]:
        yield MaskRows(mask[:, :, at : at + step], columns)
        at, step = at + step, step + 32


def count(mask: Mask, height: int, width: int) -> list[list[list[int]]]:
    """The kind of each block by looking at its elements, one after the other."""
    return [
        [
            [_kind(plane[i : i + height, j : j + width]) for j in range(0, plane.shape[1], width)]
            for i in range(0, plane.shape[0], height)
        ]
        for plane in mask.reshape(-1, *mask.shape[2:])
    ]


def _kind(block: Mask) -> int:
    return TileKind.FULL if block.all() else TileKind.PARTIAL if block.any() else TileKind.EMPTY


@pytest.mark.parametrize("kind", KINDS)
def test_tiles_are_counted_as_the_dense_mask_counts_them(kind: Callable[[Rng], Mask]):
    for seed in range(DRAWN):
        mask = draw(kind, seed)
        found = read(mask)
        assert found.kinds().tolist() == count(mask, 32, 32), seed
        assert found.kinds(64, 96).tolist() == count(mask, 64, 96), seed
        visited = sum(k != TileKind.EMPTY for plane in count(mask, 32, 32) for row in plane for k in row)
        assert found.share == pytest.approx(visited / found.kinds().size)
        assert parse_structure(str(found), *mask.shape[2:]) == found
        added = np.where(mask, np.float32(0), np.float32(-np.inf))
        assert read_structure(mask.shape, _parts(added), FAR) == found


@pytest.mark.parametrize("kind", KINDS)
def test_ranges_are_those_of_the_elements(kind: Callable[[Rng], Mask]):
    for seed in range(20):
        mask = draw(kind, seed)
        found = read(mask)
        if found.band is None:
            continue
        first, end = found.band.ranges(found.queries)
        keys = np.arange(found.keys)
        assert (((first[:, None] <= keys) & (keys < end[:, None])) == mask).all(), seed


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (lambda q, k: k <= q, "0..q+1"),
        (lambda q, k: (k <= q) & (k > q - 100), "0,100:q-99..q+1"),
        (lambda q, k: (k <= q) | (k < 64), "0..64,64:q+1"),
        (lambda q, k: (k < 100) == (q < 100), "0,100:100..100,100:256"),
        (lambda q, k: (k < 100) & (q >= 0), "0..100"),
    ],
)
def test_a_rule_is_said_in_few_words(rows: Callable[[Mask, Mask], Mask], said: str):
    q, k = np.arange(256)[:, None], np.arange(256)[None, :]
    assert str(read(rows(q, k)[None, None])) == said


def test_documents_are_found_with_and_without_causality():
    of = np.repeat([0, 1, 2], [100, 60, 96])
    q, k = np.arange(256)[:, None], np.arange(256)[None, :]
    assert read((of[q] == of[k])[None, None]).documents == ((0, 100, 160, 256), False)
    assert read(((of[q] == of[k]) & (k <= q))[None, None]).documents == ((0, 100, 160, 256), True)
    assert read(((of[q] == of[k]) & (k <= q) & (k > q - 9))[None, None]).documents is None


def test_what_is_added_is_applied_and_a_row_that_is_low_as_a_whole_is_not_hidden():
    mask = np.zeros((1, 1, 64, 64), np.float32)
    mask[..., :32, :] = -1e9
    mask[..., 32:, 32:] = 3
    assert read(mask).kinds().tolist() == [[[1, 1], [2, 1]]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0..q+2", "keys that are not among 64"),
        ("0..64,99:1", "in order"),
        ("0..nine", "no bound of keys"),
        ("[2x1] 0..64", "2x1 masks has 1"),
        ("2*3e", "2 rows of 2 tiles"),
        ("1*2e", "2 rows of 2 tiles"),
    ],
)
def test_what_is_no_structure_of_so_many_keys_is_refused(text: str, why: str):
    with pytest.raises(ValueError, match=why):
        parse_structure(text, 64, 64)
