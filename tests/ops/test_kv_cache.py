"""Caches: every write against a loop over rows, what readers see when, and what is ill-formed."""

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

import ttstack
from tests.ops.text import assert_refused
from ttstack.compiled_run import Run
from ttstack.diagnostics import ExecutionError
from ttstack.ops.types import DType
from ttstack_runtime.executor import Numerics
from ttstack_runtime.inputs import random_inputs
from ttstack_runtime.numerics import quantize

USERS, HEADS, LENGTH, DEPTH, BLOCK = 3, 2, 8, 4, 4


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def write(mnemonic: str, properties: str, operands: Sequence[str]) -> str:
    """A function that writes to its first argument and returns nothing."""
    types = [f"tensor<{t}>" for t in operands]
    arguments = ", ".join(f"%arg{i}: {t}" for i, t in enumerate(types))
    names = ", ".join(f"%arg{i}" for i in range(len(types)))
    return (
        f"func.func @f({arguments}) {{\n"
        f'         "ttir.{mnemonic}"({names}) <{{{properties}}}> : ({", ".join(types)}) -> ()\n  return\n}}\n'
    )


def updated(text: str, *arrays: np.ndarray) -> np.ndarray:
    """What is in the first argument afterwards; the array that was given is as it was."""
    program, before = ttstack.compile(text), arrays[0].copy()
    done = program.run({f"arg{i}": a for i, a in enumerate(arrays)})
    assert program.cost().kernel_ns > 0
    assert set(done.updated) == {"arg0"}
    np.testing.assert_array_equal(arrays[0], before)
    return done.updated["arg0"]


def test_update_cache_of_all_users_at_one_position(rng):
    text = write("update_cache", "batch_offset = 0 : i32", ["3x2x8x4xf32", "3x2x2x4xf32", "1xui32"])
    cache, rows = rng.random((3, 2, 8, 4), np.float32), rng.random((3, 2, 2, 4), np.float32)
    wanted = cache.copy()
    for user in range(3):
        for row in range(2):
            wanted[user, :, 5 + row] = rows[user, :, row]
    np.testing.assert_array_equal(updated(text, cache, rows, np.array([5], np.uint32)), wanted)


def test_update_cache_with_users_on_the_third_dimension(rng):
    text = write("update_cache", "batch_offset = 0 : i32", ["3x2x8x4xf32", "1x2x3x4xf32", "3xi64"])
    cache, rows, at = rng.random((3, 2, 8, 4), np.float32), rng.random((1, 2, 3, 4), np.float32), [7, 0, 3]
    wanted = cache.copy()
    for user in range(3):
        wanted[user, :, at[user]] = rows[0, :, user]
    np.testing.assert_array_equal(updated(text, cache, rows, np.array(at)), wanted)


def test_fill_cache_from_an_offset_on(rng):
    text = write("fill_cache", "batch_offset = 1 : i32", ["3x2x8x4xf32", "2x2x5x4xf32"])
    cache, rows = rng.random((3, 2, 8, 4), np.float32), rng.random((2, 2, 5, 4), np.float32)
    wanted = cache.copy()
    for user in range(2):
        for row in range(5):
            wanted[1 + user, :, row] = rows[user, :, row]
    np.testing.assert_array_equal(updated(text, cache, rows), wanted)


def test_paged_update_cache(rng):
    text = write("paged_update_cache", "share_cache = false", ["6x2x4x4xf32", "1x3x8x4xf32", "3xi32", "3x2xi32"])
    cache, rows = rng.random((6, 2, 4, 4), np.float32), rng.random((1, 3, 8, 4), np.float32)
    table, at = rng.permutation(6).reshape(3, 2).astype(np.int32), [6, -1, 1]
    wanted = cache.copy()
    for user in (0, 2):
        wanted[table[user, at[user] // 4], :, at[user] % 4] = rows[0, user, :2]
    np.testing.assert_array_equal(updated(text, cache, rows, np.array(at, np.int32), table), wanted)


@pytest.mark.parametrize("share", ["true", "false"])
def test_paged_update_cache_without_pages(share: str, rng):
    room = 1 if share == "true" else 3
    text = write("paged_update_cache", f"share_cache = {share}", [f"{room}x2x8x4xf32", "1x3x2x4xf32", "3xi32"])
    cache, rows, at = rng.random((room, 2, 8, 4), np.float32), rng.random((1, 3, 2, 4), np.float32), [0, 5, 2]
    wanted = cache.copy()
    for user in range(3):
        wanted[user % room, :, at[user]] = rows[0, user]
    np.testing.assert_array_equal(updated(text, cache, rows, np.array(at, np.int32)), wanted)


def test_paged_fill_cache_of_several_users(rng):
    text = write("paged_fill_cache", "", ["6x2x4x4xf32", "2x2x6x4xf32", "3x2xi32", "2xi64"])
    cache, rows = rng.random((6, 2, 4, 4), np.float32), rng.random((2, 2, 6, 4), np.float32)
    table, users = rng.permutation(6).reshape(3, 2).astype(np.int32), [2, 0]
    wanted = cache.copy()
    for given, user in enumerate(users):
        for row in range(6):
            wanted[table[user, row // 4], :, row % 4] = rows[given, :, row]
    np.testing.assert_array_equal(updated(text, cache, rows, table, np.array(users)), wanted)


def test_a_position_past_the_end_is_told(rng):
    text = write("update_cache", "batch_offset = 0 : i32", ["3x2x8x4xf32", "3x2x1x4xf32", "1xi32"])
    with pytest.raises(ExecutionError, match="position 8 is outside of a cache that has 8"):
        updated(text, rng.random((3, 2, 8, 4), np.float32), rng.random((3, 2, 1, 4), np.float32), np.array([8], "i4"))


C, R, I = "tensor<2x2x64x32xbf16>", "tensor<2x2x1x32xbf16>", "tensor<1xi32>"
UPDATE = f'"ttir.update_cache"(%c, %r, %i) <{{batch_offset = 0 : i32}}> : ({C}, {R}, {I}) -> ()'
TOTAL = "tensor<1x1x1x1xbf16>"
SUM = f'"ttir.sum"(%c) <{{keep_dim = true, dim_arg = [0 : i32, 1 : i32, 2 : i32, 3 : i32]}}> : ({C}) -> {TOTAL}'


def ones(at: int = 3) -> dict[str, np.ndarray]:
    zeros = np.zeros((2, 2, 64, 32), ml_dtypes.bfloat16)
    return {"arg0": zeros, "arg1": np.ones((2, 2, 1, 32), ml_dtypes.bfloat16), "arg2": np.array([at], np.int32)}


def totals(done: Run) -> list[float]:
    return [float(v.astype(np.float64).sum()) for v in done.outputs.values()]


@pytest.mark.parametrize("placement", ["greedy", "dram"])
@pytest.mark.parametrize("numerics", ["ieee", "device"])
def test_equal_reads_before_and_after_an_update_differ(placement: str, numerics: Numerics):
    text = f"""func.func @f(%c: {C}, %r: {R}, %i: {I}) -> ({TOTAL}, {TOTAL}, {TOTAL}) {{
      %0 = {SUM}
      {UPDATE}
      %1 = {SUM}
      %2 = {SUM}
      return %0, %1, %2 : {TOTAL}, {TOTAL}, {TOTAL}
    }}"""
    program = ttstack.compile(text, placement=placement)
    assert [op.name for op in program.function().operations].count("sum") == 2
    done = program.run(ones(), numerics=numerics)
    assert totals(done) == [0, 128, 128]
    assert set(done.updated) == {"arg0"}


def test_the_result_that_older_text_gives_an_update_is_the_cache():
    update = f'"ttir.update_cache"(%c, %r, %i) <{{batch_offset = 0 : i32}}> : ({C}, {R}, {I}) -> {C}'
    text = f"""func.func @f(%c: {C}, %r: {R}, %i: {I}) -> {C} {{
      %0 = {update}
      return %0 : {C}
    }}"""
    program = ttstack.compile(text)
    function = program.function()
    (output,) = function.outputs
    assert function.tensors[function.owners[output.tensor]].name == "arg0"
    assert "clone" not in [op.name for op in function.operations]
    done = program.run(ones())
    assert totals(done) == [128]
    np.testing.assert_array_equal(done.outputs["output"], done.updated["arg0"])


def test_an_update_goes_through_a_view_and_another_keeps_the_old_values():
    flat, row = "tensor<4x64x32xbf16>", "tensor<4x1x32xbf16>"
    text = f"""func.func @f(%f: {flat}, %r: {R}, %i: {I}) -> ({flat}, tensor<1x4x64x32xbf16>) {{
      %v = "ttir.unsqueeze"(%f) <{{dim = 0 : si32}}> : ({flat}) -> tensor<1x4x64x32xbf16>
      %c = "ttir.reshape"(%f) <{{shape = [2 : i32, 2 : i32, 64 : i32, 32 : i32]}}> : ({flat}) -> {C}
      {UPDATE}
      return %f, %v : {flat}, tensor<1x4x64x32xbf16>
    }}"""
    assert row
    program = ttstack.compile(text)
    given = ones()
    given["arg0"] = given["arg0"].reshape(4, 64, 32)
    done = program.run(given)
    assert totals(done) == [128, 0]
    assert done.updated["arg0"].shape == (4, 64, 32)


def test_what_was_read_before_an_update_stays():
    """NumPy's transposes are views; the device's are not."""
    turned = "tensor<2x64x2x32xbf16>"
    text = f"""func.func @f(%c: {C}, %r: {R}, %i: {I}) -> {turned} {{
      %t = "ttir.permute"(%c) <{{permutation = array<i64: 0, 2, 1, 3>}}> : ({C}) -> {turned}
      {UPDATE}
      return %t : {turned}
    }}"""
    assert totals(ttstack.compile(text).run(ones())) == [0]


def test_two_equal_caches_that_the_program_makes_are_two():
    zeros = f'"ttir.zeros"() <{{shape = array<i32: 2, 2, 64, 32>}}> : () -> {C}'
    text = f"""func.func @f(%r: {R}, %i: {I}) -> ({C}, {C}) {{
      %c = {zeros}
      %d = {zeros}
      {UPDATE}
      return %c, %d : {C}, {C}
    }}"""
    given = ones()
    program = ttstack.compile(text)
    done = program.run({"arg0": given["arg1"], "arg1": given["arg2"]})
    assert totals(done) == [128, 0]
    assert not done.updated


def test_a_product_is_not_fused_past_an_update():
    """The bias is added after the update, to what the cache was before it."""
    matrix, bias = "tensor<2x2x64x8xf32>", "tensor<1x8xf32>"
    cache, rows = "tensor<2x2x64x32xf32>", "tensor<2x2x1x32xf32>"
    text = f"""func.func @f(%c: {cache}, %r: {rows}, %i: {I}, %w: tensor<32x8xf32>, %b: {bias}) -> {matrix} {{
      %p = "ttir.matmul"(%c, %w) : ({cache}, tensor<32x8xf32>) -> {matrix}
      "ttir.update_cache"(%c, %r, %i) <{{batch_offset = 0 : i32}}> : ({cache}, {rows}, {I}) -> ()
      %s = "ttir.add"(%p, %b) : ({matrix}, {bias}) -> {matrix}
      return %s : {matrix}
    }}"""
    inputs = {
        "arg0": np.zeros((2, 2, 64, 32), np.float32),
        "arg1": np.ones((2, 2, 1, 32), np.float32),
        "arg2": np.array([0], np.int32),
        "arg3": np.ones((32, 8), np.float32),
        "arg4": np.full((1, 8), 2, np.float32),
    }
    np.testing.assert_array_equal(ttstack.compile(text).run(inputs).outputs["output"], np.full((2, 2, 64, 8), 2))


def test_a_parameter_is_copied_before_it_changes():
    text = f"""func.func @f(%c: {C} {{ttir.name = "cache", ttcore.argument_type = #ttcore.argument_type<parameter>}},
        %r: {R}, %i: {I}) {{
      {UPDATE}
      return
    }}"""
    program = ttstack.compile(text)
    given = ones()
    first, again = (program.run({"arg1": given["arg1"], "arg2": given["arg2"]}, seed=1) for _ in range(2))
    np.testing.assert_array_equal(first.updated["cache"], again.updated["cache"])
    assert (first.updated["cache"][:, :, 3] == 1).all()


def test_the_device_rounds_what_is_written_to_the_format_of_the_cache():
    cache, rows = "tensor<1x1x32x32xf32>", "tensor<1x1x1x32xf32>"
    text = f"""func.func @f(%c: {cache}, %r: {rows}, %i: {I}) {{
      "ttir.update_cache"(%c, %r, %i) <{{batch_offset = 0 : i32}}> : ({cache}, {rows}, {I}) -> ()
      return
    }}"""
    values = np.random.default_rng(1).random((1, 1, 1, 32), np.float32)
    inputs = {"arg0": np.zeros((1, 1, 32, 32), np.float32), "arg1": values, "arg2": np.array([0], np.int32)}
    done = ttstack.compile(text, dtype="bfp8_b").run(inputs, numerics="device")
    np.testing.assert_array_equal(done.updated["arg0"][0, 0, 0], quantize(values[0, 0], DType.BFP8_B)[0])
    assert (done.updated["arg0"][0, 0, 0] != values[0, 0, 0]).any()


def test_rows_are_rounded_to_the_element_type_of_the_cache():
    text = write("fill_cache", "batch_offset = 0 : i32", ["1x1x32x32xbf16", "1x1x1x32xf32"])
    rows = np.full((1, 1, 1, 32), 1.001, np.float32)
    got = updated(text, np.zeros((1, 1, 32, 32), ml_dtypes.bfloat16), rows)
    assert (got[0, 0, 0] == np.float32(1.001).astype(ml_dtypes.bfloat16)).all()


def test_saved_programs_update_too(tmp_path):
    text = f"func.func @f(%c: {C}, %r: {R}, %i: {I}) {{\n{UPDATE}\nreturn\n}}"
    program = ttstack.compile(text)
    program.save(tmp_path / "f.ttb")
    done = ttstack.load(tmp_path / "f.ttb").run(ones(5))
    assert (done.updated["arg0"][:, :, 5] == 1).all()


def test_a_loop_of_steps_passes_the_cache_on():
    text = f"func.func @f(%c: {C}, %r: {R}, %i: {I}) {{\n{UPDATE}\nreturn\n}}"
    program, given = ttstack.compile(text), ones()
    for step in range(4):
        given |= {"arg0": program.run(given).updated["arg0"] if step else given["arg0"], "arg2": np.array([step], "i4")}
    assert given["arg0"].astype(np.float64).sum() == 3 * 128


ROWS = "batch_offset = 0 : i32"
REFUSED = [
    ("update_cache", ROWS, ["2x8x4xf32", "3x2x1x4xf32", "1xi32"], "cache has rank 3, not 4"),
    ("update_cache", ROWS, ["3x2x8x4xf32", "3x2x1x5xf32", "1xi32"], "head width of cache is 4, of input 5"),
    ("update_cache", ROWS, ["3x2x8x4xf32", "3x1x1x4xf32", "1xi32"], "cache has 2 heads, input 1"),
    ("update_cache", ROWS, ["3x2x8x4xi32", "3x2x1x4xf32", "1xi32"], "input holds f32, cache i32"),
    ("update_cache", ROWS, ["3x2x8x4xf32", "3x2x1x4xf32", "1xf32"], "update_index is f32, not an integer"),
    ("update_cache", ROWS, ["3x2x8x4xf32", "3x2x1x4xf32", "2xi32"], "update_index has 2 entries for 3 users"),
    ("update_cache", "", ["3x2x8x4xf32", "3x2x1x4xf32", "1xi32"], "requires attribute 'batch_offset'"),
    (
        *("update_cache", "batch_offset = 1 : i32", ["3x2x8x4xf32", "3x2x1x4xf32", "1xi32"]),
        "3 users from batch_offset 1 on do not fit a cache of 3 users",
    ),
    ("fill_cache", ROWS, ["3x2x8x4xf32", "1x2x9x4xf32"], "input has 9 rows, the cache has room for 8"),
    ("fill_cache", "batch_offset = -1 : i32", ["3x2x8x4xf32", "1x2x8x4xf32"], "1 users from batch_offset -1 on"),
    ("paged_update_cache", "", ["6x2x4x4xf32", "2x3x2x4xf32", "3xi32"], "has a first dimension of 2, not 1"),
    ("paged_update_cache", "", ["6x2x4x4xf32", "1x3x1x4xf32", "3xi32"], "input has 1 heads, cache 2"),
    ("paged_update_cache", "", ["6x2x4x4xf32", "1x3x2x4xf32", "2xi32"], "update_index has shape [2], expected [3]"),
    ("paged_update_cache", "", ["6x2x4x4xf32", "1x3x2x4xf32", "3xi32", "3xi32"], "page_table has rank 1, not 2"),
    ("paged_update_cache", "", ["6x2x4x4xf32", "1x3x2x4xf32", "3xi32", "2x2xi32"], "page_table has 2 rows for 3 users"),
    ("paged_update_cache", "", ["6x2x4x4xf32", "1x3x2x4xf32", "3xi32", "3x2xf32"], "page_table is f32, not an integer"),
    ("paged_update_cache", "", ["2x2x4x4xf32", "1x3x2x4xf32", "3xi32"], "3 users do not fit a cache of 2"),
    (
        *("paged_update_cache", "share_cache = true", ["2x2x4x4xf32", "1x3x2x4xf32", "3xi32"]),
        "3 users do not fit a cache of 2 that they share",
    ),
    (
        "paged_fill_cache",
        "",
        ["6x2x4x4xf32", "1x3x4x4xf32", "3x2xi32"],
        "3 heads of input are not a multiple of the cache's 2",
    ),
    ("paged_fill_cache", "", ["6x2x4x4xf32", "1x2x9x4xf32", "3x2xi32"], "input has 9 rows, the pages of a user hold 8"),
    ("paged_fill_cache", "", ["6x2x4x4xf32", "2x2x4x4xf32", "3x2xi32"], "input has 2 users, without batch_idx_tensor"),
    (
        *("paged_fill_cache", "", ["6x2x4x4xf32", "2x2x4x4xf32", "3x2xi32", "3xi32"]),
        "batch_idx_tensor has shape [3], expected [2]",
    ),
    (
        *("paged_fill_cache", "", ["6x2x4x4xf32", "1x2x4x4xf32", "3x2xi32", "1xbf16"]),
        "batch_idx_tensor is bf16, not an integer",
    ),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "says"), REFUSED)
def test_what_is_ill_formed(mnemonic: str, properties: str, operands: list[str], says: str):
    assert_refused(write(mnemonic, properties, operands), says)


def test_a_result_is_the_cache_or_nothing():
    text = write("fill_cache", ROWS, ["3x2x8x4xf32", "1x2x8x4xf32"]).replace("-> ()", "-> tensor<3x2x8x4xbf16>")
    assert_refused(text.replace('         "ttir', '  %0 = "ttir'), "result is tensor<3x2x8x4xbf16>, inferred")


@pytest.mark.parametrize("product", ['"ttir.matmul"(%c, %w)', '"ttir.dot_general"(%c, %w)'])
def test_a_product_that_reads_before_a_write_is_not_fused_past_it(product: str) -> None:
    dims = "batch_dims_lhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, "
    dims += "batch_dims_rhs = array<i64: 0, 1>, contract_dims_rhs = array<i64: 2>"
    attributes = f" <{{{dims}}}>" if "dot_general" in product else ""
    t = "tensor<1x1x32x32xf32>"
    text = f"""
func.func @forward(%c: {t}, %n: {t}, %w: {t}, %b: tensor<32xf32>) -> {t} {{
  %m = {product}{attributes} : ({t}, {t}) -> {t}
  "ttir.fill_cache"(%c, %n) <{{batch_offset = 0 : i32}}> : ({t}, {t}) -> ()
  %r = "ttir.add"(%m, %b) : ({t}, tensor<32xf32>) -> {t}
  return %r : {t}
}}"""
    program = ttstack.compile(text)
    inputs = random_inputs(program.function(), 0)
    got = program.run(inputs).outputs["output"]
    np.testing.assert_allclose(got, inputs["arg0"] @ inputs["arg2"] + inputs["arg3"], rtol=1e-4, atol=1e-4)
