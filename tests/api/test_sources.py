"""What compiles: text, files, modules of MLIR."""

from pathlib import Path

import numpy as np
import pytest

import ttstack
from tests.api.programs import SOURCE, T, compiled, op_names, outputs
from ttstack.dialects.context import new_context
from ttstack.mlir import ir

OLD_FORM = """\
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
module attributes {tt.system_desc = #tt.system_desc<[<#tt.arch<wormhole_b0>, #tt.grid<8x8>>], [0], [<pcie|host_mmio>], [<0, 0, 0, 0>]>} {
func.func @forward(%arg0: tensor<64x128xf32>, %arg1: tensor<64x128xf32>) -> tensor<64x128xf32> {
%0 = tensor.empty() : tensor<64x128xf32>
%1 = "ttir.multiply"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
return %1 : tensor<64x128xf32>
}
}
"""


def test_text():
    a, b = np.random.default_rng(0).standard_normal((2, 64, 96)).astype(np.float32)
    run = compiled(SOURCE).run({"arg0": a, "arg1": b})
    np.testing.assert_array_equal(run.outputs["output"], np.abs(a + b))


@pytest.mark.parametrize("kind", [str, Path])
def test_path(tmp_path: Path, kind: type):
    path = tmp_path / "model.mlir"
    path.write_text(SOURCE)
    program = ttstack.compile(kind(path))
    assert program.function().operations[0].location == f"{path}:3"


def test_module():
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(SOURCE)
    assert op_names(ttstack.compile(module)) == ["add", "abs"]


def test_the_old_form_compiles_and_runs():
    a, b = np.random.default_rng(0).standard_normal((2, 64, 128)).astype(np.float32)
    (product,) = outputs(OLD_FORM, a, b)
    np.testing.assert_array_equal(product, a * b)


def test_signature():
    program = compiled(SOURCE)
    assert {n: str(t) for n, t in program.inputs().items()} == {"arg0": T, "arg1": T}
    assert {n: str(t) for n, t in program.outputs().items()} == {"output": T}
    assert program.phases["parse"] > 0
