"""What is saved is what is loaded."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from safetensors import deserialize
from safetensors.numpy import load_file

from ttstack.diagnostics import OutputError
from ttstack.flatbuffer import file as flatbuffer_file
from ttstack.flatbuffer import load, save
from ttstack.ops.types import TensorType
from ttstack.program.records import Weight

FORMATS = [
    np.float64,
    np.float32,
    np.float16,
    ml_dtypes.bfloat16,
    np.bool_,
    np.int8,
    np.uint8,
    np.int64,
    np.uint32,
]


def weights_beside(folder: Path) -> Path:
    """The one weights file in a folder."""
    (path,) = folder.glob("*.weights.safetensors")
    return path


@pytest.mark.parametrize("where", ["inline", "beside", "auto"])
def test_a_program_is_the_same_after_loading(binary, assert_equal, tmp_path, where):
    save(binary, tmp_path / "model.ttb", weights=where)
    assert_equal(load(tmp_path / "model.ttb", verify=True), binary)


def test_a_negative_zero_keeps_its_sign(binary, tmp_path):
    save(binary, tmp_path / "model.ttb")
    program = load(tmp_path / "model.ttb").functions[0].operations[2].attributes["program"]
    assert np.signbit(dict(program.body[0].attributes)["parameter"])


@pytest.mark.parametrize("where", ["inline", "beside"])
def test_weights_of_every_format(with_weights, assert_equal, tmp_path, where):
    shapes = [(3, 5), (), (0, 4), (33,)]
    values = {
        f"{np.dtype(f).name}.{i}": np.arange(np.prod(shape)).reshape(shape).astype(f)
        for f in FORMATS
        for i, shape in enumerate(shapes)
    }
    binary = with_weights(values)
    save(binary, tmp_path / "model.ttb", weights=where)
    assert_equal(load(tmp_path / "model.ttb", verify=True), binary)


@pytest.mark.parametrize("where", ["inline", "beside"])
def test_a_transposed_weight_is_saved_in_row_major_order(with_weights, tmp_path, where):
    values = np.arange(12, dtype=np.float32).reshape(3, 4).T
    save(with_weights({"w": values}), tmp_path / "model.ttb", weights=where)
    weight = load(tmp_path / "model.ttb").weights["w"]
    np.testing.assert_array_equal(weight.data, values)
    assert weight.sha256 == hashlib.sha256(values.tobytes()).hexdigest()


def test_the_file_beside_is_in_safetensors_format(with_weights, tmp_path):
    values = {"a.b": np.arange(6, dtype=np.int32).reshape(2, 3), "c": np.ones((2, 1), np.float16)}
    save(with_weights(values), tmp_path / "model.ttb", weights="beside")
    found = load_file(weights_beside(tmp_path))
    assert sorted(found) == ["a.b", "c"]
    for name, array in values.items():
        np.testing.assert_array_equal(found[name], array)


def test_bf16_beside_is_spelled_as_safetensors_does(with_weights, tmp_path):
    values = np.arange(4).astype(ml_dtypes.bfloat16)
    save(with_weights({"w": values}), tmp_path / "model.ttb", weights="beside")
    [(name, entry)] = deserialize(weights_beside(tmp_path).read_bytes())
    assert (name, entry["dtype"], entry["data"]) == ("w", "BF16", values.tobytes())


def test_large_weights_go_beside_and_small_ones_inside(with_weights, tmp_path, monkeypatch):
    monkeypatch.setattr(flatbuffer_file, "INLINE_LIMIT", 400)
    save(with_weights({"w": np.zeros(100, np.float32)}), tmp_path / "small.ttb")
    save(with_weights({"w": np.zeros(101, np.float32)}), tmp_path / "large.ttb")
    assert sorted(p.name for p in tmp_path.glob("*.ttb")) == ["large.ttb", "small.ttb"]
    assert re.fullmatch(r"large\.[0-9a-f]{12}\.weights\.safetensors", weights_beside(tmp_path).name)


def test_described_weights_have_no_values(binary, assert_equal, tmp_path):
    described = {n: Weight(n, w.type) for n, w in binary.weights.items()}
    save(replace(binary, weights=described), tmp_path / "model.ttb", weights="beside")
    loaded = load(tmp_path / "model.ttb", verify=True)
    assert [w.data for w in loaded.weights.values()] == [None, None]
    assert [w.sha256 for w in loaded.weights.values()] == ["", ""]
    assert [p.name for p in tmp_path.iterdir()] == ["model.ttb"]


def test_saving_twice_gives_the_same_bytes(binary, tmp_path):
    save(binary, tmp_path / "a.ttb")
    save(load(tmp_path / "a.ttb"), tmp_path / "b.ttb")
    assert (tmp_path / "a.ttb").read_bytes() == (tmp_path / "b.ttb").read_bytes()


@pytest.mark.parametrize("where", ["inline", "beside"])
def test_a_loaded_program_can_be_saved_over_itself(binary, assert_equal, tmp_path, where):
    save(binary, tmp_path / "model.ttb", weights=where)
    loaded = load(tmp_path / "model.ttb")
    save(loaded, tmp_path / "model.ttb", weights=where)
    assert_equal(load(tmp_path / "model.ttb"), binary)


def test_values_of_inline_weights_are_aligned_and_read_only(binary, tmp_path):
    save(binary, tmp_path / "model.ttb")
    values = load(tmp_path / "model.ttb").weights["forward.constant.2"].data
    assert values is not None
    assert not values.flags.writeable
    assert values.ctypes.data % 64 == 0


@pytest.mark.parametrize("where", ["inline", "beside"])
def test_a_failed_save_leaves_everything_as_it_was(binary, tmp_path, where):
    save(binary, tmp_path / "model.ttb", weights=where)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    wrong = Weight("wrong", TensorType((2,), binary.weights["layer.weight"].type.dtype), np.zeros(2))
    with pytest.raises(ValueError, match=r"'wrong' is tensor<2xbf16>, its values are float64\[2\]"):
        save(replace(binary, weights={**binary.weights, "wrong": wrong}), tmp_path / "model.ttb", weights=where)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize("path", ["missing/model.ttb", "."])
def test_a_path_that_cannot_be_written(binary, tmp_path, path):
    with pytest.raises(OutputError, match="cannot write"):
        save(binary, tmp_path / path)
    assert not list(tmp_path.iterdir())


def test_weights_go_to_one_of_three_places(binary, tmp_path):
    with pytest.raises(OutputError, match="weights is 'outside'"):
        save(binary, tmp_path / "model.ttb", weights=cast(Any, "outside"))
    assert not list(tmp_path.iterdir())


def test_an_attribute_without_encoding(binary, tmp_path):
    function = binary.functions[0]
    op = replace(function.operations[0], attributes={"where": object()})
    wrong = replace(function, operations=(op, *function.operations[1:]))
    with pytest.raises(ValueError, match="attribute 'where' has a value of type object"):
        save(replace(binary, functions=(wrong,)), tmp_path / "model.ttb")
    assert not list(tmp_path.iterdir())
