"""Threads that compile, and threads that compute on the CPU, whose code is generated in children of the process."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ttstack

TEXT = """func.func @f(%x: tensor<32x32xf32> {ttir.name = "x"}) -> tensor<32x32xf32> {
  %0 = "ttir.exp"(%x) : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}"""


@pytest.mark.usefixtures("as_users_read")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_they_do_not_wait_for_one_another():
    x = np.ones((32, 32), np.float32)

    def computed(_: int) -> np.ndarray:
        return ttstack.compile(TEXT).run({"x": x}, engine="cpu").outputs["output"]

    with ThreadPoolExecutor(6) as pool:
        compiled = pool.map(lambda _: ttstack.compile(TEXT), range(12))
        for values in pool.map(computed, range(12)):
            np.testing.assert_allclose(values, np.exp(x), rtol=1e-6)
        first, *others = (program.function() for program in compiled)
        assert all(function == first for function in others)
