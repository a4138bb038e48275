"""Input files, the check of inputs against a signature, and random values."""

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from ttstack.diagnostics import ExecutionError, InputError
from ttstack.ops.types import DType
from ttstack_runtime import host_memory
from ttstack_runtime.executor import execute
from ttstack_runtime.inputs import check_inputs, load_inputs, random_inputs, random_weights

BF16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture(name="function")
def _function(b):
    b.input("x", (2, 3), DType.SI64)
    b.input("y", (2,))
    return b.function()


def test_files_give_arrays_by_name(tmp_path, function):
    arrays = {"x": np.arange(6, dtype=np.int64).reshape(2, 3), "y": np.ones(2, np.float32)}
    np.savez(tmp_path / "a.npz", **arrays)
    np.savez_compressed(tmp_path / "b.npz", **arrays)
    save_file(arrays | {"y": np.ones(2, BF16)}, tmp_path / "a.safetensors")
    for name in ("a.npz", "b.npz", "a.safetensors"):
        loaded = load_inputs(str(tmp_path / name), function)
        np.testing.assert_array_equal(loaded["x"], arrays["x"])
        assert loaded["x"].dtype == np.int64
    assert loaded["y"].dtype == BF16


def test_text_under_the_name_of_arrays(tmp_path, function):
    (tmp_path / "a.npz").write_text("hello")
    with pytest.raises(InputError, match="it is not a zip archive") as e:
        load_inputs(tmp_path / "a.npz", function)
    assert "pickle" not in str(e.value)


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
@pytest.mark.parametrize("content", [b"", b"no such format", b"PK\x03\x04broken"])
def test_files_of_another_format(tmp_path, function, suffix, content):
    file = tmp_path / f"a{suffix}"
    file.write_bytes(content)
    with pytest.raises(InputError, match=f"is not a readable {suffix} file"):
        load_inputs(file, function)


def test_one_array_without_a_name(tmp_path, function):
    np.save(tmp_path / "a.npy", np.ones(2))
    (tmp_path / "a.npy").rename(tmp_path / "a.npz")
    with pytest.raises(InputError, match="one array without a name"):
        load_inputs(tmp_path / "a.npz", function)


def test_no_file_and_unknown_suffix(tmp_path, function):
    with pytest.raises(InputError, match="there is no input file"):
        load_inputs(tmp_path / "a.npz", function)
    with pytest.raises(InputError, match="cannot read inputs from") as e:
        load_inputs(tmp_path / "a.pkl", function)
    assert ".npz, .safetensors" in str(e.value)


def signature(b):
    b.input("tokens", (2, 3), DType.SI32)
    b.input("mask", (2, 3), DType.I1)
    b.input("scale", (4,), DType.BF16)
    b.input("bias", (4,))
    return b.function()


def fitting():
    return {
        "tokens": np.array([[1, 2, 3], [4, 5, 6]], np.int64),
        "mask": np.ones((2, 3), np.int8),
        "scale": np.ones(4, np.float64),
        "bias": np.ones(4, np.float32),
    }


def test_safe_casts_are_made(b):
    given = fitting()
    checked = check_inputs(signature(b), given)
    types = {name: array.dtype for name, array in checked.items()}
    assert types == {"tokens": np.int32, "mask": np.bool_, "scale": BF16, "bias": np.float32}
    assert checked["bias"] is given["bias"]


def test_all_faults_are_told_at_once(b):
    given = fitting()
    given["scales"] = given.pop("scale")
    given["tokens"] = np.ones((3, 2), np.int32)
    given["bias"] = np.ones(4, np.int32)
    with pytest.raises(InputError, match="inputs do not fit 'forward'") as e:
        check_inputs(signature(b), given)
    assert e.value.diagnostic.notes == (
        "'bias' holds integers (int32), not real numbers (f32)",
        "'scale' is missing: tensor<4xbf16>",
        "'scales' is not an input; did you mean 'scale'?",
        "'tokens' has shape [3, 2], not [2, 3]",
    )


def test_parameters_can_be_given_too(b):
    b.weight("state", np.zeros(4, np.float32))
    assert check_inputs(signature(b), fitting() | {"state": np.ones(4)})["state"].dtype == np.float32
    with pytest.raises(InputError) as e:
        check_inputs(signature(b), fitting() | {"state": np.ones(5, np.float32)})
    assert e.value.diagnostic.notes == ("'state' has shape [5], not [4]",)


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("tokens", np.full((2, 3), 2**31), "has the value 2147483648, si32 holds -2147483648 to 2147483647"),
        ("mask", np.full((2, 3), 2), "has the value 2, i1 holds 0 to 1"),
        ("mask", np.ones((2, 3), np.float32), "holds real numbers (float32), not truth values (i1)"),
        ("tokens", np.ones((2, 3), BF16), "holds real numbers (bfloat16), not integers (si32)"),
        ("bias", np.full(4, 1e300), "has values beyond the range of f32, such as 1e+300"),
        ("bias", np.array(["a"] * 4), "holds other values (<U1), not real numbers (f32)"),
    ],
)
def test_lossy_casts_are_refused(b, name, value, fault):
    with pytest.raises(InputError) as e:
        check_inputs(signature(b), fitting() | {name: value})
    assert e.value.diagnostic.notes == (f"'{name}' {fault}",)


def test_infinities_are_values(b):
    checked = check_inputs(signature(b), fitting() | {"bias": np.full(4, np.inf)})
    assert np.isinf(checked["bias"]).all()


def lookups(b):
    """Indices that reach their tables in many ways; the arrays that lie in them are zeros."""
    direct = b.input("direct", (64,), DType.SI32)
    moved = b.input("moved", (8, 8), DType.SI64)
    bagged = b.input("bagged", (50,), DType.SI32)
    starts = b.input("starts", (20,), DType.SI32)
    closed = b.input("closed", (21,), DType.SI32)
    along = b.input("along", (4, 6), DType.SI32)
    b.input("flags", (64,), DType.I1)
    b.input("kind", (64,), DType.SI32)
    b.input("real", (64,))
    small, large = (
        b.weight("small", np.zeros((5, 4), np.float32)),
        b.weight("large", np.zeros((9, 4), np.float32)),
    )
    b.op("embedding", [direct, large], (64, 4))
    b.op("embedding", [direct, small], (64, 4))
    narrow = b.op("typecast", [moved], (8, 8), DType.SI32)
    flat = b.op("reshape", [narrow], (64,), DType.SI32, attributes={"shape": (64,)})
    b.op("embedding", [flat, large], (64, 4))
    b.op("embedding_bag", [bagged, small, starts], (20, 4))
    b.op("embedding_bag", [bagged, large, closed], (20, 4), attributes={"include_last_offset": True})
    b.op("gather", [b.input("source", (4, 7)), along], (4, 6), attributes={"dim": 1})
    return b.binary()


def test_random_integers_are_valid_where_they_are_used(b):
    program = lookups(b)
    made = random_inputs(program.functions[0], seed=1)
    bounds = {"direct": 5, "moved": 9, "bagged": 5, "along": 7, "kind": 2}
    for name, bound in bounds.items():
        assert (made[name].min(), made[name].max()) == (0, bound - 1), name
    for name in ("starts", "closed"):
        assert made[name][0] == 0
        assert (np.diff(made[name]) >= 0).all()
        assert made[name][-1] <= 50
    assert made["closed"][-1] == 50
    assert made["flags"].dtype == np.bool_
    assert 0 < made["flags"].mean() < 1
    assert abs(float(made["real"].std()) - 1) < 0.3
    execute(program, made)


def test_random_positions_stay_within_a_table_and_within_their_type(b):
    """A table of one row has one position, and one of 1,000 rows none that eight bits do not hold."""
    for name, rows, dtype in (("one", 1, DType.SI32), ("narrow", 1000, DType.SI8)):
        b.op("embedding", [b.input(name, (4096,), dtype), b.input(f"{name}_rows", (rows, 2))], (4096, 2))
    made = random_inputs(b.function(), seed=0)
    assert set(made["one"]) == {0}
    assert (made["narrow"].min(), made["narrow"].max()) == (0, 127)


def test_random_values_depend_on_seed_and_name_alone(build):
    one, two = build(), build()
    one.input("x", (8,))
    two.input("other", (3,))
    two.input("x", (8,))
    first, second = random_inputs(one.function(), 4), random_inputs(two.function(), 4)
    np.testing.assert_array_equal(first["x"], second["x"])
    assert not np.array_equal(first["x"], random_inputs(one.function(), 5)["x"])


def test_random_weights_fill_what_was_only_described(b):
    x = b.input("x", (2, 64))
    b.weight("w", np.zeros((64, 64), np.float32))
    b.weight("c", np.zeros(64), DType.BF16)
    kept = b.weight("kept", np.ones((2, 64), np.float32))
    ids = b.weight("ids", np.zeros(40, np.int32), DType.SI32)
    b.op("embedding", [ids, b.inputs[1]], (40, 64))
    b.output(b.op("add", [x, kept], (2, 64)))
    program = b.described()
    program = replace(program, weights=dict(program.weights) | {"kept": b.weights["kept"]})
    filled = random_weights(program, seed=2)
    assert filled.weights["kept"].data is b.weights["kept"].data
    arrays: dict[str, Any] = {name: weight.data for name, weight in filled.weights.items()}
    w, c = arrays["w"], arrays["c"]
    assert abs(float(w.std()) * 8 - 1) < 0.1
    assert c.dtype == BF16
    assert c.min() > 0
    assert arrays["ids"].max() > 1
    np.testing.assert_array_equal(random_weights(program, seed=2).weights["w"].data, w)
    execute(filled, random_inputs(filled.functions[0]))


def test_random_values_larger_than_the_host(b, monkeypatch):
    b.weight("w", np.zeros((64, 64), np.float32))
    b.input("x", (64, 64))
    monkeypatch.setattr(host_memory, "available_memory", lambda: 64 * 64 * 4 - 1)
    with pytest.raises(ExecutionError, match="making random weights needs 16384 bytes"):
        random_weights(b.described())
    with pytest.raises(ExecutionError, match="making random inputs needs 16384 bytes"):
        random_inputs(b.function())
