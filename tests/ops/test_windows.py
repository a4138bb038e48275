"""Geometry of sliding windows, counted out."""

from hypothesis import given
from hypothesis import strategies as st

from ttstack.ops.windows import Window

FEW = st.integers(1, 5)


@given(
    st.builds(
        Window,
        size=st.integers(1, 12),
        kernel=FEW,
        stride=FEW,
        dilation=FEW,
        low=st.integers(0, 6),
        high=st.integers(0, 6),
        ceil_mode=st.booleans(),
    ).filter(lambda w: w.extent <= w.size + w.low + w.high),
    st.booleans(),
)
def test_each_window_sees_as_many_elements_as_can_be_counted(window: Window, padding_counts: bool):
    low, high = (-window.low, window.size + window.high) if padding_counts else (0, window.size)
    starts = [i * window.stride - window.low for i in range(window.count)]
    counted = [sum(low <= s + k * window.dilation < high for k in range(window.kernel)) for s in starts]
    assert window.taps(padding_counts=padding_counts) == tuple(counted)


def test_taps_are_not_counted_one_by_one():
    whole = Window(size=1 << 40, kernel=1 << 39, stride=1 << 30, dilation=2, low=0, high=0)
    assert set(whole.taps(padding_counts=False)) == {1 << 39}
