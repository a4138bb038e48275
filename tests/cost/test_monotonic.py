"""Predicted time never improves when a resource shrinks: for placed ops, and for whole programs compiled anew."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttstack
from tests.cost.examples import PRICED, placed
from ttstack.cost import predict
from ttstack.system_desc import SystemDesc, from_dict, load, to_dict

RATES = (
    "clock.nominal_hz",
    "dram.peak_bytes_per_second",
    "dram.bank_adjacent_read_fraction",
    "dram.interleaved_read_fraction",
    "dram.interleaved_write_fraction",
    "dram.streamed_write_fraction",
    "noc.link_bytes_per_cycle",
    "noc.port_fraction",
    "noc.l1_read.link_fraction",
    "noc.l1_write.link_fraction",
    "noc.dram_read.link_fraction",
    "noc.dram_write.link_fraction",
    "noc.multicast.link_fraction",
    "unpack.bytes_per_cycle",
    "pack.bytes_per_cycle",
)
"""What a prediction for a placed op can only lose by."""
SHARES = st.floats(0.2, 1.0)
DRAM_PEAK = "dram.peak_bytes_per_second"


def device(shares: dict[str, float], grid: tuple[int, int] = (8, 8), **l1: int) -> SystemDesc:
    """The n150 with the given shares of its rates."""
    values = to_dict(load("wormhole"))
    (chip,) = values["chips"]
    chip["grid"] = grid
    for path, share in shares.items():
        part: Any = chip
        *sections, name = path.split(".")
        for section in sections:
            part = part[section]
        part[name] *= share
    chip["l1"] |= l1
    return from_dict(values)


@settings(max_examples=25)
@given(
    mnemonic=st.sampled_from(PRICED),
    scale=st.sampled_from((1, 4, 16)),
    shares=st.fixed_dictionaries({}, optional=dict.fromkeys(RATES, SHARES)),
)
def test_a_placed_op_is_never_faster_on_less(mnemonic: str, scale: int, shares: dict[str, float]) -> None:
    chip, weaker = load("wormhole").chips[0], device(shares).chips[0]
    device_op = placed(mnemonic, chip, scale)
    assert predict(device_op, weaker).elapsed_ns >= predict(device_op, chip).elapsed_ns * (1 - 1e-9)


MODEL = """func.func @f(%x: tensor<256x512xbf16>, %w: tensor<512x1024xbf16>, %v: tensor<1024x512xbf16>) -> tensor<256x512xbf16> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<256x512xbf16>, tensor<512x1024xbf16>) -> tensor<256x1024xbf16>
  %1 = "ttir.relu"(%0) : (tensor<256x1024xbf16>) -> tensor<256x1024xbf16>
  %2 = "ttir.matmul"(%1, %v) : (tensor<256x1024xbf16>, tensor<1024x512xbf16>) -> tensor<256x512xbf16>
  %3 = "ttir.add"(%2, %x) : (tensor<256x512xbf16>, tensor<256x512xbf16>) -> tensor<256x512xbf16>
  return %3 : tensor<256x512xbf16>
}"""


@pytest.mark.parametrize(
    "changes",
    [
        {"clock.nominal_hz": 0.7},
        {DRAM_PEAK: 0.5},
        {"noc.link_bytes_per_cycle": 0.5},
        {"unpack.bytes_per_cycle": 0.5},
    ],
)
def test_a_compiled_program_is_never_faster_at_lower_rates(changes: dict[str, float]) -> None:
    whole = ttstack.compile(MODEL).cost().total_ns
    assert ttstack.compile(MODEL, system_desc=device(changes)).cost().total_ns >= whole * (1 - 1e-9)


def test_a_compiled_program_is_never_faster_with_less_l1() -> None:
    sizes = [load("wormhole").chips[0].l1.size_bytes // share for share in (1, 2, 4)]
    times = [ttstack.compile(MODEL, system_desc=device({}, size_bytes=size)).cost().total_ns for size in sizes]
    assert times == sorted(times)


def test_a_compiled_program_is_never_faster_on_fewer_cores() -> None:
    times = [ttstack.compile(MODEL, system_desc=device({}, grid)).cost().total_ns for grid in ((8, 8), (4, 8), (4, 4))]
    assert times == sorted(times)
