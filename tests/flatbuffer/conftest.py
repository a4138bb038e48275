"""A small program with one of everything, for all tests of files."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ttstack.device.device_op import Fidelity, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Iterator
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import Binary, Function, Operation, Output, Tensor, TensorKind, Weight
from ttstack.system_desc import SystemDesc
from ttstack.system_desc import load as load_system

DRAM = Layout(DType.BF16)
L1 = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.INTERLEAVED)
SHARDED = Layout(DType.BF16, True, MemorySpace.L1, MemoryLayout.HEIGHT_SHARDED, Grid(2, 1))
X = TensorType((64, 32), DType.BF16)
W = TensorType((32, 32), DType.BF16)
SCALE = TensorType((), DType.F32)
FLAT = TensorType((2, 32, 32), DType.BF16)

_INPUT, _PARAMETER, _CONSTANT = TensorKind.INPUT, TensorKind.PARAMETER, TensorKind.CONSTANT
_ROW = (Iterator.PARALLEL, Iterator.PARALLEL, Iterator.PARALLEL)
FUSED = LoopNest(
    domain=(2, 1, 1),
    iterators=_ROW,
    inputs=(IndexingMap((0, 1, 2)), IndexingMap((), Access.MULTICAST)),
    outputs=(IndexingMap((0, 1, 2)),),
    body=(
        TileOp("leaky_relu", (0,), (("parameter", -0.0), ("dtype", DType.BF16))),
        TileOp("multiply", (3, 1)),
    ),
)


def _tensors(dram: int, top: int) -> tuple[Tensor, ...]:
    return (
        Tensor(0, "x", X, DRAM, _INPUT, dram),
        Tensor(1, "layer.weight", W, DRAM, _PARAMETER, dram + 2048),
        Tensor(2, "forward.constant.2", SCALE, Layout(DType.F32, tiled=False), _CONSTANT, dram + 4096),
        Tensor(3, "%3", X, SHARDED, address=top - 2048),
        Tensor(4, "%4", FLAT, SHARDED, address=top - 2048, alias=3),
        Tensor(5, "%5", FLAT, L1, address=top - 4096),
        Tensor(6, "%6", FLAT, DRAM, address=dram + 8192),
    )


def _operations() -> tuple[Operation, ...]:
    grid = Grid(2, 1)
    config = MatmulConfig(MatmulProgram.MULTICAST_1D, in0_block_w=1, per_core_M=1)
    return (
        Operation(
            "linear",
            (0, 1, None),
            (3,),
            {"activation": "gelu", "transpose_b": True},
            grid,
            Spread.ROWS,
            Fidelity.LOFI,
            config,
            12288,
            "net.py:12 layer",
        ),
        Operation("reshape", (3,), (4,), {"shape": FLAT.shape}, location="net.py:13"),
        Operation("generic", (4, 2), (5,), {"program": FUSED}, grid, circular_buffer_bytes=8192, location="net.py:14"),
        Operation("deallocate", (3,), ()),
        Operation("to_layout", (5,), (6,), grid=grid, circular_buffer_bytes=8192),
        Operation("deallocate", (5,), ()),
    )


def make_binary(system: SystemDesc) -> Binary:
    """The program, placed in the memories of the system's first chip."""
    chip = system.chips[0]
    function = Function(
        name="forward",
        tensors=_tensors(chip.dram_base, chip.l1_end),
        operations=_operations(),
        inputs=(0, 1, 2),
        outputs=(Output("y", 6),),
    )
    values = np.arange(1024, dtype=np.float32).astype(ml_dtypes.bfloat16).reshape(32, 32)
    weights = (
        Weight("layer.weight", W, values),
        Weight("forward.constant.2", SCALE, np.array(0.25, np.float32)),
    )
    return Binary(
        functions=(function,),
        system_desc=system,
        weights={w.name: w for w in weights},
        pipeline="canonicalize,cse,place{policy=greedy}",
        version="0.1.0",
        stages={"ttir": "module {\n}\n", "ttnn": "// é\n"},
    )


CALLS = 5


def make_scan(system: SystemDesc, calls: int = CALLS) -> Function:
    """A recurrence: each step takes its rows of the input and the state before it, which it ends."""
    t, dram = TensorType((32, 32), DType.BF16), system.chips[0].dram_base
    tensors = [
        Tensor(0, "rows", TensorType((32 * calls, 32), DType.BF16), DRAM, _INPUT, dram + 65536),
        Tensor(1, "layer.weight", W, DRAM, _PARAMETER, dram + 2048),
        Tensor(2, "state", t, DRAM, _INPUT, dram + 4096),
    ]
    operations: list[Operation] = []

    def apply(name: str, *operands: int, slot: int, alias: int | None = None, **attributes: Any) -> int:
        at = len(tensors)
        tensors.append(Tensor(at, f"%{at}", t, DRAM, address=dram + 8192 + slot * 2048, alias=alias))
        operations.append(Operation(name, operands, (at,), attributes, Grid(1, 1), location="net.py:7 scan"))
        return at

    def end(tensor: int) -> None:
        operations.append(Operation("deallocate", (tensor,), (), location="net.py:7 scan"))

    state = 2
    for i in range(calls):
        rows = apply("slice_static", 0, slot=0, begins=(32 * i, 0), ends=(32 * i + 32, 32), step=(1, 1))
        view = apply("reshape", rows, slot=0, alias=rows, shape=(32, 32))
        product = apply("matmul", view, 1, slot=1)
        end(rows)
        new = apply("add", product, state, slot=2 + i % 2)
        end(product)
        if i:
            end(state)
        state = new
    return Function("scan", tuple(tensors), tuple(operations), (0, 1, 2), (Output("last", state),))


def with_scan(binary: Binary) -> Binary:
    """The program, with a second function that repeats a step."""
    return replace(binary, functions=(*binary.functions, make_scan(binary.system_desc)))


@pytest.fixture
def scan() -> Function:
    return make_scan(load_system("wormhole"))


@pytest.fixture
def binary() -> Binary:
    return make_binary(load_system("wormhole"))


@pytest.fixture
def binary_for() -> Callable[[SystemDesc], Binary]:
    """The same for another device."""
    return make_binary


@pytest.fixture
def with_weights(binary: Binary) -> Callable[[Mapping[str, Any]], Binary]:
    """The program with other weights than those that its function asks for: values by name."""

    def build(values: Mapping[str, Any]) -> Binary:
        found = {n: Weight(n, TensorType(v.shape, _dtype(v)), v) for n, v in values.items()}
        return replace(binary, functions=(), weights=found)

    return build


def _dtype(values: Any) -> DType:
    return next(d for d in DType if d.numpy == values.dtype)


@pytest.fixture
def plain() -> Callable[[Binary], Binary]:
    """The program without the values and hashes of its weights, which do not compare with `==`."""
    return lambda b: replace(b, weights={n: Weight(n, w.type) for n, w in b.weights.items()})


@pytest.fixture
def assert_equal(plain: Callable[[Binary], Binary]) -> Callable[[Binary, Binary], None]:
    def check(got: Binary, want: Binary) -> None:
        assert plain(got) == plain(want)
        for name, weight in want.weights.items():
            values, found = weight.data, got.weights[name].data
            if values is None:
                assert found is None
                continue
            assert found is not None
            assert found.dtype == values.dtype
            np.testing.assert_array_equal(found, values)

    return check
