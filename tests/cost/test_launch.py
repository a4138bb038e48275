"""What is left of a launch between two kernels."""

import pytest

from ttstack.cost.exposed_time import Kernels, gap_ns, launch_ns, skew_ns
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
ORDINARY, LARGE = Kernels(text_bytes=12 * 1024), Kernels(text_bytes=40 * 1024)


def test_a_long_kernel_hides_the_launch_of_the_next():
    assert gap_ns(100e3, CHIP, ORDINARY) == gap_ns(200e3, CHIP, ORDINARY) < launch_ns(CHIP, ORDINARY)


@pytest.mark.parametrize("kernel_ns", [5e3, 100e3])
def test_kernels_without_room_beside_those_before_are_sent_after_them(kernel_ns: float):
    """As measured: kernels of 40 KiB that spin for 5 us follow one another every 10.8 us."""
    assert gap_ns(kernel_ns, CHIP, LARGE) == launch_ns(CHIP, LARGE)
    assert 5e3 + gap_ns(5e3, CHIP, LARGE) == pytest.approx(10.77e3, rel=0.05)


def test_the_last_core_of_the_chip_starts_after_the_described_skew():
    assert CHIP.num_cores == 64
    assert [skew_ns(cores, CHIP) for cores in (1, 64)] == [0, CHIP.launch.start_skew_ns]
    assert skew_ns(22, CHIP) == pytest.approx(CHIP.launch.start_skew_ns / 3)
