"""Batch norms in convolutions, and parameters that are computed once: the same values, from fewer ops."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.compiler import compile_module
from ttstack.diagnostics import ExecutionError, TTStackWarning
from ttstack.dialects.context import new_context
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import Pipeline
from ttstack.passes.functions import body, functions
from ttstack.passes.ttir.simplify.fold_parameters import FoldParameters
from ttstack.program.records import Binary
from ttstack_runtime.executor import execute


def trained(norm: Any) -> Any:
    """With statistics and weights as of a trained model."""
    for values in (norm.running_mean, norm.weight.data, norm.bias.data):
        values.normal_()
    norm.running_var.uniform_(0.5, 2)
    return norm


CONVOLUTIONS = {
    "without a bias": nn.Conv2d(8, 24, 3, padding=1, bias=False),
    "with a bias": nn.Conv2d(8, 24, 3, stride=2),
    "in groups": nn.Conv2d(8, 24, 3, groups=4),
    "depthwise": nn.Conv2d(8, 8, 3, groups=8, padding=1),
    "transposed, in groups": nn.ConvTranspose2d(8, 24, 3, stride=2, groups=2, output_padding=1),
    "of sequences": nn.Conv1d(8, 24, 3),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_a_batch_norm_goes_into_the_convolution(name: str):
    torch.manual_seed(0)
    conv = CONVOLUTIONS[name]
    norm = nn.BatchNorm1d if isinstance(conv, nn.Conv1d) else nn.BatchNorm2d
    model = nn.Sequential(conv, trained(norm(conv.out_channels)), nn.ReLU()).eval()
    x = torch.randn(2, 8, 12) if isinstance(conv, nn.Conv1d) else torch.randn(2, 8, 12, 10)
    program = ttstack.compile(model, (x,))
    names = {op.name for op in program.cost().ops}
    assert not names & {"batch_norm_inference", "relu", "multiply", "add"}
    (y,) = program.run({n: x.numpy() for n in program.inputs()}).outputs.values()
    assert torch.allclose(torch.from_numpy(y), model(x), atol=1e-5)


def test_a_norm_of_described_weights_is_folded_too():
    with torch.device("meta"):
        model = nn.Sequential(nn.Conv2d(8, 24, 3), nn.BatchNorm2d(24)).eval()
        program = ttstack.compile(model, (torch.randn(2, 8, 12, 10),))
    assert "batch_norm_inference" not in {op.name for op in program.cost().ops}
    assert all(weight.data is None for weight in program.binary.weights.values())


def test_a_convolution_that_something_else_reads_keeps_its_norm_apart():
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2d(8, 8, 3), trained(nn.BatchNorm2d(8))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.conv(x)
            return self.norm(y) * y

    torch.manual_seed(0)
    model, x = Twice().eval(), torch.randn(1, 8, 12, 10)
    program = ttstack.compile(model, (x,))
    (y,) = program.run({n: x.numpy() for n in program.inputs()}).outputs.values()
    assert torch.allclose(torch.from_numpy(y), model(x), atol=1e-5)


def test_a_norm_stays_where_the_filter_comes_with_the_input():
    """Its product with the filter would be taken anew in every run; it is a product and a sum of the images."""

    class Given(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = trained(nn.BatchNorm2d(24))

        def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
            return self.norm(nn.functional.conv2d(x, w))

    program = ttstack.compile(Given().eval(), (torch.randn(2, 8, 12, 10), torch.randn(24, 8, 3, 3)))
    names = [op.name for op in program.cost().ops]
    assert {"multiply", "add"} <= {*names[names.index("conv2d") + 1 :]}


PARAMETER = 'tt.argument_type = #tt.argument_type<"parameter">'
MATRIX = "tensor<64x64xf32>"


def function_of(body: str) -> str:
    """A function of `%x` and of the parameters `%a` and `%b`, all 64 x 64."""
    arguments = ", ".join(f'%{n}: {MATRIX} {{{PARAMETER}, ttir.name = "{n}"}}' for n in ("a", "b"))
    return f"func.func @f(%x: {MATRIX}, {arguments}) -> {MATRIX} {{\n{body}\n  return %y : {MATRIX}\n}}"


def compiled(body: str, **weights: np.ndarray[Any, Any]) -> Binary:
    """That function, compiled."""
    with new_context(), ir.Location.unknown():
        return compile_module(parse(function_of(body)), CompileOptions(), weights=weights).binary


A, B, X = (np.random.default_rng(seed).normal(size=(64, 64)).astype("f4") for seed in range(3))
SUM = f'%0 = "ttir.add"(%a, %b) : ({MATRIX}, {MATRIX}) -> {MATRIX}\n%1 = "ttir.exp"(%0) : ({MATRIX}) -> {MATRIX}\n'
ADD = f'%y = "ttir.add"(%2, %a) : ({MATRIX}, {MATRIX}) -> {MATRIX}'
PRODUCT = f'%y = "ttir.matmul"(%x, %1) : ({MATRIX}, {MATRIX}) -> {MATRIX}'


def test_what_depends_on_parameters_alone_is_a_parameter():
    binary = compiled(SUM + PRODUCT, a=A, b=B)
    assert [op.name for op in binary.functions[0].operations if op.name != "deallocate"] == ["matmul"]
    assert list(binary.weights) == ["a.folded"]
    (y,) = execute(binary, {"arg0": X}).values()
    np.testing.assert_allclose(y, X @ np.exp(A + B), rtol=1e-4, atol=1e-4)


def test_of_a_described_parameter_it_is_described():
    binary = compiled(SUM + PRODUCT, a=A)
    assert [(w.name, w.data) for w in binary.weights.values()] == [("a.folded", None)]


def test_a_parameter_that_is_read_elsewhere_stays():
    binary = compiled(
        SUM + f'%2 = "ttir.add"(%x, %a) : ({MATRIX}, {MATRIX}) -> {MATRIX}\n' + PRODUCT.replace("%x", "%2")
    )
    assert set(binary.weights) == {"a", "a.folded"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'%1 = "ttir.matmul"(%a, %b) : ({MATRIX}, {MATRIX}) -> {MATRIX}', A @ B),
        (
            (
                f'%1 = "ttir.layer_norm"(%a) {{normalized_shape = array<i64: 64>, epsilon = 0.0 : f32, '
                f"operandSegmentSizes = array<i32: 1, 0, 0>}} : ({MATRIX}) -> {MATRIX}"
            ),
            (A - A.mean(1, keepdims=True)) / A.std(1, keepdims=True),
        ),
    ],
    ids=["a product", "weight standardization"],
)
def test_whatever_op_it_is_made_of(text: str, expected: np.ndarray[Any, Any]):
    binary = compiled(f"{text}\n" + PRODUCT, a=A, b=B)
    assert [op.name for op in binary.functions[0].operations if op.name != "deallocate"] == ["matmul"]
    assert "a.folded" in binary.weights
    (y,) = execute(binary, {"arg0": X}).values()
    np.testing.assert_allclose(y, X @ expected, rtol=1e-3, atol=1e-3)


def test_an_op_on_an_input_stays():
    body = f'%1 = "ttir.add"(%a, %x) : ({MATRIX}, {MATRIX}) -> {MATRIX}\n' + PRODUCT
    assert set(compiled(body, a=A, b=B).weights) <= {"a", "b"}


def test_what_takes_long_to_compute_stays(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ttstack.passes.ttir.queries.compile_time._MOST_FLOPS", 1000)
    body = f'%1 = "ttir.matmul"(%a, %b) : ({MATRIX}, {MATRIX}) -> {MATRIX}\n' + PRODUCT
    assert set(compiled(body, a=A, b=B).weights) == {"a", "b"}


def test_each_value_is_computed_once_however_often_it_is_read():
    doubled = "\n".join(f'%s{i + 1} = "ttir.add"(%s{i}, %s{i}) : ({MATRIX}, {MATRIX}) -> {MATRIX}' for i in range(40))
    binary = compiled(
        f'%s0 = "ttir.exp"(%a) : ({MATRIX}) -> {MATRIX}\n{doubled}\n' + PRODUCT.replace("%1", "%s40"), a=A, b=B
    )
    (y,) = execute(binary, {"arg0": X}).values()
    np.testing.assert_allclose(y, X @ np.exp(A) * 2**40, rtol=1e-4, atol=1e-4 * 2**40)


def test_what_follows_an_activation_stays_behind_it():
    image, kernel = "tensor<1x8x8x4xf32>", "tensor<6x4x3x3xf32>"
    result, factors = "tensor<1x6x6x6xf32>", "tensor<1x1x1x6xf32>"
    conv = 'stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32, activation = "relu"'
    text = f"""
    func.func @f(%x: {image}, %w: {kernel} {{{PARAMETER}, ttir.name = "w"}}, %s: {factors} {{{PARAMETER}, ttir.name = "s"}}) -> {result} {{
      %0 = "ttir.conv2d"(%x, %w) {{{conv}}} : ({image}, {kernel}) -> {result}
      %y = "ttir.multiply"(%0, %s) : ({result}, {factors}) -> {result}
      return %y : {result}
    }}"""
    torch.manual_seed(0)
    x, w, s = torch.randn(1, 8, 8, 4), torch.randn(6, 4, 3, 3), torch.randn(1, 1, 1, 6)
    with new_context(), ir.Location.unknown():
        binary = compile_module(parse(text), CompileOptions(), weights={"w": w.numpy(), "s": s.numpy()}).binary
    (y,) = execute(binary, {"arg0": x.numpy()}).values()
    expected = torch.relu(nn.functional.conv2d(x.permute(0, 3, 1, 2), w)).permute(0, 2, 3, 1) * s
    np.testing.assert_allclose(y, expected.numpy(), rtol=1e-4, atol=1e-4)


def test_functions_that_share_a_parameter_have_parameters_of_their_own():
    function = (
        f'func.func @{{name}}(%x: {MATRIX}, %a: {MATRIX} {{{{{PARAMETER}, ttir.name = "a"}}}}) -> {MATRIX} {{{{\n'
        f'  %1 = "ttir.{{op}}"(%a) : ({MATRIX}) -> {MATRIX}\n{PRODUCT}\n  return %y : {MATRIX}\n}}}}\n'
    )
    text = function.format(name="f", op="exp") + function.format(name="g", op="neg")
    with new_context(), ir.Location.unknown():
        binary = compile_module(parse(text), CompileOptions(), weights={"a": A, "b": B}).binary
    for name, values in (("f", np.exp(A)), ("g", -A)):
        (y,) = execute(binary, {"arg0": X}, function=name).values()
        np.testing.assert_allclose(y, X @ values, rtol=1e-4, atol=1e-4)


def test_parameters_are_folded_through_as_many_ops_as_there_are():
    t, steps = "tensor<32x32xf32>", 600
    ops = "\n".join(f'%{i + 1} = "ttir.neg"(%{i}) : ({t}) -> {t}' for i in range(steps))
    (function,) = ttstack.compile(
        f"""func.func @f(%x: {t}, %w: {t} {{tt.argument_type = #tt.argument_type<"parameter">}}) -> {t} {{
        %0 = "ttir.abs"(%w) : ({t}) -> {t}
        {ops}
        %y = "ttir.add"(%x, %{steps}) : ({t}, {t}) -> {t}
        return %y : {t}
        }}"""
    ).binary.functions
    assert [op.name for op in function.operations] == ["add"]


@pytest.mark.parametrize(("also_read", "left"), [(False, ["matmul"]), (True, ["transpose", "matmul", "add"])])
def test_weights_in_another_order_take_the_place_of_those_that_nothing_else_reads(also_read: bool, left: list[str]):
    """However large: the limit of what is made beside the model is 0 here."""
    turned = f'%1 = "ttir.transpose"(%a) {{dim0 = 0 : si32, dim1 = 1 : si32}} : ({MATRIX}) -> {MATRIX}\n'
    product = PRODUCT if not also_read else PRODUCT.replace("%y", "%2") + f"\n{ADD}"
    with new_context(), ir.Location.unknown():
        module = parse(function_of(turned + product))
        Pipeline((FoldParameters(max_bytes=0),)).run(module)
        (function,) = functions(module)
        assert [op.name for op in body(function)] == [f"ttir.{name}" for name in left] + ["func.return"]


class Tied(nn.Module):
    """Rows of a table by index, and mixed by shares."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(1024, 512)

    def forward(self, tokens: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
        """(tokens,) and (tokens, 1024) to (tokens, 512)."""
        return self.table(tokens) + shares @ self.table.weight


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_table_that_is_a_weight_too_lies_there_in_rows_and_in_tiles(device: str):
    with torch.device(device):
        model, given = Tied().eval().requires_grad_(False), (torch.randint(0, 1024, (32,)), torch.randn(32, 1024))
    untied, tied = (
        ttstack.compile(model, given, without=left, weights_dtype="bfp8_b")
        for left in (None, "duplicate-tied-embeddings")
    )
    moved = [[op for op in p.cost().ops if op.results[0].type.shape == (1024, 512)] for p in (untied, tied)]
    assert [[op.name for op in ops] for ops in moved] == [[], ["to_layout"]]
    function = untied.function()
    tables = [t for t in (function.tensors[i] for i in function.inputs) if t.name.startswith("table")]
    assert {t.name: str(t.layout.dtype) for t in tables} == {"table.weight": "bfp8_b", "table.weight.rows": "bf16"}
    if device == "cpu":
        values = dict(zip(untied.inputs(), (t.numpy() for t in given), strict=True))
        for program in (untied, tied):
            (found,) = program.run(values).outputs.values()
            assert torch.allclose(torch.from_numpy(found), model(*given), atol=1e-4)


class Heads(nn.Module):
    """Attention as PyTorch's own module has it, with heads that fill half of a tile."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(64, 4, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(users, length, 64) to the same."""
        return self.attention(x, x, x, need_weights=False)[0]


def test_weights_whose_heads_are_filled_up_are_filled_once():
    """However much larger they become: moving their elements in each pass takes longer than all else."""
    model, x = Heads().eval(), torch.randn(2, 32, 64)
    program = ttstack.compile(model, (x,))
    assert not {op.op_class for op in program.cost().ops} & {"shape", "movement"}
    (found,) = program.run({n: x.numpy() for n in program.inputs()}).outputs.values()
    assert torch.allclose(torch.from_numpy(found), model(x).detach(), atol=1e-5)


class Biased(nn.Module):
    """Scores with a bias for each distance of two tokens, looked up in a table as T5's and Swin's are."""

    def __init__(self, length: int, heads: int = 4) -> None:
        super().__init__()
        self.table = nn.Embedding(2 * length - 1, heads)
        places = torch.arange(length)
        self.register_buffer("away", places[:, None] - places[None, :] + length - 1)

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        """[1, heads, length, length]."""
        return torch.softmax(scores + self.table(self.away).permute(2, 0, 1).unsqueeze(0), -1)


def test_rows_that_constants_look_up_are_a_parameter():
    model, scores = Biased(40).eval(), torch.randn(1, 4, 40, 40)
    program = ttstack.compile(model, (scores,))
    assert [op.name for op in program.cost().ops if op.name in ("embedding", "permute")] == []
    (found,) = program.run({name: scores.numpy() for name in program.inputs()}).outputs.values()
    np.testing.assert_allclose(found, model(scores).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_rows_that_are_too_many_bytes_stay_looked_up():
    with torch.device("meta"):
        model, scores = Biased(2400).eval(), torch.randn(1, 4, 2400, 2400)
    assert "embedding" in [op.name for op in ttstack.compile(model, (scores,)).cost().ops]


def test_rows_outside_of_a_table_are_told_when_the_program_runs():
    text = function_of(
        f'%i = "ttir.constant"() {{value = dense<99> : tensor<64xi64>}} : () -> tensor<64xi64>\n'
        f'%1 = "ttir.embedding"(%i, %a) : (tensor<64xi64>, {MATRIX}) -> {MATRIX}\n' + PRODUCT
    )
    with new_context(), ir.Location.unknown():
        binary = compile_module(parse(text), CompileOptions(), weights={"a": A, "b": B}).binary
    with pytest.raises(ExecutionError, match="99"):
        execute(binary, {"arg0": X})


class Positioned(nn.Module):
    """Encodings of positions in the plane, computed at every call, and projected as those of XCiT are."""

    def __init__(self, extent: int, width: int) -> None:
        super().__init__()
        self.extent, self.projection = extent, nn.Linear(2 * width, width)
        self.scale = nn.Parameter(torch.ones(1))
        self.width = width

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[extent * extent, width], in a bias and in a mask that no parameter decides."""
        along = torch.ones(self.extent, self.extent).cumsum(0)[..., None] / torch.arange(1, self.width + 1)
        encoded = torch.cat([along.sin(), along.transpose(0, 1).cos()], -1).reshape(self.extent**2, -1)
        far = encoded @ encoded.T
        return (torch.softmax(x @ x.T + far, -1) @ x) + self.projection(encoded)


def test_constants_of_many_elements_are_parameters_with_and_without_weights():
    model, x = Positioned(24, 32).eval(), torch.randn(576, 32)
    program = ttstack.compile(model, (x,))
    assert not {op.name for op in program.cost().ops} & {"sin", "cos", "cumsum", "matmul", "linear", "concat"}
    (found,) = program.run({n: x.numpy() for n in program.inputs()}).outputs.values()
    np.testing.assert_allclose(found, model(x).detach().numpy(), rtol=1e-3, atol=1e-3)


def test_a_broadcast_parameter_is_read_as_it_is():
    body = (
        '%r = "ttir.slice_static"(%a) {begins = [0: i32, 0: i32], ends = [1: i32, 64: i32], step = [1: i32, 1: i32]}'
        f" : ({MATRIX}) -> tensor<1x64xf32>\n"
        '%2 = "ttir.broadcast"(%r) {broadcast_dimensions = array<i64: 4096, 1>}'
        " : (tensor<1x64xf32>) -> tensor<4096x64xf32>\n"
        f'%3 = "ttir.matmul"(%2, %x) : (tensor<4096x64xf32>, {MATRIX}) -> tensor<4096x64xf32>\n'
        '%y = "ttir.slice_static"(%3) {begins = [0: i32, 0: i32], ends = [64: i32, 64: i32], step = [1: i32, 1: i32]}'
        f" : (tensor<4096x64xf32>) -> {MATRIX}"
    )
    assert sum(w.data.nbytes for w in compiled(body, a=A).weights.values() if w.data is not None) <= A.nbytes


def test_a_weight_that_memory_is_too_small_to_reorder_is_reported(monkeypatch: pytest.MonkeyPatch):
    class Transposed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(4, 64, 96))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            """[4, rows, 96] to [4, rows, 64]."""
            return torch.bmm(x, self.weight.transpose(1, 2))

    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("ttstack_runtime.evaluate.evaluate", fail)
    with pytest.warns(TTStackWarning, match="ttir.transpose is left to the device: no memory"):
        ttstack.compile(Transposed().eval(), (torch.randn(4, 32, 96),))


def test_values_that_the_same_ops_compute_are_one_parameter():
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(torch.randn(100, 64), requires_grad=False)

        def forward(self, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return self.table[a].exp(), self.table[b].sum(1)

    program = ttstack.compile(
        Twice().eval(), (torch.zeros(8, dtype=torch.int64), torch.zeros((5, 4), dtype=torch.int64))
    )
    assert [op.name for op in program.cost().ops].count("embedding") == 6
    assert sum(name.startswith("table") for name in program.binary.weights) == 3
