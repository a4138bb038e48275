"""Files that are not as they were written give one clear error each."""

import random
from pathlib import Path

import numpy as np
import pytest

from ttstack.diagnostics import BinaryFormatError
from ttstack.flatbuffer import SCHEMA_VERSION, container, load, save


@pytest.fixture
def path(binary, tmp_path: Path) -> Path:
    save(binary, tmp_path / "model.ttb")
    return tmp_path / "model.ttb"


@pytest.fixture
def beside(binary, tmp_path: Path) -> Path:
    save(binary, tmp_path / "model.ttb", weights="beside")
    return next(tmp_path.glob("model.*.weights.safetensors"))


def test_truncation_at_fifty_places(path):
    content = path.read_bytes()
    places = [0, 1, 3, 4, 8, 31, 32, 63, 64, 65, len(content) - 1]
    places += random.Random(1).sample(range(66, len(content) - 1), 50 - len(places))
    for length in places:
        path.write_bytes(content[:length])
        with pytest.raises(BinaryFormatError, match="this file is incomplete") as caught:
            load(path)
        text = str(caught.value)
        assert str(path) in text
        assert f"found {length:,}" in text
        assert "copy it again" in text


def test_a_flipped_byte_anywhere(path):
    content = path.read_bytes()
    places = [*range(64), len(content) - 1, *random.Random(2).sample(range(64, len(content)), 200)]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 + place % 255
        path.write_bytes(changed)
        with pytest.raises(BinaryFormatError):
            load(path)


def test_a_flipped_weight_says_that_the_file_was_altered(path):
    content = bytearray(path.read_bytes())
    content[-1000] ^= 1
    path.write_bytes(content)
    with pytest.raises(BinaryFormatError, match="altered after it was written"):
        load(path)


@pytest.mark.parametrize("more", [b"\0", b"\n" * 100])
def test_nothing_may_follow(path, more):
    path.write_bytes(path.read_bytes() + more)
    with pytest.raises(BinaryFormatError, match="longer than its header states"):
        load(path)


def test_another_kind_of_file(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"module {\n" * 20)
    with pytest.raises(BinaryFormatError, match="this is not a compiled program") as caught:
        load(tmp_path / "model.onnx")
    assert "it starts with b'modu'" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BinaryFormatError, match="cannot be read: No such file or directory"):
        load(tmp_path / "model.ttb")


def test_a_folder(tmp_path):
    with pytest.raises(BinaryFormatError, match="cannot be read"):
        load(tmp_path)


def _rewrite(path: Path, binary, monkeypatch, version: tuple[int, int]) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(container, "SCHEMA_VERSION", version)
        save(binary, path)


@pytest.mark.parametrize("version", [(SCHEMA_VERSION[0], SCHEMA_VERSION[1] + 1), (SCHEMA_VERSION[0] + 1, 0)])
def test_a_newer_version(binary, path, monkeypatch, version):
    major, minor = SCHEMA_VERSION
    _rewrite(path, binary, monkeypatch, version)
    with pytest.raises(BinaryFormatError, match=f"schema version {version[0]}.{version[1]}") as caught:
        load(path)
    assert "install a newer ttstack" in str(caught.value)
    assert caught.value.diagnostic.notes == (f"this ttstack reads versions {major}.0 to {major}.{minor}",)


def test_an_older_major_version(binary, path, monkeypatch):
    _rewrite(path, binary, monkeypatch, (0, 9))
    with pytest.raises(BinaryFormatError, match=r"schema version 0\.9") as caught:
        load(path)
    assert "compile the model again" in str(caught.value)


def test_an_older_minor_version(binary, path, monkeypatch, assert_equal):
    monkeypatch.setattr(container, "SCHEMA_VERSION", (SCHEMA_VERSION[0], SCHEMA_VERSION[1] + 1))
    assert_equal(load(path), binary)


def _seal(path: Path, program: bytes) -> None:
    with path.open("wb") as file:
        container.write(file, program, 0, ())


@pytest.mark.parametrize("program", [b"", b"\0" * 64, b"\xff" * 64, b"\x10\0\0\0" * 30])
def test_a_sealed_file_of_nonsense(path, program):
    _seal(path, program)
    with pytest.raises(BinaryFormatError, match="this program cannot be decoded"):
        load(path)


def test_sealed_flatbuffers_with_altered_bytes_load_or_give_our_error(path):
    program = container.read(path).program
    rng = random.Random(3)
    for _ in range(150):
        changed = bytearray(program)
        changed[rng.randrange(len(changed))] = rng.randrange(256)
        _seal(path, bytes(changed))
        try:
            load(path)
        except BinaryFormatError as error:
            assert str(path) in str(error)  # noqa: PT017


def test_weights_beside_are_not_needed_to_look_at_a_program(binary, beside, plain):
    beside.unlink()
    loaded = load(beside.parent / "model.ttb")
    assert plain(loaded) == plain(binary)
    assert all(w.sha256 for w in loaded.weights.values())


def test_missing_weights_beside(beside):
    beside.unlink()
    with pytest.raises(BinaryFormatError, match="the program's weights is missing") as caught:
        load(beside.parent / "model.ttb", verify=True)
    assert str(beside) in str(caught.value)
    weight = load(beside.parent / "model.ttb").weights["layer.weight"]
    with pytest.raises(BinaryFormatError, match="the program's weights is missing"):
        _ = weight.data


def test_altered_weights_beside(beside):
    content = bytearray(beside.read_bytes())
    content[-9] ^= 1
    beside.write_bytes(content)
    with pytest.raises(BinaryFormatError, match=r"'layer\.weight' is not as it was") as caught:
        load(beside.parent / "model.ttb", verify=True)
    assert "SHA-256 recorded" in str(caught.value)
    assert "copy the .ttb file and its weights file again, together" in str(caught.value)


def test_every_byte_of_the_file_beside_counts(beside, binary, assert_equal):
    content = beside.read_bytes()
    for place in random.Random(4).sample(range(len(content)), 100):
        changed = bytearray(content)
        changed[place] ^= 1 + place % 255
        beside.write_bytes(changed)
        try:
            loaded = load(beside.parent / "model.ttb", verify=True)
        except BinaryFormatError:
            continue
        assert_equal(loaded, binary)


@pytest.mark.parametrize("length", [0, 4, 8, 20, 200, 2000])
def test_truncated_weights_beside(beside, length):
    beside.write_bytes(beside.read_bytes()[:length])
    with pytest.raises(BinaryFormatError, match="is not as it was when the program was saved"):
        load(beside.parent / "model.ttb", verify=True)


def test_weights_beside_of_another_model(beside, with_weights):
    other = with_weights({"layer.weight": np.zeros((2, 2), np.float32)})
    save(other, beside.parent / "other.ttb", weights="beside")
    next(beside.parent.glob("other.*.weights.safetensors")).replace(beside)
    with pytest.raises(BinaryFormatError, match=r"expected tensor<32x32xbf16>, found F32 \[2, 2\]"):
        load(beside.parent / "model.ttb", verify=True)


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 100_000,
        b'{"layer.weight":' * 100_000,
        b"[]",
        b"\xff",
        b'{"layer.weight": {"dtype": "BF16", "shape": [32, 32], "data_offsets": [0.0, 2048.0]}}',
        b'{"layer.weight": {"dtype": "BF16", "shape": [32, 32], "data_offsets": [true, 2049]}}',
        b'{"layer.weight": {"dtype": "BF16", "shape": [32, 32], "data_offsets": [-2048, 0]}}',
        b'{"layer.weight": {"dtype": "BF16", "shape": [32, 32], "data_offsets": "02"}}',
        b'{"layer.weight": {"dtype": "BF16", "shape": {}, "data_offsets": [0, 2048]}}',
        b'{"layer.weight": {"dtype": "BF16", "shape": [4611686018427387904, 4], "data_offsets": [0, 2048]}}',
        b'{"layer.weight": []}',
    ],
)
def test_headers_of_weights_beside_of_another_form(beside, header):
    beside.write_bytes(len(header).to_bytes(8, "little") + header + bytes(2048))
    with pytest.raises(BinaryFormatError, match="is not as it was when the program was saved"):
        load(beside.parent / "model.ttb", verify=True)
