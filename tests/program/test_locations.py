"""How ops are named by what is printed for them."""

from itertools import product

import pytest

from tests.every import for_every
from ttstack.program.locations import file_and_line, find_ops, parts
from ttstack.report.formatting import short_location

OPS = [
    ("linear", "models/net.py:1"),
    ("add", "models/net.py:2"),
    ("add", "layers.0.mlp (/home/models/net.py:2)"),
    ("gelu", "layers.1.mlp (/home/models/net.py:12)"),
    ("add", "other/models/net.py:2"),
    ("exp", "odd[1]*.py:3"),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("models/net.py:1", [0]),
        ("models/net.py:2", [1]),
        ("net.py:2", [1, 2, 4]),
        ("net.py:12", [3]),
        ("et.py:12", []),
        ("layers.0.mlp", [2]),
        ("layers.0.mlp (net.py:2)", [2]),
        ("/home/models/net.py:12", [3]),
        ("layers.*", [2, 3]),
        ("*:1", [0]),
        ("…models/net.py:2", [1, 4]),
        ("…s.1.mlp", [3]),
        ("odd[1]*.py:3", [5]),
        ("add", [1, 2, 4]),
        ("add layers.0.mlp", [2]),
        ("gelu net.py:2", []),
        ("", []),
    ],
)
def test_described(text: str, found: list[int]) -> None:
    assert find_ops(text, OPS) == found


@for_every("at, width", product(range(len(OPS)), range(8, 40)))
def test_whatever_a_table_shows_of_a_location_describes_the_op(at: int, width: int) -> None:
    assert at in find_ops(short_location(OPS[at][1], width), OPS)


def test_parts() -> None:
    assert parts("a.b (dir/f.py:3)") == ("a.b", "dir/f.py:3")
    assert parts("dir/f.py:3") == ("", "dir/f.py:3")
    assert file_and_line("a.b (dir/f.py:3)") == "a.b (f.py:3)"
    assert file_and_line("dir/f.py:3") == "f.py:3"
