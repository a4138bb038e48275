"""Every op of the torch dialect that has a conversion, by itself: values as PyTorch's, ops as declared."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from tests.frontends.torch_cases import CASES
from tests.frontends.torch_cases.draw import bools, real, whole
from ttstack.dialects.context import new_context
from ttstack.frontends.torch import Imported, export, import_program
from ttstack.frontends.torch_to_ttir import CONVERSIONS, torch_to_ttir
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir, register_torch_dialect

pytestmark = pytest.mark.filterwarnings(
    "ignore:Using padding='same' with even kernel",
    "ignore:The reduce argument of torch.scatter",
    "ignore:index_reduce",
    "ignore:LSTM with projections",
)


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.function(*inputs)


@dataclass(frozen=True)
class Converted:
    """A case before and after its conversion."""

    sources: frozenset[str]
    targets: frozenset[str]
    module: ir.Module
    imported: Imported


@cache
def converted(name: str) -> Converted:
    function, inputs = CASES[name]
    with new_context() as context, ir.Location.unknown():
        imported = import_program(export(Function(function), inputs), context)
        sources = op_names(imported.module)
        torch_to_ttir(imported.module)
        imported.module.operation.verify()
        return Converted(sources, op_names(imported.module), imported.module, imported)


def op_names(module: ir.Module) -> frozenset[str]:
    block = module.body.operations[0].regions[0].blocks[0]
    return frozenset(TorchOp.name_of(op.operation) for op in block.operations) - {"func.return"}


def array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


@pytest.mark.parametrize("name", CASES)
def test_values_are_pytorchs(name: str, interpret: Callable[..., list[np.ndarray[Any, Any]]]):
    function, inputs = CASES[name]
    case = converted(name)
    weights = [array(case.imported.weights[a.name]) for a in case.imported.arguments[len(inputs) :]]
    with case.module.context:
        results = interpret(case.module, [*map(array, inputs), *weights])
    wanted: Any = function(*inputs)
    assert len(results) == len(wanted)
    for i, (got, want) in enumerate(zip(results, wanted, strict=True)):
        assert got.shape == tuple(want.shape), i
        if want.dtype != torch.bfloat16:
            assert got.dtype == array(want).dtype, i
        tolerance = {torch.float16: 2e-3, torch.bfloat16: 1e-2}.get(want.dtype, 2e-6)
        np.testing.assert_allclose(
            got.astype(np.float64), array(want).astype(np.float64), tolerance, tolerance, err_msg=f"{name} {i}"
        )


@pytest.mark.parametrize("name", CASES)
def test_ops_become_what_the_table_says(name: str):
    case = converted(name)
    declared = {f"ttir.{t}" for s in case.sources if s in CONVERSIONS for t in CONVERSIONS[s].targets}
    scalars = {"ttir.full", "ttir.constant", "ttir.typecast", "ttir.ne"}
    assert case.targets <= declared | scalars


FOLDED: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "aten.alias": ("x", "x", lambda x, i, b: x),
    "aten.clone": ("x none", "x", lambda x, i, b: x),
    "aten.detach": ("x", "x", lambda x, i, b: x),
    "aten.lift_fresh_copy": ("x", "x", lambda x, i, b: x),
    "aten.dot": ("v v", "s", lambda x, i, b: np.dot(x[1], x[1])),
    "aten.full": ("size two none none none none", "x", lambda x, i, b: np.full((2, 3), 2, np.float32)),
    "aten.ones": ("size none none none none", "i", lambda x, i, b: np.ones((2, 3), np.int64)),
    "aten.zeros": ("size none none none none", "x", lambda x, i, b: np.zeros((2, 3), np.float32)),
    "aten.max.other": ("x x", "x", lambda x, i, b: x),
    "aten.min.other": ("x x", "x", lambda x, i, b: x),
    "aten.sign": ("x", "x", lambda x, i, b: np.sign(x)),
    "aten.__and__.Scalar": ("i two", "i", lambda x, i, b: i & 2),
    "aten.__or__.Tensor": ("b b", "b", lambda x, i, b: b),
    "aten.to.dtype_layout": ("i two none none none false false none", "x", lambda x, i, b: np.float32(i)),
    "aten.to.other": ("i x false false none", "x", lambda x, i, b: np.float32(i)),
    "aten.to.prim_Device": ("i none two false false", "x", lambda x, i, b: np.float32(i)),
}
"""Ops that torch-mlir's canonicalizer replaces today: operands and result by the names below."""

TYPES = {
    **{name: f"vtensor<[2,3],{t}>" for name, t in (("x", "f32"), ("i", "si64"), ("b", "i1"))},
    "v": "vtensor<[3],f32>",
    "s": "vtensor<[],f32>",
    "size": "list<int>",
    "none": "none",
    "false": "bool",
    "one": "int",
    "two": "int",
}


def parse_folded(name: str) -> ir.Module:
    operands, result, _ = FOLDED[name]
    t = {name: f"!torch.{spelled}" for name, spelled in TYPES.items()}
    call = ", ".join(f"%{o}" for o in operands.split()) + " : " + ", ".join(t[o] for o in operands.split())
    return ir.Module.parse(f"""
        func.func @forward(%x: {t["x"]}, %i: {t["i"]}, %b: {t["b"]}) -> {t[result]} {{
          %none = torch.constant.none
          %false = torch.constant.bool false
          %zero = torch.constant.int 0
          %one = torch.constant.int 1
          %two = torch.constant.int 2
          %three = torch.constant.int 3
          %size = torch.prim.ListConstruct %two, %three : (!torch.int, !torch.int) -> {t["size"]}
          %v = torch.aten.select.int %x, %zero, %one : {t["x"]}, !torch.int, !torch.int -> {t["v"]}
          %r = torch.{name} {call} -> {t[result]}
          return %r : {t[result]}
        }}""")


@pytest.mark.parametrize("name", FOLDED)
def test_ops_that_the_importer_replaces_today(name: str, interpret: Callable[..., list[np.ndarray[Any, Any]]]):
    inputs = [array(t) for t in (real(2, 3), whole(2, 3), bools(2, 3))]
    with new_context() as context, ir.Location.unknown():
        register_torch_dialect(context)
        module = parse_folded(name)
        torch_to_ttir(module)
        (got,) = interpret(module, inputs)
    want = np.asarray(FOLDED[name][2](*inputs))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, 1e-6)


ELSEWHERE = {
    "torch.ttstack.fourier": "fourier",
    "torch.ttstack.real_fourier": "real_fourier",
    "torch.ttstack.while": "while",
}
"""Ops that the importer makes of graphs, and what they become: test_torch_complex.py, tests/loops/test_torch.py."""


def test_every_conversion_is_tested():
    tested = {s for name in CASES for s in converted(name).sources} | {f"torch.{name}" for name in FOLDED}
    left = set(CONVERSIONS) - tested - ELSEWHERE.keys()
    assert not left, "add cases with each to a file of tests/frontends/torch_cases"


def test_every_target_is_reached():
    reached = {t for name in CASES for t in converted(name).targets}
    left = {f"ttir.{t}" for c in CONVERSIONS.values() for t in c.targets} - reached
    left -= {f"ttir.{target}" for target in ELSEWHERE.values()}
    assert not left, "take each out of `to` of the conversions that name it, or add a case that reaches it"
