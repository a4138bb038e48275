"""What ops cost is predicted once in a process, and programs do not depend on what was predicted before."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import ttstack
from ttstack.cost import predict_calls
from ttstack.device.device_op import DeviceOp
from ttstack.flatbuffer.encode import encode
from ttstack.passes.rewriting import prices
from ttstack.placement import formulate, pricing

PERCEPTRON = """
func.func @perceptron(%x: tensor<64x128xbf16>, %w: tensor<128x256xbf16>, %b: tensor<256xbf16>) -> tensor<64x256xbf16> {
  %0 = "ttir.linear"(%x, %w, %b) : (tensor<64x128xbf16>, tensor<128x256xbf16>, tensor<256xbf16>) -> tensor<64x256xbf16>
  %1 = "ttir.gelu"(%0) : (tensor<64x256xbf16>) -> tensor<64x256xbf16>
  return %1 : tensor<64x256xbf16>
}
"""
"""Shares an op with the other one."""
SOFTMAX = """
func.func @softmax(%x: tensor<64x256xbf16>, %y: tensor<256x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.gelu"(%x) : (tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (tensor<64x256xbf16>) -> tensor<64x256xbf16>
  %2 = "ttir.matmul"(%1, %y) : (tensor<64x256xbf16>, tensor<256x64xbf16>) -> tensor<64x64xbf16>
  return %2 : tensor<64x64xbf16>
}
"""
CASES = [
    (source, policy, chip)
    for source in (PERCEPTRON, SOFTMAX)
    for policy in ("greedy", "optimal")
    for chip in ("wormhole", "blackhole_p150")
]


def compiled(source: str, policy: str, chip: str) -> bytes:
    return encode(ttstack.compile(source, system_desc=chip, placement=policy).binary)


@pytest.fixture
def forgotten() -> Iterator[None]:
    """No prediction of an earlier test is used."""
    pricing._shared.cache_clear()
    yield
    pricing._shared.cache_clear()


@pytest.mark.usefixtures("forgotten")
def test_order_changes_no_program() -> None:
    first = {case: compiled(*case) for case in CASES}
    pricing._shared.cache_clear()
    assert {case: compiled(*case) for case in reversed(CASES)} == first
    assert {case: compiled(*case) for case in CASES} == first


@pytest.mark.usefixtures("forgotten")
def test_threads_get_the_same_programs() -> None:
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda case: compiled(*case), CASES))
    pricing._shared.cache_clear()
    assert together == [compiled(*case) for case in CASES]


@pytest.mark.usefixtures("forgotten")
def test_second_compilation_predicts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[DeviceOp] = []

    def counted(op: DeviceOp, *rest: Any) -> object:
        asked.append(op)
        return predict_calls(op, *rest)

    monkeypatch.setattr(pricing, "predict_calls", counted)
    first = compiled(PERCEPTRON, "optimal", "wormhole")
    assert asked
    asked.clear()
    assert compiled(PERCEPTRON, "optimal", "wormhole") == first
    assert not asked


def test_memory_is_bounded() -> None:
    kept = (prices._alone_ns, formulate._table, formulate._read, pricing._convert, pricing._shared)
    assert all(of.cache_info().maxsize is not None for of in kept)
