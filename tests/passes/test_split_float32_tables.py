"""Tables of float32 are looked up as tables of bf16 that add up to them."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.compiled_program import program_of
from ttstack.compiler import compile_module
from ttstack.frontends.source import import_model
from ttstack.options.choices import Choices
from ttstack.options.model import CompileOptions
from ttstack.passes.ttir.embeddings.split_float32_tables import count_parts

NAME = "split-float32-tables"
IDS = torch.randint(0, 100, (8, 4), generator=torch.Generator().manual_seed(0))


class Rows(nn.Module):
    """A table of random values, of which the first row is changed."""

    def __init__(self, first: float | None = None, *, exact: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        table = torch.randn(100, 64)
        self.table = nn.Parameter(table.bfloat16().float() if exact else table, requires_grad=False)
        if first is not None:
            self.table[0] = first

    def forward(self, ids: Tensor) -> Tensor:
        return nn.functional.embedding(ids, self.table)


def compiled(model: nn.Module, options: Choices | None = None) -> tuple[list[str], float, np.ndarray]:
    """Ops, nanoseconds and values of the program."""
    program = ttstack.compile(model.eval(), (IDS,), **(options or {}))
    report = program.cost()
    (values,) = program.run({name: IDS.numpy() for name in program.inputs()}).outputs.values()
    return [op.name for op in report.ops], report.total_ns, values


@pytest.mark.parametrize(("exact", "lookups"), [(False, 3), (True, 1)])
def test_lookups_have_all_bits(exact: bool, lookups: int):
    model = Rows(exact=exact)
    (ops, ns, values), (whole, slow, _) = compiled(model), compiled(model, {"without": NAME})
    np.testing.assert_array_equal(values, model(IDS).numpy())
    assert (ops.count("embedding"), whole) == (lookups, ["embedding"])
    assert ns < 0.5 * slow
    assert "subtract" not in ops


BAG = """
func.func @forward(%i: tensor<8x4xi64>, %w: tensor<100x64xf32> {{ttir.name = "w", tt.argument_type = #tt.argument_type<"parameter">}},
    %s: tensor<8x4xf32>) -> tensor<8x64xf32> {{
  %0 = "ttir.embedding_bag"(%i, %w{operand}) {{operandSegmentSizes = array<i32: 1, 1, 0, {weighted:d}>, mode = "{mode}"}}
      : (tensor<8x4xi64>, tensor<100x64xf32>{type}) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}}
"""


def with_table(text: str, without: tuple[str, ...] | None) -> ttstack.Program:
    """The program of a module whose parameter has values."""
    with import_model(text) as model:
        options = CompileOptions(without=without)
        return program_of(compile_module(model.module, options, weights={"w": Rows().table.numpy()}))


@pytest.mark.parametrize(("mode", "weighted"), [("sum", False), ("sum", True), ("mean", False), ("max", False)])
def test_bags_are_lookups_and_a_reduction(mode: str, weighted: bool):
    extra = {"operand": ", %s", "type": ", tensor<8x4xf32>"} if weighted else {"operand": "", "type": ""}
    text = BAG.format(mode=mode, weighted=weighted, **extra)
    split, whole = (with_table(text, without) for without in (None, (NAME,)))
    given = {"arg0": IDS.numpy(), "arg2": IDS.float().numpy() / 3}
    values, wanted = ([*p.run({n: given[n] for n in p.inputs()}).outputs.values()] for p in (split, whole))
    np.testing.assert_allclose(values, wanted, rtol=1e-5, atol=1e-5)
    assert "embedding_bag" not in [op.name for op in split.cost().ops]
    assert split.cost().total_ns < whole.cost().total_ns


@pytest.mark.parametrize("first", [torch.inf, torch.nan, 3.4e38, 1.2345e-40])
def test_values_that_bf16_does_not_add_up_to_stay(first: float):
    model = Rows(first)
    ops, _, values = compiled(model)
    np.testing.assert_array_equal(values, model(IDS).numpy())
    assert ops == ["embedding"]


@pytest.mark.parametrize("options", [{"dtype": "bf16"}, {"dtype": "f32"}, {"half_dtype": "bfp8_b"}])
def test_programs_of_one_format_stay(options: Choices):
    assert compiled(Rows(), options)[0] == ["embedding"]


def test_tables_that_are_written_or_given_stay():
    class Written(Rows):
        def forward(self, ids: Tensor) -> Tensor:
            rows = super().forward(ids)
            self.table.mul_(2.0)
            return rows

    class Given(nn.Module):
        def forward(self, ids: Tensor, table: Tensor) -> Tensor:
            return nn.functional.embedding(ids, table)

    program = ttstack.compile(Written().eval(), (IDS,))
    assert [op.name for op in program.cost().ops].count("embedding") == 1
    given = ttstack.compile(Given(), (IDS, torch.randn(100, 64)))
    assert [op.name for op in given.cost().ops].count("embedding") == 1


def test_bags_with_offsets_stay():
    class Offsets(Rows):
        def forward(self, ids: Tensor) -> Tensor:
            return nn.functional.embedding_bag(ids.flatten(), self.table, torch.arange(0, 32, 8), mode="max")

    assert "embedding_bag" in compiled(Offsets())[0]


def test_a_described_table_has_three_parts():
    with torch.device("meta"):
        model = nn.Embedding(100, 64)
    program = ttstack.compile(model.eval(), {"input": "8x4xi64"})
    assert [op.name for op in program.cost().ops].count("embedding") == 3


def test_values_have_as_many_parts_as_they_need():
    table = np.array([[1.0, 0.5], [1.5, -2.0]], np.float32)
    assert count_parts(table) == 1
    assert count_parts(table + np.float32(2**-10)) == 2
    assert count_parts(table + np.float32(2**-10 + 2**-20)) == 3
    assert count_parts(np.array([np.inf], np.float32)) is None
