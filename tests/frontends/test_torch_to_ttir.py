"""PyTorch models as TTIR: values, signature, locations, weights outside the IR, refusals."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it
from torch import nn
from torch.utils import _pytree as pytree

import ttstack
from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.context import new_context
from ttstack.dialects.functions import all_functions
from ttstack.dialects.location import read_location
from ttstack.dialects.signature import read_arguments, read_results
from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse
from ttstack.frontends.torch import ImportedModel, export, import_torch
from ttstack.frontends.torch_to_ttir import CONVERSIONS
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.passes.functions import functions
from ttstack.passes.pipelines import simplify
from ttstack.passes.weights import Weights
from ttstack.program.records import TensorKind

MODELS = Path(__file__).parents[1] / "models"
Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _context(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(MODELS)
    with new_context(), ir.Location.unknown():
        yield


def body(module: ir.Module) -> list[ir.Operation]:
    return [op.operation for op in module.body.operations[0].regions[0].blocks[0].operations]


def ops(module: ir.Module) -> Counter[str]:
    return Counter(op.name.removeprefix("ttir.") for op in body(module))


def values(model: ImportedModel, weights: Weights, inputs: list[torch.Tensor]) -> list[Array]:
    """All arguments: inputs in order, then weights by name."""
    (function,) = functions(model.module)
    named = read_arguments(function)[len(inputs) :]
    return [x.numpy() for x in inputs] + [weights.arrays[a.name] for a in named]


@pytest.mark.parametrize("name", ["mlp:mlp", "dlrm:dlrm_tiny", "bert:bert_tiny"])
@pytest.mark.parametrize("simpler", [False, True])
def test_models_compute_what_pytorch_computes(name: str, simpler: bool, interpret: Callable[..., list[Array]]):
    program = export(name)
    args, kwargs = program.example_inputs or ((), {})
    model = import_torch(program)
    weights = Weights.of(model.weights)
    if simpler:
        simplify().with_weights(weights).run(model.module)
    inputs = pytree.tree_leaves((args, kwargs))
    with torch.no_grad():
        wanted = pytree.tree_leaves(program.module()(*args, **kwargs))
    results = interpret(model.module, values(model, weights, inputs))
    for got, want in zip(results, wanted, strict=True):
        assert np.abs(got - want.numpy()).max() < 1e-5 * want.abs().max().item()


def test_high_level_ops_survive_and_weights_are_read_as_they_lie():
    bert = ops(import_torch("bert:bert_tiny").module)
    whole = ("scaled_dot_product_attention", "layer_norm", "gelu", "linear", "embedding_bag", "permute", "softmax")
    assert [bert[name] for name in whole] == [2, 5, 2, 13, 0, 0, 0]
    dlrm = ops(import_torch("dlrm:dlrm_tiny").module)
    assert [dlrm[name] for name in whole] == [0, 0, 0, 6, 3, 0, 0]
    assert ops(import_torch("mlp:mlp").module) == {"linear": 3, "relu": 2, "func.return": 1}


class Kinds(nn.Module):
    """A parameter, a buffer, a constant too large for a literal, nested inputs and outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("mean", torch.ones(4))
        self.table = torch.arange(8000.0).reshape(2000, 4)

    def forward(self, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        y = self.layer(batch["x"]) - self.mean
        return {"y": y, "row": self.table[7] + batch["byte"]}


def kinds() -> ImportedModel:
    return import_torch(Kinds(), {"batch": {"x": torch.ones(2, 4), "byte": torch.ones(4, dtype=torch.uint8)}})


def test_names_and_kinds_are_on_the_function_and_in_its_text():
    text = print_module(kinds().module)
    module = parse(text)
    (function,) = all_functions(module)
    assert [(a.name, a.kind) for a in read_arguments(function)] == [
        ("batch.x", TensorKind.INPUT),
        ("batch.byte", TensorKind.INPUT),
        ("layer.weight", TensorKind.PARAMETER),
        ("layer.bias", TensorKind.PARAMETER),
        ("mean", TensorKind.PARAMETER),
        ("table", TensorKind.PARAMETER),
    ]
    assert read_results(function, 2) == ["y", "row"]
    assert print_module(module) == text


def test_function_types_are_builtin_and_keep_unsigned_integers():
    module = kinds().module  # its operations do not outlive it
    (function,) = all_functions(module)
    inputs = function.type.inputs
    assert [str(t) for t in inputs][:2] == ["tensor<2x4xf32>", "tensor<4xui8>"]
    assert "torch" not in str(function)


def test_locations_are_the_models_lines():
    module = import_torch("mlp:mlp").module  # its operations do not outlive it
    linear, *_ = (op for op in body(module) if op.name == "ttir.linear")
    assert re.fullmatch(r"layers\.0 \(mlp\.py:\d+\)", read_location(linear.location))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_weights_are_views_of_the_models_memory(dtype: torch.dtype):
    layer = nn.Linear(4, 3, dtype=dtype)
    model = import_torch(layer, torch.ones(2, 4, dtype=dtype))
    assert {name: w.__array_interface__["data"][0] for name, w in model.weights.items()} == {
        name: p.data_ptr() for name, p in layer.named_parameters()
    }
    assert {str(w.dtype) for w in model.weights.values()} == {str(dtype).removeprefix("torch.")}


def test_a_model_without_memory_has_no_weights():
    layer = nn.Linear(40000, 40000, device="meta")
    model = import_torch(layer, torch.empty(2, 40000, device="meta"))
    assert model.weights == {}
    assert [a.name for a in model.arguments] == ["input", "weight", "bias"]


def test_the_phases_and_the_name_are_told():
    model = import_torch("mlp:mlp")
    assert model.name == "mlp:mlp"
    assert set(model.phases) == {"export", "import"}
    assert min(model.phases.values()) > 0
    assert import_torch(nn.ReLU(), torch.ones(2)).name == "ReLU"


def test_the_context_can_be_given():
    context = new_context()
    assert import_torch(nn.ReLU(), torch.ones(2), context).module.context is context


class Unsupported(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = torch.special.airy_ai(x) + torch.special.airy_ai(x + 1)
        return y, torch.special.bessel_y0(x), torch.special.bessel_y1(x)


def test_all_unsupported_ops_are_reported_at_once():
    with pytest.raises(UnsupportedOpError, match="4 ops of 3 kinds cannot be compiled") as e:
        import_torch(Unsupported(), torch.ones(3))
    notes = e.value.diagnostic.notes
    assert re.match(r"torch\.aten\.special_airy_ai: 2, first at \S*test_torch_to_ttir\.py:\d+;", notes[0])
    assert re.match(r"torch\.aten\.special_bessel_y0: 1, first at", notes[1])


def test_the_nearest_supported_op_is_named():
    with pytest.raises(UnsupportedOpError) as e:
        import_torch(Apply(torch.special.airy_ai), torch.ones(3))
    assert e.value.diagnostic.notes[0].endswith("the nearest supported op is torch.aten.special_i0")


@pytest.mark.parametrize(
    ("function", "note"),
    [
        (lambda x: x + torch.randn(3), r"torch\.aten\.randn: 1, .*; it draws random numbers: make them an input"),
        (
            lambda x: torch.linalg.ldl_factor_ex(torch.outer(x, x)),
            r"torch\.aten\.linalg_ldl_factor_ex: 1, .*; it factors",
        ),
    ],
)
def test_ops_that_cannot_be_expressed_say_why(function: Callable[..., object], note: str):
    with pytest.raises(UnsupportedOpError) as e:
        import_torch(Apply(function), torch.ones(3))
    assert re.match(note, e.value.diagnostic.notes[0])


class Apply(nn.Module):
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.function(*inputs)


QUERY = torch.ones(1, 2, 4, 8)


@pytest.mark.parametrize(
    ("function", "inputs", "message", "hint"),
    [
        (lambda x: F.dropout(x, training=True), (torch.ones(2),), "is in training mode", "model.eval()"),
        (
            lambda q: F.scaled_dot_product_attention(q, q, q, dropout_p=0.5),
            (QUERY,),
            "drops values out",
            "model.eval()",
        ),
        (
            lambda x: F.avg_pool2d(x, 3, ceil_mode=True, divisor_override=3),
            (torch.ones(1, 2, 4, 4),),
            "has a divisor of its own and windows that overhang",
            "ceil_mode=False",
        ),
        (
            lambda x, i: x.scatter_reduce(0, i, x, "mean"),
            (torch.ones(4, dtype=torch.int64), torch.zeros(4, dtype=torch.int64)),
            "averages integers",
            "real numbers",
        ),
        (
            lambda x, i: torch.searchsorted(x, x, sorter=i),
            (torch.ones(4), torch.zeros(4, dtype=torch.int64)),
            "has a sorter",
            "sort the sequence",
        ),
        (
            lambda x: torch.ops.aten._native_batch_norm_legit.no_stats(x, None, None, True, 0.1, 1e-5)[0],
            (torch.ones(2, 3, 4),),
            "normalises by the statistics of its input",
            "model.eval()",
        ),
        (lambda x: x.view(torch.int16), (torch.ones(4),), "differ in width", ""),
        (
            lambda x, i: x.scatter_reduce(0, i, x, "amax", include_self=False),
            (torch.ones(4, dtype=torch.int64), torch.zeros(4, dtype=torch.int64)),
            "leaves out what was there",
            "include_self=True",
        ),
        (
            lambda x: torch.ops.aten.index_put(x, [x > 0], x[:1], True),
            (torch.ones(4),),
            "writes several values by a mask",
            "torch.where",
        ),
        (
            lambda i, w: torch.embedding_bag(w, i, i[:1], False, 2)[3],
            (torch.zeros(3, dtype=torch.int64), torch.ones(4, 4)),
            "is used for more than its pooled rows",
            "first result",
        ),
    ],
)
def test_forms_that_have_no_conversion(
    function: Callable[..., object], inputs: tuple[torch.Tensor, ...], message: str, hint: str
):
    with pytest.raises(UnsupportedOpError) as e:
        import_torch(Apply(function), inputs)
    diagnostic = e.value.diagnostic
    assert message in diagnostic.message
    assert hint in (diagnostic.hint or "")
    assert re.search(r"test_torch_to_ttir\.py:\d+", diagnostic.loc or "")


def test_batch_norm_in_training_is_refused():
    with pytest.raises(UnsupportedOpError, match=r"(statistics|batch_norm)"):
        import_torch(nn.BatchNorm1d(3, track_running_stats=False), torch.ones(2, 3, 4))


def test_the_table_of_conversions_names_ops_that_exist():
    assert {t for c in CONVERSIONS.values() for t in c.targets} <= set(OPS)
    assert all(name == c.source and name.startswith("torch.") for name, c in CONVERSIONS.items())


def test_notes_say_what_the_targets_do_not():
    assert CONVERSIONS["torch.aten.relu"].note == ""
    assert CONVERSIONS["torch.aten.linear"].note == "Compute `x @ weight^T + bias`."


def test_bags_that_are_rows_stay_rows():
    bags = nn.EmbeddingBag(10, 8, mode="mean").eval()
    module = import_torch(torch.export.export(bags, (torch.zeros(4, 3, dtype=torch.int64),))).module
    simplify().run(module)
    assert ops(module) == {"embedding_bag": 1, "func.return": 1}


def test_groups_of_rows_meet_the_matrices_of_their_own_tiles():
    class Experts(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(8, 64, 32, dtype=torch.bfloat16))

        def forward(self, x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
            return torch.ops.aten._grouped_mm(x, self.weight, ends)

    ends = torch.arange(32, 257, 32, dtype=torch.int32)
    program = ttstack.compile(Experts(), (torch.randn(256, 64).bfloat16(), ends), without="densify-grouped-matmul")
    (product,) = (op for op in program.cost().ops if op.name == "sparse_matmul")
    assert product.flops == 2 * (8 + 8 - 1) * 32 * 64 * 32, "8 tiles of rows, and one more for each group but one"
