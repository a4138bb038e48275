from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttstack.system_desc.quantities import (
    BYTES,
    BYTES_PER_CYCLE,
    BYTES_PER_SECOND,
    CYCLES,
    HERTZ,
    NANOSECONDS,
    RATIO,
    Dimension,
)

ALL = (BYTES, HERTZ, BYTES_PER_SECOND, BYTES_PER_CYCLE, NANOSECONDS, CYCLES, RATIO)


@pytest.mark.parametrize(
    ("dimension", "given_", "expected"),
    [
        (BYTES, "1464 KiB", 1499136),
        (BYTES, "91.5KiB", 93696),
        (BYTES, "12 GiB", 12 * 2**30),
        (BYTES, "1_024", 1024),
        (BYTES, 1499136, 1499136),
        (BYTES, 16.0, 16),
        (HERTZ, "1.0 GHz", 1e9),
        (HERTZ, "1e9", 1e9),
        (HERTZ, " 1350 MHz ", 1.35e9),
        (BYTES_PER_SECOND, "288 GB/s", 288e9),
        (BYTES_PER_SECOND, "1 GiB/s", 2.0**30),
        (BYTES_PER_CYCLE, "32 B/cycle", 32.0),
        (NANOSECONDS, "2.73 us", 2730.0),
        (NANOSECONDS, "1 µs", 1000.0),
        (CYCLES, "16 cycles", 16.0),
        (CYCLES, 18.4, 18.4),
        (RATIO, ".5", 0.5),
    ],
)
def test_values(dimension: Dimension, given_: object, expected: float) -> None:
    assert dimension(given_) == expected


@pytest.mark.parametrize(
    ("dimension", "given_", "message"),
    [
        (BYTES, "1464 GHz", r"^unit 'GHz' does not measure bytes; a number or one with a unit of B, KB, "),
        (HERTZ, "1 GiB", r"^unit 'GiB' does not measure hertz"),
        (HERTZ, 1.2, r"^1.2 hertz is too little: write the unit that is meant, a number or one with a unit of Hz, kHz"),
        (HERTZ, "1000", r"^1000 hertz is too little"),
        (BYTES_PER_SECOND, 600, r"^600 bytes per second is too little"),
        (BYTES, "1464 kib", r"^unit 'kib' does not measure bytes"),
        (BYTES, "0.3 KiB", r"^307\.2 is not a whole number of bytes$"),
        (BYTES, "many", r"^'many' is not a quantity; expected bytes"),
        (BYTES, "", r"^'' is not a quantity"),
        (BYTES, True, r"^expected bytes"),
        (BYTES, [1], r"^expected bytes"),
        (BYTES, None, r"^expected bytes"),
        (BYTES, 2**63, r"^too large a number of bytes$"),
        (CYCLES, "1e999", r"^too large a number of cycles$"),
        (CYCLES, float("inf"), r"^inf is not a finite number of cycles$"),
        (HERTZ, float("nan"), r"^nan is not a finite number of hertz$"),
        (RATIO, "90 %", r"^unit '%' does not measure a ratio; a plain number$"),
    ],
)
def test_errors(dimension: Dimension, given_: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dimension(given_)


@given(st.sampled_from(ALL), st.integers(0, 10**6), st.data())
def test_a_number_with_a_unit_is_the_number_times_the_unit(
    dimension: Dimension, number: int, data: st.DataObject
) -> None:
    if not dimension.units:
        assert dimension(str(number)) == number
        return
    unit = data.draw(st.sampled_from(sorted(dimension.units)))
    space = data.draw(st.sampled_from(["", " ", "  "]))
    assert Fraction(dimension(f"{number}{space}{unit}")) == number * dimension.units[unit]


@given(st.sampled_from(ALL), st.text(max_size=12))
def test_any_text_gives_a_number_or_a_value_error(dimension: Dimension, text: str) -> None:
    try:
        number = dimension(text)
    except ValueError:
        return
    assert isinstance(number, int if dimension.integral else float)


@given(st.floats(0, 1e15))
def test_plain_numbers_stand_as_they_are(number: float) -> None:
    assert CYCLES(number) == number
    assert CYCLES(repr(number)) == number
