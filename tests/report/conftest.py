from dataclasses import replace

import pytest

from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import Binary, Function, Operation, Output, Tensor, TensorKind
from ttstack.report.build import build_report
from ttstack.report.report import Report
from ttstack.system_desc import load

L1_BASE = 512 * 1024
KIB = 1024

X = TensorType((128, 256), DType.BF16)
W = TensorType((512, 256), DType.BF16)
Y = TensorType((128, 512), DType.BF16)
VIEW = TensorType((1, 128, 512), DType.BF16)

DRAM = Layout(DType.BF16)
L1 = DRAM.interleave(MemorySpace.L1)
ROWS = replace(L1, memory_layout=MemoryLayout.HEIGHT_SHARDED, grid=Grid(1, 4))


def tensors() -> tuple[Tensor, ...]:
    return (
        Tensor(0, "x", X, DRAM, TensorKind.INPUT, address=2 << 20),
        Tensor(1, "w", W, Layout(DType.BFP8_B), TensorKind.PARAMETER, address=3 << 20),
        Tensor(2, "y", Y, L1, address=L1_BASE),
        Tensor(3, "view", VIEW, L1, address=L1_BASE, alias=2),
        Tensor(4, "rows", VIEW, ROWS, address=L1_BASE + 256 * KIB),
        Tensor(5, "probabilities", VIEW, DRAM, address=4 << 20),
    )


def operations() -> tuple[Operation, ...]:
    matmul = {"transpose_b": True, "transpose_a": False, "activation": ""}
    config = MatmulConfig(
        type=MatmulProgram.MULTICAST_2D,
        in0_block_w=2,
        per_core_M=1,
        per_core_N=2,
        out_subblock_h=1,
        out_subblock_w=4,
    )
    where = "/home/someone/work/models/transformer/attention.py"
    return (
        Operation(
            "matmul",
            (0, 1),
            (2,),
            matmul,
            Grid(4, 8),
            config=config,
            circular_buffer_bytes=100 * KIB,
            location=f"{where}:12",
        ),
        Operation("reshape", (2,), (3,), {"shape": VIEW.shape}, location=f"{where}:13"),
        Operation("to_layout", (3,), (4,), {}, Grid(1, 4), circular_buffer_bytes=8 * KIB, location=f"{where}:14"),
        Operation("deallocate", (2,), ()),
        Operation(
            "softmax", (4,), (5,), {"dimension": 2}, Grid(1, 4), circular_buffer_bytes=200 * KIB, location="<text>, 15"
        ),
        Operation("deallocate", (4,), ()),
    )


@pytest.fixture(scope="session")
def binary() -> Binary:
    function = Function("forward", tensors(), operations(), (0, 1), (Output("probabilities", 5),))
    return Binary((function,), load("wormhole"))


@pytest.fixture(scope="session")
def report(binary: Binary) -> Report:
    return build_report(binary)


@pytest.fixture(scope="session")
def empty(binary: Binary) -> Report:
    identity = Function("identity", tensors()[:1], (), (0,), (Output("x", 0),))
    return build_report(replace(binary, functions=(identity,)))
