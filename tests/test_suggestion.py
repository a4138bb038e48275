import pytest

from ttstack.support.suggestion import closest, did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("fuze", ["fuse", "fuse-bias"], "fuse"),
        ("abs", ["abc"], None),
        ("cores", ["cos", "sin"], None),
        ("simplfy", ["simplify", "fuse"], "simplify"),
        ("Optimal", ["optimal", "greedy"], "optimal"),
        ("mlpp", ["MLP", "mlp"], "mlp"),
        ("blackhole", ["wormhole", "blackhole_p150", "blackhole_p100a"], "blackhole_p150"),
        ("bank", ["num_banks", "alignment"], "num_banks"),
        ("interleaved_read_bytes_per_second", ["interleaved_read_fraction", "channels"], "interleaved_read_fraction"),
        ("x", ["y", "z"], None),
        ("", ["anything"], None),
    ],
)
def test_only_what_is_close_is_suggested(name: str, known: list[str], meant: str | None) -> None:
    assert closest(name, known) == meant
    assert did_you_mean(name, known) == (f"did you mean '{meant}'?" if meant else "")
