"""Rows sorted by experts meet all matrices in one product: the same values, in less time where rows are many."""

from collections import Counter

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.ttir.matmuls.densify_grouped_matmul import densify_grouped_matmul


class Experts(nn.Module):
    """Rows sorted by group times the matrix of their group."""

    def __init__(self, groups: int, width: int, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(groups, width, columns) / width**0.5)

    def forward(self, x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        """[rows, width], and where each group ends, to [rows, columns]."""
        return torch.ops.aten._grouped_mm(x, self.weight, ends)


def expected(model: Experts, x: torch.Tensor, ends: list[int]) -> torch.Tensor:
    found = torch.zeros(x.shape[0], model.weight.shape[-1])
    for group, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        found[begin:end] = x[begin:end] @ model.weight[group].float()
    return found


def compiled(
    rows: int, groups: int = 8, width: int = 1024, columns: int = 2048, without: str | None = None
) -> ttstack.Program:
    model = Experts(groups, width, columns).bfloat16().requires_grad_(False)
    given = torch.empty(rows, width, dtype=torch.bfloat16), torch.zeros(groups, dtype=torch.int32)
    return ttstack.compile(model, given, without=without)


def ops(program: ttstack.Program) -> Counter[str]:
    return Counter(op.name for op in program.cost().ops)


def test_many_rows_meet_all_matrices_at_once():
    together, apart = compiled(256), compiled(256, without="densify-grouped-matmul")
    assert ops(together)["sparse_matmul"] == 0
    assert ops(together)["matmul"] == ops(apart)["sparse_matmul"] == 1
    assert together.cost().total_ns < apart.cost().total_ns


def test_products_of_wide_rows_are_added():
    added, apart = (
        compiled(256, groups=4, width=4096, columns=1024, without=left) for left in (None, "densify-grouped-matmul")
    )
    assert (ops(added)["sparse_matmul"], ops(added)["matmul"], ops(added)["add"]) == (0, 4, 3)
    assert added.cost().total_ns < apart.cost().total_ns


def test_matrices_that_are_known_not_to_be_finite_meet_only_their_rows():
    model = Experts(8, 1024, 2048).bfloat16().requires_grad_(False)
    model.weight[0, 5, 7] = torch.inf
    ends = torch.tensor([20, 40, 60, 80, 100, 120, 140, 256], dtype=torch.int32)
    program = ttstack.compile(model, (x := torch.randn(256, 1024).bfloat16(), ends))
    assert (ops(program)["sparse_matmul"], program.binary.finite) == (1, ())
    given = dict(zip(program.inputs(), (x.float().numpy(), ends.numpy()), strict=True))
    (found,) = program.run(given).outputs.values()
    assert np.isfinite(found.astype("f4")[20:]).all()
    assert not np.isfinite(found.astype("f4")[:20, 7]).any()


def test_few_rows_meet_their_matrices_alone():
    assert ops(compiled(2, groups=64, width=1024))["sparse_matmul"] == 1


@pytest.mark.parametrize("shape", [(8, 1024, 2048), (4, 4096, 1024)], ids=["in columns of their group", "added"])
@pytest.mark.parametrize(
    "ends",
    [[16, 40, 41, 90, 90, 100, 130, 200], [0, 0, 0, 0, 0, 0, 0, 200], [10, 20, 30, 40, 50, 60, 70, 150]],
    ids=["ragged groups", "one group", "rows of none at the end"],
)
def test_each_row_has_its_groups_matrix(ends: list[int], shape: tuple[int, int, int]):
    ends = ends[:: 8 // shape[0]][:-1] + ends[-1:]
    model = Experts(*shape).bfloat16().requires_grad_(False)
    x, where = torch.randn(200, shape[1]).bfloat16(), torch.tensor(ends, dtype=torch.int32)
    program = ttstack.compile(model, (x, where))
    assert ops(program)["sparse_matmul"] == 0
    assert program.binary.finite == ("weight",)
    given = dict(zip(program.inputs(), (x.float().numpy(), where.numpy()), strict=True))
    (found,) = program.run(given).outputs.values()
    wanted = expected(model, x.float(), ends).numpy()
    assert np.abs(found.astype("f4") - wanted).max() <= 0.01 * np.abs(wanted).max()


SUM = """func.func @f(%a: tensor<1x8x32x1024xbf16>, %s: tensor<1x8x1x8xbf16>, %mine: tensor<8x8x32x1xbf16>,
    %b: tensor<1x8x1024x2048xbf16> {{tt.argument_type = #tt.argument_type<"parameter">}}) -> tensor<{0}xbf16> {{
  %0 = "ttir.sparse_matmul"(%a, %b, %s) {{is_input_a_sparse = false, is_input_b_sparse = true}}
    : (tensor<1x8x32x1024xbf16>, tensor<1x8x1024x2048xbf16>, tensor<1x8x1x8xbf16>) -> tensor<1x8x1x8x32x2048xbf16>
  %1 = "ttir.reshape"(%0) {{shape = [8 : i32, 8 : i32, 32 : i32, 2048 : i32]}}
    : (tensor<1x8x1x8x32x2048xbf16>) -> tensor<8x8x32x2048xbf16>
  %2 = "ttir.full"() {{shape = array<i32: 1, 1, 1, 1>, fill_value = {2} : f32}} : () -> tensor<1x1x1x1xbf16>
  %3 = "ttir.where"(%mine, %1, %2)
    : (tensor<8x8x32x1xbf16>, tensor<8x8x32x2048xbf16>, tensor<1x1x1x1xbf16>) -> tensor<8x8x32x2048xbf16>
  %4 = "ttir.sum"(%3) {{dim_arg = [1 : i32], keep_dim = {1}}} : (tensor<8x8x32x2048xbf16>) -> tensor<{0}xbf16>
  return %4 : tensor<{0}xbf16>
}}"""


def rewritten(shape: str, keep_dim: str, other: float) -> str:
    with new_context(), ir.Location.unknown():
        module = parse(SUM.format(shape, keep_dim, other))
        AttachSystemDesc().run(module)
        densify_grouped_matmul().run(module)
        module.operation.verify()
        return print_module(module)


@pytest.mark.parametrize(("shape", "keep_dim"), [("8x32x2048", "false"), ("8x1x32x2048", "true")])
def test_the_result_has_the_shape_of_the_sum(shape: str, keep_dim: str):
    text = rewritten(shape, keep_dim, 0.0)
    assert "ttir.sparse_matmul" not in text
    assert f"-> tensor<{shape}xbf16>" in text


def test_rows_of_other_groups_that_are_not_zero_stay():
    assert "ttir.sparse_matmul" in rewritten("8x32x2048", "false", 1.0)
