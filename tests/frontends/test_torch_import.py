"""PyTorch to the torch dialect: names, weights outside the IR, high-level ops, locations, refusals."""

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from torch import nn

import ttstack
from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.dialects.context import new_context
from ttstack.frontends.torch import Imported, export, import_program, import_torch
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType

MODELS = Path(__file__).parents[1] / "models"


@pytest.fixture(autouse=True)
def _in_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(MODELS)


def body(imported: Imported) -> list[ir.Operation]:
    return [op.operation for op in imported.module.body.operations[0].regions[0].blocks[0].operations]


def ops(imported: Imported) -> Counter[str]:
    return Counter(op.name.removeprefix("torch.aten.") for op in body(imported))


def location(imported: Imported, name: str) -> str:
    return next(str(op.location) for op in body(imported) if op.name == name)


class Nested(nn.Module):
    """Every kind of argument: nested inputs, tied weights, a table of constants, an updated buffer."""

    count: torch.Tensor
    angles: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)
        self.second.weight = self.first.weight
        self.unused = nn.Linear(9, 9)
        self.register_buffer("count", torch.zeros(4))
        self.register_buffer("angles", torch.arange(512.0).reshape(128, 4), persistent=False)

    def forward(self, batch: dict, *rest: torch.Tensor, scale: float = 2.0) -> dict:
        with torch.no_grad():
            y = self.first(batch["x"]) + self.angles[:2]
        self.count.add_(1)
        y = y + torch.tensor([1, 2, 3, 4], dtype=torch.bfloat16) + torch.ones(512, 2).sum()
        return {"sum": y, "parts": (self.second(rest[0]) * scale, 3, batch["ids"][0])}


def nested() -> Imported:
    batch = {"x": torch.ones(2, 4), "ids": [torch.ones(3, dtype=torch.int64)]}
    return import_program(export(Nested().eval(), (batch, torch.ones(2, 4))))


def test_inputs_come_first_and_are_named_by_their_paths():
    inputs = [(a.name, a.type) for a in nested().arguments[:3]]
    assert inputs == [
        ("batch.x", TensorType((2, 4), DType.F32)),
        ("batch.ids.0", TensorType((3,), DType.I64)),
        ("rest_0", TensorType((2, 4), DType.F32)),
    ]


def test_weights_in_use_are_arguments_named_as_in_the_state_dict_and_tied_ones_come_once():
    weights = [(a.name, a.kind) for a in nested().arguments[3:]]
    assert weights == [
        ("first.weight", "parameter"),
        ("first.bias", "parameter"),
        ("second.bias", "parameter"),
        ("count", "buffer"),
    ]


def test_function_arguments_agree_with_the_records():
    imported = nested()
    block = imported.module.body.operations[0].regions[0].blocks[0]
    assert [a.location.name_str for a in block.arguments] == [a.name for a in imported.arguments]
    assert [str(a.type) for a in block.arguments][:2] == [
        "!torch.vtensor<[2,4],f32>",
        "!torch.vtensor<[3],si64>",
    ]
    assert len(body(imported)[-1].operands) == len(imported.outputs)


def test_outputs_are_named_by_their_paths_and_updates_follow():
    outputs = [(o.name, o.updates) for o in nested().outputs]
    assert outputs == [("sum", None), ("parts.0", None), ("parts.2", None), ("count", "count")]


def test_weights_are_the_live_tensors():
    model = nn.Linear(4, 4).eval()
    imported = import_program(export(model, torch.ones(1, 4)))
    assert {name: t.data_ptr() for name, t in imported.weights.items()} == {
        name: t.data_ptr() for name, t in model.state_dict().items()
    }
    assert not any(t.requires_grad for t in imported.weights.values())


class Constant(nn.Module):
    """Adds a tensor that is neither a parameter nor a buffer."""

    def __init__(self, value: torch.Tensor) -> None:
        super().__init__()
        self.value = value

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.value


def test_a_large_constant_is_an_argument():
    imported = import_program(export(Constant(torch.arange(4097.0)), torch.ones(4097)))
    assert [(a.name, a.kind) for a in imported.arguments] == [("x", "input"), ("value", "constant")]
    assert imported.weights["value"].tolist() == list(range(4097))
    assert "literal" not in str(imported.module)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (torch.tensor([1.5, -2.0]).bfloat16(), "dense<[1.500000e+00, -2.000000e+00]> : tensor<2xbf16>"),
        (torch.tensor([True, False]), "dense<[true, false]> : tensor<2xi1>"),
        (torch.tensor([1, 254]).to(torch.uint8), "dense<[1, 254]> : tensor<2xui8>"),
        (torch.arange(4).reshape(2, 2).T[0], "dense<[0, 2]> : tensor<2xsi64>"),
        (torch.tensor(0.5), "dense<5.000000e-01> : tensor<f32>"),
    ],
)
def test_a_small_constant_is_a_literal_with_its_values(value: torch.Tensor, spelled: str):
    imported = import_program(export(Constant(value), torch.ones(2)))
    assert [a.name for a in imported.arguments] == ["x"]
    assert spelled in str(imported.module)


def test_the_users_program_stays_as_it_is():
    program = export(Nested().eval(), ({"x": torch.ones(2, 4), "ids": [torch.ones(3)]}, torch.ones(2, 4)))
    before = str(program.graph)
    import_program(program)
    assert str(program.graph) == before


def test_high_level_ops_survive():
    bert = ops(import_program(export("bert:bert_tiny")))
    whole = ("scaled_dot_product_attention", "layer_norm", "gelu", "linear", "embedding")
    assert {name: bert[name] for name in whole} == dict(zip(whole, (2, 5, 2, 13, 3), strict=True))
    assert "softmax.int" not in bert
    dlrm = ops(import_program(export("dlrm:dlrm_tiny")))
    assert (dlrm["embedding_bag.padding_idx"], dlrm["linear"], dlrm["bmm"]) == (3, 6, 1)
    assert ops(import_program(export("mlp:mlp"))) == {"linear": 3, "relu": 2, "func.return": 1}


def test_small_buffers_that_are_no_state_are_literals():
    imported = import_program(export("bert:bert_tiny"))
    assert not [a.name for a in imported.arguments if a.kind == "buffer"]
    assert "dense<0> : tensor<1x512xsi64>" in str(imported.module), "the token types"
    assert [o.name for o in imported.outputs] == ["last_hidden_state", "pooler_output"]
    assert [a.name for a in imported.arguments if a.kind == "input"] == ["input_ids", "attention_mask"]


def test_locations_are_the_models_lines_under_the_modules_path():
    assert re.fullmatch(
        r'loc\("layers\.0"\("mlp\.py":\d+:0\)\)',
        location(import_program(export("mlp:mlp")), "torch.aten.linear"),
    )
    attention = location(import_program(export("bert:bert_tiny")), "torch.aten.scaled_dot_product_attention")
    assert attention.startswith('loc("encoder.layer.0.attention.self"("transformers/')


def test_in_place_ops_become_values():
    imported = nested()
    assert not any(name.endswith("_") for name in ops(imported))
    assert imported.outputs[-1].updates == "count"


def test_a_context_can_be_shared():
    context = ir.Context()
    programs = [import_program(export("mlp:mlp"), context) for _ in range(2)]
    assert all(p.module.context is context for p in programs)


class Branch(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x


def test_what_torch_cannot_export_gives_its_reason_and_the_line(capfd: pytest.CaptureFixture[str]):
    with pytest.raises(SourceError, match="`Branch` cannot be exported: it branches on the value of a tensor") as e:
        export(Branch(), torch.ones(2))
    assert "torch.where" in (e.value.diagnostic.hint or "")
    assert re.search(r"test_torch_import\.py:\d+$", e.value.diagnostic.loc or "")
    assert capfd.readouterr() == ("", "")


def test_dynamic_shapes_are_refused_with_the_input():
    program = torch.export.export(
        nn.Linear(4, 4), (torch.ones(2, 4),), dynamic_shapes=({0: torch.export.Dim("batch")},)
    )
    with pytest.raises(SourceError, match="dynamic shapes") as e:
        import_program(program)
    assert re.fullmatch(r"input `input` is of shape \(\w+, 4\): fix dimension 0", e.value.diagnostic.notes[0])
    assert "dynamic_shapes" in (e.value.diagnostic.hint or "")


class Positions(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nonzero(x)


def test_shapes_that_depend_on_values_are_refused_at_their_line():
    with pytest.raises(SourceError, match=r"`aten\.nonzero\.default` depends on values") as e:
        import_program(export(Positions(), torch.ones(2)))
    assert "test_torch_import.py" in (e.value.diagnostic.loc or "")


class Checked(nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        torch._check(n.sum().item() == 6)
        return x * 2


def test_numbers_that_are_only_checked_are_dropped():
    imported = import_program(export(Checked(), (torch.ones(2), torch.tensor([1, 2, 3]))))
    assert "aten.item" not in str(imported.module)
    assert "aten.mul" in str(imported.module)


class Strided(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.as_strided(x.mT, (2, 2), (1, 1))


def test_strides_are_refused_with_a_way_out():
    with pytest.raises(
        UnsupportedOpError, match=r"`as_strided` reads memory of .* that is not in row-major order"
    ) as e:
        import_program(export(Strided(), torch.ones(4, 3)))
    assert e.value.diagnostic.hint == "write it with slices, reshape, permute or unfold"


def test_a_model_needs_example_inputs():
    with pytest.raises(SourceError, match="`Linear` needs example inputs"):
        export(nn.Linear(2, 2))


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("mlp", "does not name a model", "package.module:factory"),
        ("nowhere.at_all:mlp", "no module `nowhere`", "folder"),
        ("mlp:mlpp", "`mlp` has no attribute `mlpp`", "did you mean 'mlp'?"),
        ("mlp:__doc__", "is a value of type str, not a factory", "package.module:factory"),
        ("builtins:dict", "returned a value of type dict, not a model", "package.module:factory"),
        ("mlp.py:mlp", "no module `mlp.py`", "name the module, not its file: `mlp`"),
    ],
)
def test_a_factory_that_cannot_be_resolved(name: str, message: str, hint: str):
    with pytest.raises(SourceError) as e:
        export(name)
    assert message in e.value.diagnostic.message
    assert hint in (e.value.diagnostic.hint or "")


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        ("import torch\ndef make():\n    raise ValueError('no preset')\n", "ValueError: no preset", 3),
        ("import nowhere_to_be_found\n", "No module named 'nowhere_to_be_found'", 1),
        ("def make(:\n", "SyntaxError", 1),
        ("def make():\n    raise SystemExit(3)\n", "SystemExit: 3", 2),
    ],
)
def test_a_factory_that_fails_gives_its_error_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str, line: int
):
    name = f"broken_{line}_{len(source)}"
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match=re.escape(message)) as e:
        export(f"{name}:make")
    assert (e.value.diagnostic.loc or "").endswith(f"{name}.py:{line}")


def test_wrong_inputs_are_said_without_torchs_own_log(capfd: pytest.CaptureFixture[str]):
    with pytest.raises(SourceError, match="same reduction dim"):
        export(nn.Linear(4, 2), torch.ones(3, 5))
    assert capfd.readouterr() == ("", "")


def test_lines_of_python_itself_are_not_the_models():
    with pytest.raises(SourceError, match="missing a required argument: 'input'") as e:
        export(nn.Linear(4, 2), {"x": torch.ones(3, 4)})
    assert e.value.diagnostic.loc is None


def test_a_model_in_training_mode_is_told_to_leave_it():
    with pytest.raises(UnsupportedOpError) as e:
        import_torch(nn.Sequential(nn.Linear(4, 4), nn.Dropout()), [(2, 4)], new_context())
    assert ".eval()" in (e.value.diagnostic.hint or "")


class Decomposed(nn.Module):
    """What is traced and decomposed: a buffer that is written to, an op in place, and one without a conversion."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(8)
        self.register_buffer("seen", torch.zeros(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.add_(1)
        return torch.addmv(x[0], x.new_ones(8, 8), x[0]) + self.norm(x).relu_()


def test_models_are_traced_and_decomposed_in_threads_as_in_one():
    def imported(_: int) -> Counter[str]:
        return ops(import_program(export(Decomposed().eval(), (torch.ones(4, 8),))))

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(imported, range(12)))
    assert found == [imported(0)] * 12


class Sparse(torch.nn.Module):
    """Multiplies by a sparse buffer, or makes a sparse tensor."""

    matrix: torch.Tensor | None

    def __init__(self, matrix: torch.Tensor | None) -> None:
        super().__init__()
        self.register_buffer("matrix", matrix)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The product, or the values in sparse form."""
        return x.to_sparse() if self.matrix is None else self.matrix @ x


@pytest.mark.parametrize(
    ("layout", "error", "message"),
    [
        (torch.sparse_coo, SourceError, "`matrix` is a tensor of layout sparse_coo"),
        (torch.sparse_csr, SourceError, "`matrix` is a tensor of layout sparse_csr"),
        (None, UnsupportedOpError, "_to_sparse"),
    ],
)
@pytest.mark.filterwarnings("ignore:Sparse CSR:UserWarning")
def test_sparse_tensors_are_refused_by_name(layout: torch.layout | None, error: type[Exception], message: str):
    matrix = None if layout is None else torch.eye(4).to_sparse(layout=layout)
    with pytest.raises(error, match=message):
        ttstack.compile(Sparse(matrix).eval(), (torch.ones(4, 4),))
