"""Exported programs in `.pt2` files: what they hold, and what is said of files that hold something else."""

import importlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

import ttstack
from tests.frontends.torch_archives import ATTACKS, CONSTANTS, PROGRAM, WEIGHTS, Model, changed, packed, save, unpacked
from ttstack.diagnostics import SourceError, TTStackError, UnsupportedOpError
from ttstack.frontends.torch.archive import load_archive
from ttstack.frontends.torch.archive.container import open_archive


@pytest.fixture(scope="module", name="model")
def _model() -> Model:
    torch.manual_seed(0)
    return Model().eval()


@pytest.fixture(scope="module", name="saved")
def _saved(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(model, ({"x": torch.ones(2, 8)},), tmp_path_factory.mktemp("saved") / "model.pt2")


def test_a_file_is_the_program_that_was_saved(model: Model, saved: Path):
    program = ttstack.compile(saved)
    assert list(program.inputs()) == ["batch.x"]
    assert list(program.function().parameters) == [
        "first.weight",
        "first.bias",
        "second.bias",
        "count",
        "angles.folded",
    ]
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
    return packed({name: content.replace(old, new) for name, content in unpacked(saved).items()})


def renamed(saved: Path, old: str, new: str) -> bytes:
    return packed({name.replace(old, new): content for name, content in unpacked(saved).items()})


def state_dict(_saved: Path) -> bytes:
    out = io.BytesIO()
    torch.save({"w": torch.ones(2)}, out)
    return out.getvalue()


def arrays(_saved: Path) -> bytes:
    out = io.BytesIO()
    np.savez(out, x=np.ones(2))
    return out.getvalue()


def flipped(saved: Path) -> bytes:
    """The archive with one bit of one weight changed."""
    content = bytearray(saved.read_bytes())
    content[content.index(unpacked(saved)["data/weights/weight_0"])] ^= 1
    return bytes(content)


BROKEN: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "cut off": (lambda saved: saved.read_bytes()[:3000], "is cut off or damaged"),
    "without its last byte": (lambda saved: saved.read_bytes()[:-1], "is cut off or damaged"),
    "damaged": (lambda saved: saved.read_bytes().replace(b"graph_module", b"graph-module", 1), "is cut off or damaged"),
    "no JSON": (lambda saved: edited(saved, b'{"graph_module"', b'"graph_module"'), "is cut off or damaged"),
    "state_dict": (state_dict, "is not an exported program; it looks like what torch.save writes"),
    "arrays": (arrays, "is not an exported program; it looks like another zip archive"),
    "newer": (lambda saved: edited(saved, b'"major": 8', b'"major": 9'), r"was written by PyTorch .* in schema 9\.\d+"),
    "none": (lambda saved: renamed(saved, "models/", "extra/"), "holds no program"),
    "compiled": (
        lambda saved: renamed(saved, "models/model.json", "data/aotinductor/model/m.so"),
        r"holds compiled code \(AOTInductor\) and no program",
    ),
    "another folder": (lambda saved: renamed(saved, "models/", "other/"), r"other/model.json' is unknown"),
    "big-endian": (lambda saved: edited(saved, b"little", b"big"), "of another byte order"),
    "two programs": (lambda saved: packed(unpacked(saved), ("models/b.json", b"{}")), "holds programs b, model"),
    "short weight": (lambda saved: packed(unpacked(saved) | {"data/weights/weight_0": bytes(9)}), "its record has 9"),
    "flipped bit": (flipped, "Bad CRC-32"),
    "pickles": (lambda saved: edited(saved, b'"use_pickle": false', b'"use_pickle": true'), "holds pickled objects"),
    "legacy": (lambda saved: renamed(saved, "sample_inputs", "weights"), "holds pickled objects"),
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


def test_ops_that_are_not_of_pytorch_are_named(saved: Path, tmp_path: Path):
    (tmp_path / "x.pt2").write_bytes(edited(saved, b"aten.add_.Tensor", b"aten.nope.Tensor"))
    with pytest.raises(UnsupportedOpError, match=r"torch\.aten\.nope\.Tensor: 1, first at .*torch_archives.py"):
        ttstack.compile(tmp_path / "x.pt2")


@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_that_is_packed_again_is_the_same_program(saved: Path, tmp_path: Path, compressed: bool):
    (tmp_path / "x.pt2").write_bytes(packed(unpacked(saved), compressed=compressed))
    before, after = load_archive(saved), load_archive(tmp_path / "x.pt2")
    assert str(after.graph) == str(before.graph)
    assert after.state_dict.keys() == before.state_dict.keys()
    for name, values in (before.state_dict | before.constants).items():
        read: Any = (after.state_dict | after.constants)[name]
        assert torch.equal(read, cast(Any, values)), name


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_in_a_file_is_executed(
    saved: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    mark = tmp_path / "mark"
    (tmp_path / "marking.py").write_text(f"import enum, os\nos.mkdir({str(mark)!r})\nKind = enum.Enum('Kind', 'A')\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    (tmp_path / "x.pt2").write_bytes(ATTACKS[name](unpacked(saved), mark))
    with pytest.raises(TTStackError):
        ttstack.compile(tmp_path / "x.pt2")
    assert not mark.exists()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("fault", [KeyError, ValueError, RuntimeError])
def test_a_fault_of_ours_is_no_damage_of_the_file(saved: Path, fault: type[Exception]):
    with pytest.raises(fault), open_archive(saved):
        raise fault("ours")


def test_a_weight_of_no_element_type_is_an_error(saved: Path, tmp_path: Path):
    def forget(config: Any) -> None:
        config["config"]["angles"]["tensor_meta"]["dtype"] = 0

    (tmp_path / "x.pt2").write_bytes(packed(changed(unpacked(saved), CONSTANTS, forget)))
    with pytest.raises(SourceError, match="'angles' is of no element type"):
        ttstack.compile(tmp_path / "x.pt2")


@pytest.mark.parametrize("rows", [2**40, 2**58, 2**62])
def test_a_weight_that_repeats_its_values_beyond_memory_is_an_error(saved: Path, tmp_path: Path, rows: int):
    def repeat(config: Any) -> None:
        sizes, strides = ([{"as_int": extent} for extent in extents] for extents in ((rows, 8), (0, 1)))
        config["config"]["angles"]["tensor_meta"].update(sizes=sizes, strides=strides)

    records = changed(unpacked(saved), CONSTANTS, repeat)
    records[PROGRAM] = records[PROGRAM].replace(b'"as_int": 1024', b'"as_int": %d' % rows)
    (tmp_path / "x.pt2").write_bytes(packed(records))
    with pytest.raises(TTStackError, match=r"of DRAM|is not a program that can be read|cannot be held"):
        ttstack.compile(tmp_path / "x.pt2")


ALTERED: dict[str, Callable[[dict[str, bytes], str], bytes]] = {
    "missing": lambda records, name: packed({other: content for other, content in records.items() if other != name}),
    "twice": lambda records, name: packed(records, (name, records[name])),
    "in capitals": lambda records, name: packed(records, (name.upper(), records[name])),
    "not first": lambda records, name: packed({name.upper(): records[name]} | records),
    "empty": lambda records, name: packed(records | {name: b""}),
    "half": lambda records, name: packed(records | {name: records[name][: len(records[name]) // 2]}),
    "noise": lambda records, name: packed(records | {name: bytes(range(256)) * 4}),
    "nested": lambda records, name: packed(records | {name: b"[" * 100_000}),
}
"""The archive with one record altered, and checksums that fit."""

NAMES = [
    "data/weights/weight_0",
    "data/weights/weight_1",
    "data/weights/weight_2",
    "data/weights/weight_3",
    "data/constants/tensor_0",
    "data/weights/model_weights_config.json",
    "data/constants/model_constants_config.json",
    "models/model.json",
    "data/sample_inputs/model.pt",
    "archive_format",
    "archive_version",
    ".data/version",
    "byteorder",
    ".data/serialization_id",
]
UNREAD = ("data/sample_inputs/model.pt", "archive_version", ".data/version", ".data/serialization_id")


def test_every_record_is_altered_below(saved: Path):
    assert set(unpacked(saved)) == set(NAMES)


@pytest.mark.parametrize("how", ALTERED)
def test_a_record_that_is_altered_is_an_error_or_is_not_read(saved: Path, tmp_path: Path, how: str):
    for name in NAMES:
        if how in ("noise", "nested") and re.search(r"weight_\d|tensor_\d", name):
            continue  # other values, and more of them than are used
        (tmp_path / "x.pt2").write_bytes(ALTERED[how](unpacked(saved), name))
        unread = name in UNREAD or (name == "byteorder" and how == "missing")
        if unread and how not in ("twice", "in capitals", "not first"):
            assert str(load_archive(tmp_path / "x.pt2").graph) == str(load_archive(saved).graph)
        else:
            with pytest.raises(SourceError):
                load_archive(tmp_path / "x.pt2")


def places(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """One path to each kind of place in JSON: those that differ in indices alone are one kind."""
    found = {tuple("*" if isinstance(key, int) else key for key in path): path} if path else {}
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found = places(inner, (*path, key)) | found
    return found


@pytest.mark.parametrize("record", [PROGRAM, WEIGHTS])
@pytest.mark.parametrize("value", [None, [], "x y", 2**62], ids=repr)
def test_json_of_another_form_is_an_error_or_the_same_program(saved: Path, tmp_path: Path, record: str, value: object):
    records = unpacked(saved)
    wrong = tmp_path / "x.pt2"

    def put(program: Any, path: tuple[Any, ...]) -> None:
        *outer, last = path
        for key in outer:
            program = program[key]
        program[last] = value

    for path in places(json.loads(records[record])).values():
        wrong.write_bytes(packed(changed(records, record, lambda program, path=path: put(program, path))))
        try:
            program = load_archive(wrong)
        except TTStackError:
            continue
        assert len(program.graph.nodes) > 3, path


def test_an_entry_without_a_name_is_refused(saved: Path, tmp_path: Path):
    copy = tmp_path / "copy.pt2"
    copy.write_bytes(saved.read_bytes())
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr("x", b"")
        archive.filelist[-1].filename = ""
    with pytest.raises(SourceError, match="has records that exported programs do not have"):
        ttstack.compile(copy)
