"""Lookups in Tensor-Train form in the device's numbers: rounded where the device rounds."""

import numpy as np
import pytest

from tests.ops.case import NAME, Case
from ttstack.compiler import compile_module
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, TensorType
from ttstack.options.model import CompileOptions
from ttstack.system_desc import load
from ttstack_runtime.executor import Numerics, execute
from ttstack_runtime.inputs import random_inputs
from ttstack_runtime.numerics import quantize, truncate_for_fidelity

TRAIN = TensorTrainType.of(1000, 16, (10, 10, 10), (2, 2, 4), (1, 8, 8, 1), DType.F32)
IDS = np.array([[3, 999, 42], [42, 3, 500]])
RNG = np.random.default_rng(0)
CORES = [RNG.standard_normal(core.shape).astype(np.float32) for core in TRAIN.cores]
INDICES = TensorType(IDS.shape, DType.I64)
WEIGHTS = RNG.standard_normal(IDS.shape).astype(np.float32)

CASES = {
    "rows": (Case("tensor_train_embedding", (INDICES, *TRAIN.cores), {"train": TRAIN}), []),
    "bags": (
        Case("tensor_train_embedding_bag", (INDICES, *TRAIN.cores), {"train": TRAIN, "mode": "max", "padding_idx": 42}),
        [],
    ),
    "weighted": (
        Case(
            "tensor_train_embedding_bag",
            (INDICES, *TRAIN.cores, TensorType(IDS.shape, DType.F32)),
            {"train": TRAIN, "padding_idx": 7},
        ),
        [WEIGHTS],
    ),
    "table": (Case("tensor_train_reconstruct", TRAIN.cores, {"train": TRAIN}), []),
}


def run(name: str, dtype: DType | None, numerics: Numerics) -> np.ndarray:
    case, more = CASES[name]
    with new_context(), ir.Location.unknown():
        binary = compile_module(
            case.module(), CompileOptions(system_desc=load("wormhole"), dtype=dtype), weights={}
        ).binary
    given = [*([] if name == "table" else [IDS]), *CORES, *more]
    (y,) = execute(
        binary, dict(zip(case.named_arrays(), given, strict=True)), function=NAME, numerics=numerics
    ).values()
    return y


@pytest.mark.parametrize("dtype", [DType.BF16, None])
def test_each_partial_product_is_packed(dtype: DType | None):
    first, second, third = (IDS // 100, IDS // 10 % 10, IDS % 10)
    held = [quantize(core, str(dtype or DType.F32)) for core in CORES]

    def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        cut = [truncate_for_fidelity(x, "HiFi4", operand=side) for side, x in enumerate((a, b))]
        return quantize(np.matmul(*cut), str(dtype or DType.F32))

    left = held[0][first].reshape(2, 3, 2, 8)
    left = product(left, held[1][second]).reshape(2, 3, 4, 8)
    expected = product(left, held[2][third]).reshape(2, 3, 16)
    np.testing.assert_allclose(run("rows", dtype, "device"), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_the_device_is_near_ieee_and_differs_from_it(name: str):
    exact, device = run(name, None, "ieee"), run(name, DType.BF16, "device")
    error = np.linalg.norm(device - exact) / np.linalg.norm(exact)
    assert 1e-4 < error < 1e-2


def test_random_indices_are_rows_and_offsets_ascend():
    flat, starts = TensorType((50,), DType.I64), TensorType((20,), DType.I64)
    case = Case("tensor_train_embedding_bag", (flat, *TRAIN.cores, starts), {"train": TRAIN})
    with new_context(), ir.Location.unknown():
        binary = compile_module(case.module(), CompileOptions(system_desc=load("wormhole")), weights={}).binary
    given = random_inputs(binary.functions[0])
    indices, *_, offsets = given.values()
    assert 100 < indices.max() < 1000
    assert (np.diff(offsets) >= 0).all()
    execute(binary, given)
