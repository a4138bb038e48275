"""Values of executed programs against NumPy."""

import math
from dataclasses import replace
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

import ttstack
from ttstack.device.device_op import Fidelity
from ttstack.device.layout import Layout
from ttstack.diagnostics import ExecutionError, InputError
from ttstack.ops.types import DType
from ttstack_runtime import executor, host_memory
from ttstack_runtime.executor import execute
from ttstack_runtime.numerics import quantize, truncate_for_fidelity
from ttstack_runtime.precision import Ieee

BF16 = np.dtype(ml_dtypes.bfloat16)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def mlp(b, rng, *, layout=None):
    """gelu(x @ w + c): the builder and the arrays."""
    x = rng.standard_normal((8, 64), np.float32)
    w = rng.standard_normal((64, 32), np.float32)
    c = rng.standard_normal(32, np.float32)
    given = (
        b.input("x", x.shape, layout=layout),
        b.weight("w", w, layout=layout),
        b.weight("c", c, layout=layout),
    )
    product = b.op("matmul", given[:2], (8, 32), layout=layout)
    shifted = b.op("add", [product, given[2]], (8, 32), layout=layout)
    b.op("deallocate", [product])
    b.output(b.op("gelu", [shifted], (8, 32), layout=layout))
    return x, w, c


def test_mlp_in_ieee(b, rng):
    x, w, c = mlp(b, rng)
    (out,) = execute(b.binary(), {"x": x}).values()
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, gelu(x.astype(np.float64) @ w + c), rtol=1e-4, atol=1e-5)


def test_layouts_do_not_change_ieee_values(build, rng):
    fine, coarse = build(), build()
    state = rng.bit_generator.state
    x, *_ = mlp(fine, rng)
    rng.bit_generator.state = state
    mlp(coarse, rng, layout=Layout(DType.BFP4_B))
    np.testing.assert_array_equal(execute(fine.binary(), {"x": x})["out"], execute(coarse.binary(), {"x": x})["out"])


@pytest.mark.parametrize("dtype", ["bf16", "bfp8_b", "bfp4_b"])
def test_device_rounds_every_tensor_to_its_layout(b, rng, dtype):
    x, w, c = mlp(b, rng, layout=Layout(DType(dtype)))
    for i, operation in enumerate(b.operations):
        b.operations[i] = replace(operation, fidelity=Fidelity.LOFI)
    out = execute(b.binary(), {"x": x}, numerics="device")["out"]
    qx, qw, qc = (quantize(v, dtype) for v in (x, w, c))
    left, right = (truncate_for_fidelity(v, "LoFi", operand=i) for i, v in enumerate((qx, qw)))
    shifted = quantize(quantize(left @ right, dtype) + qc, dtype)
    np.testing.assert_allclose(out, quantize(gelu(shifted).astype(np.float32), dtype), rtol=1e-6, atol=1e-6)
    assert not np.allclose(out, gelu(x @ w + c), rtol=1e-4)


def test_bf16_results_are_rounded_where_they_are_stored(b):
    x = b.input("x", (2,), DType.BF16)
    squared = b.op("multiply", [x, x], (2,), DType.BF16)
    b.output(b.op("subtract", [squared, x], (2,), DType.BF16))
    value = np.array([1.0078125, 3.03125], BF16)
    out = execute(b.binary(), {"x": value})["out"]
    assert out.dtype == BF16
    square = (value.astype(np.float32) ** 2).astype(BF16).astype(np.float32)
    np.testing.assert_array_equal(out, (square - value.astype(np.float32)).astype(BF16))


def test_f64_stays_f64(b):
    x = b.input("x", (3,), DType.F64)
    b.output(b.op("exp", [x], (3,), DType.F64))
    value = np.array([0.1, 0.2, 0.3])
    np.testing.assert_array_equal(execute(b.binary(), {"x": value})["out"], np.exp(value))
    assert execute(b.binary(), {"x": value}, numerics="device")["out"].dtype == np.float64


def test_comparison_takes_the_declared_element_type(b):
    x = b.input("x", (3,))
    b.output(b.op("gt", [x, x], (3,), DType.BF16), "as_real")
    b.output(b.op("le", [x, x], (3,), DType.I1), "as_truth")
    out = execute(b.binary(), {"x": np.ones(3, np.float32)})
    assert (out["as_real"].dtype, out["as_truth"].dtype) == (BF16, np.bool_)
    assert not out["as_real"].any()
    assert out["as_truth"].all()


def test_ops_that_make_tensors_know_their_type(b):
    b.output(b.op("full", [], (2, 3), DType.BF16, attributes={"shape": (2, 3), "fill_value": 0.1}), "full")
    arange = {"start": 0, "end": 3, "step": 1, "arange_dimension": 1}
    b.output(b.op("arange", [], (2, 3), DType.SI32, attributes=arange), "arange")
    out = execute(b.binary(), {})
    np.testing.assert_array_equal(out["full"], np.full((2, 3), 0.1, BF16))
    np.testing.assert_array_equal(out["arange"], np.tile(np.arange(3, dtype=np.int32), (2, 1)))


def test_casts_between_kinds(b):
    x = b.input("x", (3,))
    b.output(b.op("typecast", [x], (3,), DType.SI32), "whole")
    half = b.op("typecast", [x], (3,), DType.BF16)
    b.output(b.op("bitcast_convert", [half], (3,), DType.UI16), "bits")
    value = np.array([-1.75, 0.0, 3.99], np.float32)
    out = execute(b.binary(), {"x": value})
    np.testing.assert_array_equal(out["whole"], [-1, 0, 3])
    np.testing.assert_array_equal(out["bits"], value.astype(BF16).view(np.uint16))


def test_views_share_values_and_layout_changes_keep_them(b, rng):
    x = b.input("x", (4, 6))
    view = b.op("reshape", [x], (1, 4, 6), attributes={"shape": (1, 4, 6)}, alias=x)
    moved = b.op("to_layout", [view], (1, 4, 6), layout=Layout(DType.BF16))
    b.output(moved)
    value = rng.standard_normal((4, 6), np.float32)
    np.testing.assert_array_equal(execute(b.binary(), {"x": value})["out"], value[None])
    rounded = execute(b.binary(), {"x": value}, numerics="device")["out"]
    np.testing.assert_array_equal(rounded, quantize(value[None], "bf16"))


def test_outputs_do_not_share_memory_with_inputs(b):
    x = b.input("x", (4,))
    b.output(x)
    value = np.arange(4, dtype=np.float32)
    out = execute(b.binary(), {"x": value})["out"]
    out[0] = 9
    assert value[0] == 0


def test_ops_with_several_results(b, rng):
    x = b.input("x", (2, 4, 24))
    results = tuple(b.tensor((2, 2, 4, 4)) for _ in range(3))
    b.op(
        "split_query_key_value_and_split_heads",
        [x, None],
        attributes={"num_heads": 2, "transpose_key": False},
    )
    b.operations[-1] = replace(b.operations[-1], results=results)
    for name, tensor in zip("qkv", results, strict=True):
        b.output(tensor, name)
    value = rng.standard_normal((2, 4, 24), np.float32)
    out = execute(b.binary(), {"x": value})
    parts = value.reshape(2, 4, 3, 2, 4).transpose(2, 0, 3, 1, 4)
    for got, want in zip(out.values(), parts, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("numerics", ["ieee", "device"])
@pytest.mark.parametrize("padding", [-1, 7])
def test_lookups_convert_only_the_rows_they_pick(b, rng, monkeypatch, numerics, padding):
    table = rng.standard_normal((100, 16), np.float32).astype(BF16)
    indices, offsets = np.array([7, 99, 7, 3, 0], np.int32), np.array([0, 2, 2], np.int32)
    x, starts = b.input("x", (5,), DType.SI32), b.input("starts", (3,), DType.SI32)
    weight = b.weight("table", table, DType.BF16)
    b.output(b.op("embedding", [x, weight], (5, 16), DType.BF16), "rows")
    bag = b.op("embedding_bag", [x, weight, starts], (3, 16), DType.BF16, attributes={"padding_idx": padding})
    b.output(bag, "bags")
    largest = 0
    load = executor.Ieee.load

    def watch(self, array, tensor):
        nonlocal largest
        largest = max(largest, array.size)
        return load(self, array, tensor)

    monkeypatch.setattr(executor.Ieee, "load", watch)
    out = execute(b.binary(), {"x": indices, "starts": offsets}, numerics=numerics)
    wide = table.astype(np.float32)
    kept = wide[indices] * (indices != padding)[:, None]
    np.testing.assert_array_equal(out["rows"], table[indices])
    sums = np.stack([kept[:2].sum(0), np.zeros(16, np.float32), kept[2:].sum(0)])
    np.testing.assert_allclose(out["bags"].astype(np.float32), sums.astype(BF16).astype(np.float32), rtol=1e-2)
    assert largest == 4 * 16


@pytest.mark.parametrize("bad", [-1, 100])
def test_an_index_outside_of_the_table_says_where(b, rng, bad):
    x = b.input("x", (2,), DType.SI32)
    weight = b.weight("table", rng.standard_normal((100, 4)).astype(BF16), DType.BF16)
    b.output(b.op("embedding", [x, weight], (2, 4), DType.BF16))
    with pytest.raises(ExecutionError, match=rf"embedding: index {bad} is outside of a table of 100 rows") as e:
        execute(b.binary(), {"x": np.array([0, bad], np.int32)})
    assert e.value.diagnostic.loc == "model.py:1"


def test_f32_weights_are_not_copied(b, monkeypatch):
    w = np.ones((4, 4), np.float32)
    x = b.input("x", (4, 4))
    b.output(b.op("add", [x, b.weight("w", w)], (4, 4)))
    seen = []
    find = executor.bind

    def spying(*arguments):
        call = find(*arguments)
        return lambda *operands: seen.append(operands[1]) or call(*operands)

    monkeypatch.setattr(executor, "bind", spying)
    execute(b.binary(), {"x": w})
    assert np.shares_memory(seen[0], w)


def test_values_are_dropped_after_their_last_read(b, monkeypatch):
    alive = []
    value = b.input("x", (1000,))
    for _ in range(6):
        value = b.op("exp", [value], (1000,))
    b.output(value)
    original = executor._Run._step

    def counting(self, operation, call):
        original(self, operation, call)
        alive.append(sum(v is not None for v in self._values))

    monkeypatch.setattr(executor._Run, "_step", counting)
    execute(b.binary(), {"x": np.zeros(1000, np.float32)})
    assert max(alive) == 2


def test_progress_is_told_after_each_operation(b, rng):
    x, *_ = mlp(b, rng)
    told = []
    execute(b.binary(), {"x": x}, progress=lambda *step: told.append(step))
    assert told == [(1, 4, "matmul"), (2, 4, "add"), (3, 4, "deallocate"), (4, 4, "gelu")]


def test_weights_without_data_are_named(b, rng):
    x, *_ = mlp(b, rng)
    with pytest.raises(ExecutionError, match="weights were only described") as e:
        execute(b.described(), {"x": x})
    assert "no data for w, c" in str(e.value)


def test_too_little_host_memory_is_told_before_running(b, rng, monkeypatch):
    x, *_ = mlp(b, rng)
    # The matmul has x of 8x64, and twice its result of 8x32, all f32; weights are in memory already.
    monkeypatch.setattr(host_memory, "available_memory", lambda: 4096)
    execute(b.binary(), {"x": x})
    monkeypatch.setattr(host_memory, "available_memory", lambda: 4095)
    with pytest.raises(ExecutionError, match="running 'forward' needs 4096 bytes of host memory, 4095 are"):
        execute(b.binary(), {"x": x})


def test_host_memory_counts_weights_that_are_converted(b, monkeypatch):
    x = b.input("x", (2,), DType.SI32)
    table = b.weight("table", np.zeros((1000, 8), BF16), DType.BF16)
    rows = b.op("embedding", [x, table], (2, 8), DType.BF16)
    b.output(b.op("matmul", [rows, b.weight("w", np.zeros((8, 50), BF16), DType.BF16)], (2, 50), DType.BF16))
    # The matmul: 2x8 in, twice 2x50 out, 8x50 of weights, all as f32; of the table, only two rows ever are.
    monkeypatch.setattr(host_memory, "available_memory", lambda: 0)
    with pytest.raises(ExecutionError, match=f"needs {4 * (2 * 8 + 2 * 2 * 50 + 8 * 50)} bytes"):
        execute(b.binary(), {"x": np.zeros(2, np.int32)})


def test_op_without_kernel_and_generic_without_program_are_told_together(b):
    x = b.input("x", (2,))
    y = b.op("no_such_op", [x], (2,))
    b.output(b.op("generic", [y], (2,)))
    with pytest.raises(ExecutionError, match="2 operations cannot be executed") as e:
        execute(b.binary(), {"x": np.zeros(2, np.float32)})
    assert "'no_such_op' has no reference" in str(e.value)
    assert "generic: it has no program" in str(e.value)


def test_a_kernel_that_does_not_fit_its_operands_is_an_error_of_the_program(b):
    x = b.input("x", (2, 3))
    b.output(b.op("matmul", [x, x], (2, 3)))
    with pytest.raises(ExecutionError, match=r"matmul: inner dimensions .* differ: 3 and 2") as e:
        execute(b.binary(), {"x": np.zeros((2, 3), np.float32)})
    assert e.value.diagnostic.loc == "model.py:1"


def test_a_result_of_another_shape_is_an_error(b):
    x = b.input("x", (2, 3))
    b.output(b.op("exp", [x], (3, 2)))
    with pytest.raises(ExecutionError, match=r"has shape \(2, 3\), not tensor<3x2xf32>"):
        execute(b.binary(), {"x": np.zeros((2, 3), np.float32)})


def test_which_function(b, rng):
    x, *_ = mlp(b, rng)
    one = b.binary()
    two = replace(one, functions=(*one.functions, replace(one.functions[0], name="backward")))
    assert execute(two, {"x": x}, function="backward")["out"].shape == (8, 32)
    with pytest.raises(InputError, match="does not name the function") as e:
        execute(two, {"x": x})
    assert "forward, backward" in str(e.value)
    with pytest.raises(InputError, match="has no function 'main'"):
        execute(two, {"x": x}, function="main")


def test_unknown_numerics(b, rng):
    x, *_ = mlp(b, rng)
    with pytest.raises(InputError, match="numerics is 'best'"):
        execute(b.binary(), {"x": x}, numerics=cast(Any, "best"))


def test_a_view_takes_no_host_memory():
    exp, view = ('"ttir.exp"(%{}) : ({}) -> {}', '"ttir.reshape"(%{}) {{shape = [{}]}} : ({}) -> {}')
    t, u = "tensor<64x64xf32>", "tensor<2x32x64xf32>"
    plain = f"func.func @f(%x: {t}) -> {t} {{\n%y = {exp.format('x', t, t)}\n%z = {exp.format('y', t, t)}\nreturn %z : {t}\n}}"
    shape = "2 : i32, 32 : i32, 64 : i32"
    viewed = (
        f"func.func @f(%x: {t}) -> {u} {{\n%y = {exp.format('x', t, t)}\n%v = {view.format('y', shape, t, u)}\n"
        f"%z = {exp.format('v', u, u)}\nreturn %z : {u}\n}}"
    )
    sizes = [host_memory.run_bytes(ttstack.compile(text).function(), Ieee(), {}) for text in (plain, viewed)]
    assert sizes[0] == sizes[1] > 0
