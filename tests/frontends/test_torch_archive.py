"""Exported programs in `.pt2` files: what they hold, and what is said of files that hold something else."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import ttstack
from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.archive import load_archive


class Model(nn.Module):
    """Tied weights, a buffer that is updated, one that is not persistent, and nested outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
        self.second.weight = self.first.weight
        self.register_buffer("count", torch.zeros(3, dtype=torch.bfloat16))
        self.register_buffer("angles", torch.arange(8192.0).reshape(1024, 8), persistent=False)

    def forward(self, batch: dict[str, torch.Tensor], scale: float = 2.0) -> dict[str, object]:
        self.count.add_(1)
        y = self.first(batch["x"]) * scale + self.angles[:2]
        return {"y": y, "all": [self.second(y), self.count]}


@pytest.fixture(scope="module", name="model")
def _model() -> Model:
    torch.manual_seed(0)
    return Model().eval()


@pytest.fixture(scope="module", name="saved")
def _saved(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "model.pt2"
    torch.export.save(torch.export.export(model, ({"x": torch.ones(2, 8)},)), path)
    return path


def test_a_file_is_the_program_that_was_saved(model: Model, saved: Path):
    program = ttstack.compile(saved)
    assert list(program.inputs()) == ["batch.x"]
    assert list(program.function().parameters) == ["first.weight", "first.bias", "second.bias", "count", "angles"]
    x = torch.randn(2, 8, generator=torch.Generator().manual_seed(1))
    run = program.run({"batch.x": x.numpy()})
    with torch.no_grad():
        want = model({"x": x})
    np.testing.assert_allclose(run.outputs["y"], want["y"], 1e-5, 1e-6)
    np.testing.assert_allclose(run.outputs["all.0"], want["all"][0], 1e-5, 1e-5)
    assert run.updated["count"].tolist() == [1, 1, 1]


def test_weights_are_parts_of_the_file(saved: Path):
    weights = load_archive(saved).state_dict
    assert weights["first.weight"].data_ptr() == weights["second.weight"].data_ptr()
    assert str(saved) in Path("/proc/self/maps").read_text()


def edited(saved: Path, old: bytes, new: bytes) -> bytes:
    """The archive with every record edited."""
    out = io.BytesIO()
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(old, new))
    return out.getvalue()


def renamed(saved: Path, old: str, new: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name.replace(old, new), source.read(name))
    return out.getvalue()


def state_dict(_saved: Path) -> bytes:
    out = io.BytesIO()
    torch.save({"w": torch.ones(2)}, out)
    return out.getvalue()


def arrays(_saved: Path) -> bytes:
    out = io.BytesIO()
    np.savez(out, x=np.ones(2))
    return out.getvalue()


BROKEN: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "cut off": (lambda saved: saved.read_bytes()[:3000], "is cut off or damaged"),
    "without its last byte": (lambda saved: saved.read_bytes()[:-1], "is cut off or damaged"),
    "damaged": (lambda saved: saved.read_bytes().replace(b"graph_module", b"graph-module", 1), "is cut off or damaged"),
    "no JSON": (lambda saved: edited(saved, b'{"graph_module"', b'"graph_module"'), "is cut off or damaged"),
    "state_dict": (state_dict, "is no exported program; it looks like what torch.save writes"),
    "arrays": (arrays, "is no exported program; it looks like another zip archive"),
    "newer": (lambda saved: edited(saved, b'"major": 8', b'"major": 9'), r"was written by PyTorch .* in schema 9\.\d+"),
    "two": (lambda saved: renamed(saved, "data/sample_inputs/model.pt", "models/b.json"), "holds programs"),
    "none": (lambda saved: renamed(saved, "models/", "other/"), r"holds compiled code \(AOTInductor\) and no program"),
    "pickles": (lambda saved: edited(saved, b'"use_pickle": false', b'"use_pickle": true'), "holds pickled objects"),
    "unknown op": (lambda saved: edited(saved, b"aten.add_.Tensor", b"aten.nope.Tensor"), "PyTorch cannot read"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_other_files_are_told_apart(saved: Path, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]):
    make, message = BROKEN[name]
    (tmp_path / "x.pt2").write_bytes(make(saved))
    with pytest.raises(SourceError, match=message) as e:
        ttstack.compile(tmp_path / "x.pt2")
    assert e.value.diagnostic.hint
    assert capfd.readouterr() == ("", "")


def test_a_program_has_its_shapes(saved: Path):
    with pytest.raises(SourceError, match="an exported program has its shapes"):
        ttstack.compile(saved, [(3, 8)])


def test_an_archive_with_damaged_headers(saved: Path, tmp_path: Path):
    content = bytearray(saved.read_bytes())
    for entry in re.finditer(b"PK\x01\x02", bytes(content)):
        content[entry.start() + 8] |= 1 << 5  # "compressed patched data", which nothing writes
    (tmp_path / "model.pt2").write_bytes(content)
    with pytest.raises(SourceError, match="is cut off or damaged"):
        ttstack.compile(tmp_path / "model.pt2")
