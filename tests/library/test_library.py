"""What the real library makes of programs: each runs to its end on the mock device of its board."""

from pathlib import Path

import pytest

import ttstack
from benchmarks.library_campaign import forms, meshes
from benchmarks.library_campaign.configurations import function_of
from tests.docs.pages import ROOT
from tests.library import stored
from tests.models import repeated
from tests.passes.test_fold_gather_into_weights import Pairs, by_two_indices, drawn
from tests.passes.test_select_group_norm_kernel import block
from ttstack.compiled_program import Program
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.library.boards import board_of
from ttstack.library.run import check, judge
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.program.records import Binary
from ttstack.system_desc import load
from ttstack.ttnn_python import Emission

pytestmark = pytest.mark.library

TURNED_WEIGHTS = """
    func.func @f(%x: tensor<32x2048xbf16>, %w: tensor<8192x2048xbf16> {tt.argument_type = #tt.argument_type<"parameter">})
        -> tensor<32x8192xbf16> {
      %y = "ttir.matmul"(%x, %w) {transpose_b = true}
         : (tensor<32x2048xbf16>, tensor<8192x2048xbf16>) -> tensor<32x8192xbf16>
      return %y : tensor<32x8192xbf16>
    }"""
"""A product that placement gives weights over the banks of DRAM, which PyTorch has by rows."""

LEADING = [
    ("max", (64, 96, 256), 0),
    ("mean", (40, 8, 64, 64), 1),
    ("min", (16, 640, 512), 0),
    ("mean", (3, 7, 50, 96), 0),
]
"""Reductions over dimensions that the library puts in the place of rows, with more tiles on the way."""


def leading(dtype: str) -> Program:
    """Reductions between elementwise ops, whose tensors would lie in L1."""
    parts, arguments, results = list[str](), list[str](), list[str]()
    for i, (kind, shape, dim) in enumerate(LEADING):
        given, made = ("x".join(map(str, s)) for s in (shape, (*shape[:dim], 1, *shape[dim + 1 :])))
        arguments.append(f"%x{i}: tensor<{given}xf32>")
        results.append(f"tensor<{made}xf32>")
        parts += [
            f'%a{i} = "ttir.relu"(%x{i}) : (tensor<{given}xf32>) -> tensor<{given}xf32>',
            (
                f'%b{i} = "ttir.{kind}"(%a{i}) {{dim_arg = [{dim} : i32], keep_dim = true}}'
                f" : (tensor<{given}xf32>) -> tensor<{made}xf32>"
            ),
            f'%c{i} = "ttir.exp"(%b{i}) : (tensor<{made}xf32>) -> tensor<{made}xf32>',
        ]
    values = ", ".join(f"%c{i}" for i in range(len(LEADING)))
    text = "\n".join([*parts, f"return {values} : {', '.join(results)}"])
    return ttstack.compile(
        f"func.func @f({', '.join(arguments)}) -> ({', '.join(results)}) {{\n{text}\n}}", dtype=dtype
    )


PROGRAMS = {
    "encoder_layer": lambda: ttstack.compile(ROOT / "examples/encoder_layer.mlir"),
    "mlp": lambda: ttstack.compile(ROOT / "docs/mlp.mlir"),
    **{
        name: lambda name=name: ttstack.compile(
            ROOT / "tests/filecheck/passes/fold_transposes_into_maps.mlir", function=name
        )
        for name in ("products", "broadcasts", "ops_of_their_own", "masks")
    },
    **{
        name: lambda name=name: ttstack.compile(f"examples.zoo.{name}:small", dtype="bf16")
        for name in ("bert", "convnext", "dcn_v2", "efficientnet", "gpt2", "resnet", "unet", "vit")
    },
    "p150": lambda: ttstack.compile("examples.zoo.vit:small", dtype="bf16", system_desc="blackhole_p150"),
    "bfp8_b": lambda: ttstack.compile("examples.zoo.llama_decode:small", dtype="bfp8_b"),
    "optimal": lambda: ttstack.compile(
        "examples.zoo.dlrm:small", dtype="bf16", placement="optimal", placement_nodes=50
    ),
    **{f"group_norm_{held}": lambda held=held: group_norm(held) for held in ("f32", "bf16", "bfp8_b")},
    **repeated.PROGRAMS,
    **{f"leading_{dtype}": lambda dtype=dtype: leading(dtype) for dtype in ("f32", "bf16", "bfp8_b")},
    "pairs": lambda: pairs(27),
    "weights_over_banks": lambda: ttstack.compile(TURNED_WEIGHTS, dtype="bf16"),
    "n300": lambda: on_mesh("decoder_layer", "n300-8x8"),
    "t3000": lambda: on_mesh("gathered_columns", "t3000"),
}


def group_norm(dtype: str) -> Program:
    """Two convolutions with a group norm between them."""
    model, x = block(1280, 16, batch=2)
    return ttstack.compile(model, (x,), dtype=dtype)


def pairs(count: int) -> Program:
    """A layer of products of pairs of features, which its weights pick."""
    model, features = Pairs(by_two_indices, features=count, beside="before").eval(), drawn(count)
    model(*features)
    return ttstack.compile(model.requires_grad_(False), tuple(features), dtype="bf16")


def on_mesh(model: str, board: str) -> Program:
    """A program of the campaign that is divided over chips."""
    desc = meshes.board(board)
    return ttstack.compile(meshes.text(model, "small", desc.mesh_shape), system_desc=desc, dtype="bf16")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_to_their_end(name: str, interpreter: Path):
    program: Program = PROGRAMS[name]()
    found = check(program.binary, program.function(), name, interpreter)
    assert [f"{v.number} {v.name}: {v.refusal}" for v in found.refused] == []
    assert [f"{v.number} {v.name}: {v.result}" for v in found.verdicts if v.result] == []
    assert found.refusal == ""
    assert len(found.verdicts) == len(program.cost().ops)


def test_a_program_finds_all_of_l1_free(interpreter: Path):
    system = load("wormhole")
    chip = system.chips[0]
    half = TensorType((64 * 32, 9 * 1024), DType.BF16)
    in_l1 = Layout(DType.BF16, memory_space=MemorySpace.L1)
    op = DeviceOp(OPS["relu"].on([half], {}), (in_l1,), (in_l1.interleave(MemorySpace.DRAM),), Grid(8, 8))
    alone = function_of(op, chip)
    assert 0.4 < in_l1.bank_bytes(half, chip.num_cores) / chip.l1_usable_bytes < 0.5
    emission = Emission(Binary((alone,), system), alone, "half")
    judged = judge([emission] * 3, board_of(emission.binary, alone), interpreter)
    assert [(found.refused, found.refusal) for found in judged] == [((), "")] * 3


def test_forms_of_ops_are_taken(interpreter: Path):
    """One of many of each family; `python -m benchmarks.library_campaign forms` judges all."""
    some = [key for key in forms.keys(None) if int(key.rpartition("/")[2]) % 12 == 1]
    found = list(forms.judged(0, some))
    assert [f"{o.key} {o.result} {o.detail}" for o in found if o.finding] == []
    assert sum(o.result == "accepted" for o in found) > 0.8 * len(found)


@pytest.mark.parametrize("name", stored.PROGRAMS)
def test_verdicts_are_those_that_are_stored(name: str, interpreter: Path, request: pytest.FixtureRequest):
    emission = stored.emission(name)
    judged = check(emission.binary, emission.function, name, interpreter)
    verdicts = list(stored.of_judgement(emission, judged))
    if request.config.getoption("--update-golden"):
        stored.store(name, verdicts)
    known = stored.stored()
    assert [verdict.line() for verdict in verdicts if known.get(verdict.call) != verdict] == []
    assert judged.refusal == ""
