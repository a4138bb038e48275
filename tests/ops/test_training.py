"""Training ops, and norms with batch or group statistics: against torch, what is ill-formed, text as tt-mlir writes it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

from tests.ops.case import Case
from tests.ops.strategies import cases
from tests.ops.text import assert_refused, module, run
from ttstack.ops.types import DType
from ttstack_runtime.evaluate import evaluate

torch = pytest.importorskip("torch")
F = torch.nn.functional


def _f64(case: Case) -> Case:
    operands = tuple(t.with_dtype(DType.F64) if t is not None and t.dtype.is_float else t for t in case.operands)
    return Case(case.mnemonic, operands, case.attributes, None, case.bounds)


def _tensors(case: Case) -> list[Any]:
    return [None if a is None else torch.from_numpy(a) for a in case.arrays()]


@settings(max_examples=40)
@given(case=cases("group_norm"))
def test_group_norm_is_that_of_torch(case: Case):
    case = _f64(case)
    x, _, weight, bias = _tensors(case)
    at = case.attributes.get("channel_dim", 3)
    assume(x.numel() > x.shape[0] * case.attributes["num_groups"])
    want = F.group_norm(x.movedim(at, 1), case.attributes["num_groups"], weight, bias, case.attributes["epsilon"])
    (got,) = evaluate(case.op, case.arrays())
    np.testing.assert_allclose(got, want.movedim(1, at), rtol=1e-9, atol=1e-12)


@settings(max_examples=40)
@given(case=cases("batch_norm_training"))
def test_batch_norm_is_that_of_torch_with_biased_variance(case: Case):
    case = _f64(case)
    x, *parameters = _tensors(case)
    scale, offset, mean, variance = (p.reshape(-1) for p in parameters)
    at, momentum = case.attributes["dimension"], case.attributes["momentum"]
    channels = x.movedim(at, 1)
    others = [d for d in range(x.ndim) if d != 1]
    spread = channels.var(others, unbiased=False)
    if channels.numel() > channels.shape[1]:
        want = F.batch_norm(channels, None, None, scale, offset, training=True, eps=case.attributes["epsilon"])
        np.testing.assert_allclose(evaluate(case.op, case.arrays())[0], want.movedim(1, at), rtol=1e-8, atol=1e-9)
    moved_mean, moved_variance = (a.reshape(-1) for a in evaluate(case.op, case.arrays())[1:])
    np.testing.assert_allclose(moved_mean, (1 - momentum) * mean + momentum * channels.mean(others), rtol=1e-9)
    np.testing.assert_allclose(moved_variance, (1 - momentum) * variance + momentum * spread, rtol=1e-9)


@settings(max_examples=30)
@given(case=cases("sdpa_bw"))
def test_gradients_of_attention_are_those_of_torch(case: Case):
    case = _f64(case)
    grad, _, query, key, value, _, mask = _tensors(case)
    kind = case.attributes["mask_type"]
    heads = [t.requires_grad_() for t in (query, key, value)]
    batch = [t.reshape(-1, *t.shape[-3:]) for t in heads]
    out = F.scaled_dot_product_attention(*batch, mask, is_causal=kind == "causal", enable_gqa=True).reshape(grad.shape)
    out.backward(grad)
    arrays = [t.detach().numpy() for t in heads]
    types = dict(zip(("query", "key", "value"), case.operands[2:5], strict=True))
    forward = Case("sdpa_fw", (*types.values(), case.operands[6]), {"mask_type": kind, "return_intermediates": True})
    extra = None if mask is None else mask.numpy()
    attended, sums = evaluate(forward.op, [*arrays, extra])
    np.testing.assert_allclose(attended, out.detach(), rtol=1e-9, atol=1e-12)
    given_ = [grad.numpy(), attended, *arrays, sums.astype(np.float64), extra]
    for got, leaf in zip(evaluate(case.op, given_), heads, strict=True):
        np.testing.assert_allclose(got, leaf.grad, rtol=1e-4, atol=1e-5)


@settings(max_examples=30)
@given(case=cases("adamw"))
def test_a_step_is_that_of_torch(case: Case):
    """torch counts its own steps: the second one, from moments that it is given."""
    case = _f64(case)
    attributes = {**case.attributes, "beta1_pow": 0.75**2, "beta2_pow": 0.5**2, "stochastic_rounding": False}
    case = Case("adamw", case.operands, attributes)
    param, grad, first, second, largest = _tensors(case)
    leaf = torch.nn.Parameter(param.clone())
    betas = attributes["beta1"], attributes["beta2"]
    names = {"lr": "lr", "eps": "epsilon", "weight_decay": "weight_decay"}
    numbers = {theirs: attributes[ours] for theirs, ours in names.items()}
    optimizer = torch.optim.AdamW([leaf], betas=betas, amsgrad=largest is not None, **numbers)
    state = {"step": torch.tensor(1.0), "exp_avg": first.clone(), "exp_avg_sq": second.clone()}
    if largest is not None:
        state["max_exp_avg_sq"] = largest.clone()
    optimizer.state[leaf] = state
    leaf.grad = grad
    optimizer.step()
    want = [leaf.detach(), *(state[name] for name in list(state)[1:])]
    for got, expected in zip(evaluate(case.op, case.arrays()), want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=30)
@given(case=cases("embedding_backward"))
def test_the_gradient_of_a_lookup_is_that_of_torch(case: Case):
    case = _f64(case)
    index, weight, gradient = case.arrays()
    assert weight is not None
    assert index is not None
    leaf = torch.from_numpy(weight.reshape(weight.shape[-2:]).copy()).requires_grad_()
    F.embedding(torch.from_numpy(index.astype(np.int64)), leaf).backward(torch.from_numpy(gradient))
    (got,) = evaluate(case.op, case.arrays())
    np.testing.assert_allclose(got.reshape(leaf.shape), leaf.grad, rtol=1e-9, atol=1e-12)


STEP = (
    "lr = 0.1 : f32, beta1 = 0.9 : f32, beta2 = 0.99 : f32, beta1_pow = 0.9 : f32, beta2_pow = 0.99 : f32, "
    "epsilon = 1.0e-8 : f32, weight_decay = 0.01 : f32"
)
T, Q = "4x8xf32", "1x2x4x8xf32"
CAUSAL, ADDED = "mask_type = #ttcore.attention_mask_type<causal>", "mask_type = #ttcore.attention_mask_type<arbitrary>"
BATCH = "epsilon = 0.1 : f32, dimension = 1 : i32, momentum = 0.1 : f32"
SUMS = "1x2x4x32xf32"
ILL_FORMED = [
    ("adamw", STEP, [T, "4x7xf32", T, T], "grad has shape [4, 7], expected [4, 8]"),
    ("adamw", STEP, [T, T, "8xf32", T], "exp_avg has shape [8], expected [4, 8]"),
    ("adamw", STEP, [T, T, T, "8x4xf32"], "exp_avg_sq has shape [8, 4], expected [4, 8]"),
    ("adamw", STEP, [T, T, T, T, "4xf32"], "max_exp_avg_sq has shape [4], expected [4, 8]"),
    ("adamw", STEP.replace("beta1 = 0.9", "beta1 = 1.5"), [T, T, T, T], "beta1 is 1.5, must be in [0, 1)"),
    ("adamw", STEP, [T, T, T, T, T], "has 1 results, infers 4"),
    (
        "sdpa_fw",
        CAUSAL,
        [Q, Q, "1x2x5x8xf32"],
        "key [1, 2, 4, 8] and value [1, 2, 5, 8] differ in batch, heads or length",
    ),
    ("sdpa_fw", CAUSAL, [Q, "1x3x4x8xf32", "1x3x4x8xf32"], "2 query heads are not a multiple of 3 key heads"),
    ("sdpa_fw", CAUSAL, [Q, Q, Q, "1x1x4x4xf32"], "mask_type 'causal' takes no attention_mask"),
    ("sdpa_fw", ADDED, [Q, Q, Q], "mask_type 'arbitrary' needs an attention_mask"),
    ("sdpa_fw", ADDED, [Q, Q, Q, "1x1x4x5xf32"], "do not broadcast"),
    ("sdpa_fw", CAUSAL.replace("causal", "banded"), [Q, Q, Q], "mask_type is 'banded', not none, causal or arbitrary"),
    (
        "sdpa_fw",
        f"{CAUSAL}, dropout_probability = 1.0 : f32",
        [Q, Q, Q],
        "dropout_probability is 1.0, must be in [0, 1)",
    ),
    ("sdpa_fw", f"{CAUSAL}, return_intermediates = true", [Q, Q, Q], "has 1 results, infers 2"),
    ("sdpa_bw", CAUSAL, ["1x2x4x7xf32", Q, Q, Q, Q, SUMS], "grad_output has shape [1, 2, 4, 7], expected [1, 2, 4, 8]"),
    ("sdpa_bw", CAUSAL, [Q, "1x2x5x8xf32", Q, Q, Q, SUMS], "attn_output has shape [1, 2, 5, 8], expected [1, 2, 4, 8]"),
    ("sdpa_bw", CAUSAL, [Q] * 6, "intermediates has shape [1, 2, 4, 8], expected [1, 2, 4, 32]"),
    ("embedding_backward", "", ["6xi32", "8xf32", "6x8xf32"], "weight [8] is not a matrix of rows"),
    ("embedding_backward", "", ["6xi32", T, "5x8xf32"], "in_gradient [5, 8] does not hold 6 rows of 8"),
    ("embedding_backward", "", ["6xi32", T, "8x6xf32"], "in_gradient [8, 6] does not hold 6 rows of 8"),
    ("group_norm", "num_groups = 2 : i64", ["4x8xf32"], "rank of input is 2, needs at least 4"),
    ("group_norm", "num_groups = 3 : i64", [Q], "num_groups 3 does not divide the 8 channels of the input"),
    ("group_norm", "num_groups = 0 : i64", [Q], "num_groups 0 does not divide the 8 channels of the input"),
    ("group_norm", "num_groups = 1 : i64, channel_dim = 0 : i64", [Q], "channel_dim 0 is the batch"),
    ("group_norm", "num_groups = 1 : i64, channel_dim = 4 : i64", [Q], "channel_dim 4 is out of range for rank 4"),
    (
        "group_norm",
        "num_groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 0>",
        [Q, "4xf32"],
        "weight has shape [4], expected [8]",
    ),
    (
        "group_norm",
        "num_groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 1>",
        [Q, "4xf32"],
        "bias has shape [4], expected [8]",
    ),
    ("batch_norm_training", BATCH, ["8xf32"] * 5, "rank of operand is 1, not 2 to 5"),
    ("batch_norm_training", BATCH, [T, *["8xf32"] * 3, "4xf32"], "running_variance has shape [4], expected [8]"),
    ("batch_norm_training", BATCH.replace("= 1", "= 2"), [T, *["8xf32"] * 4], "dimension 2 is out of range for rank 2"),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "says"), ILL_FORMED)
def test_ill_formed_ops_are_refused(mnemonic: str, properties: str, operands: list[str], says: str):
    count = {"adamw": 3, "sdpa_bw": 3, "batch_norm_training": 3}.get(mnemonic, 1)
    count = 1 if "has 1 results" in says else count
    assert_refused(module(mnemonic, properties, operands, ["4x8xf32"] * count), says)


def _arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(9)
    return [rng.uniform(0.1, 1, s).astype(np.float32) for s in shapes]


@pytest.mark.parametrize("amsgrad", [False, True])
def test_adamw_runs(amsgrad: bool):
    count = 5 if amsgrad else 4
    results = run(module("adamw", STEP, [T] * count, [T] * (count - 1)), *_arrays(*[(4, 8)] * count))
    param, grad, first, second, *largest = _arrays(*[(4, 8)] * count)
    moment = np.float32(0.9) * first + np.float32(0.1) * grad
    square = np.float32(0.99) * second + np.float32(0.01) * grad**2
    top = np.maximum(square, largest[0]) if amsgrad else square
    step = 0.1 / (1 - 0.9) * moment / (np.sqrt(top / (1 - 0.99)) + 1e-8)
    np.testing.assert_allclose(results[0], param * (1 - 0.1 * 0.01) - step, rtol=1e-4)
    np.testing.assert_allclose(results[1], moment, rtol=1e-5)
    np.testing.assert_allclose(results[2], square, rtol=1e-5)
    assert len(results) == count - 1


def test_attention_and_its_gradient_run_as_one_function():
    text = f"""
func.func @f(%arg0: tensor<{Q}>, %arg1: tensor<{Q}>, %arg2: tensor<{Q}>, %arg3: tensor<{Q}>)
    -> (tensor<{Q}>, tensor<{Q}>, tensor<{Q}>) {{
  %o, %i = "ttir.sdpa_fw"(%arg0, %arg1, %arg2) <{{
      mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.000000e+00 : f32,
      return_intermediates = true}}> : (tensor<{Q}>, tensor<{Q}>, tensor<{Q}>) -> (tensor<{Q}>, tensor<{SUMS}>)
  %0, %1, %2 = "ttir.sdpa_bw"(%arg3, %o, %arg0, %arg1, %arg2, %i) <{{
      mask_type = #ttcore.attention_mask_type<causal>}}>
      : (tensor<{Q}>, tensor<{Q}>, tensor<{Q}>, tensor<{Q}>, tensor<{Q}>, tensor<{SUMS}>)
      -> (tensor<{Q}>, tensor<{Q}>, tensor<{Q}>)
  return %0, %1, %2 : tensor<{Q}>, tensor<{Q}>, tensor<{Q}>
}}
"""
    arrays = _arrays(*[(1, 2, 4, 8)] * 4)
    leaves = [torch.from_numpy(a).requires_grad_() for a in arrays[:3]]
    F.scaled_dot_product_attention(*leaves, is_causal=True).backward(torch.from_numpy(arrays[3]))
    for got, leaf in zip(run(text, *arrays), leaves, strict=True):
        np.testing.assert_allclose(got, leaf.grad, rtol=1e-3, atol=1e-5)


def test_attention_without_statistics_runs():
    text = module("sdpa_fw", ADDED, [Q, Q, Q, "1x1x4x4xf32"], [Q])
    *heads, mask = _arrays(*[(1, 2, 4, 8)] * 3, (1, 1, 4, 4))
    want = F.scaled_dot_product_attention(*map(torch.from_numpy, heads), torch.from_numpy(mask))
    np.testing.assert_allclose(run(text, *heads, mask)[0], want, rtol=1e-4, atol=1e-6)


def test_embedding_backward_runs():
    text = module("embedding_backward", "", ["1x6x1xsi32", "4x8xf32", "6x8xf32"], ["4x8xf32"])
    (gradient,) = _arrays((6, 8))
    index = np.array([0, 2, 2, 3, 0, 2], np.int32).reshape(1, 6, 1)
    want = np.zeros((4, 8), np.float32)
    np.add.at(want, index.reshape(-1), gradient)
    np.testing.assert_allclose(run(text, index, np.zeros((4, 8), np.float32), gradient)[0], want, rtol=1e-5)


def test_norms_run():
    (x, weight, bias) = _arrays((1, 1, 64, 8), (8,), (8,))
    properties = "num_groups = 2 : i64, epsilon = 1.0e-5 : f32, operandSegmentSizes = array<i32: 1, 0, 1, 1>"
    (got,) = run(
        module("group_norm", properties, ["1x1x64x8xf32", "8xf32", "8xf32"], ["1x1x64x8xf32"]), x, weight, bias
    )
    want = F.group_norm(torch.from_numpy(x).movedim(3, 1), 2, torch.from_numpy(weight), torch.from_numpy(bias))
    np.testing.assert_allclose(got, want.movedim(1, 3), rtol=1e-3, atol=1e-4)
    operands = ["2x8x3x4xf32", *["8xf32"] * 4]
    x, *rest = _arrays((2, 8, 3, 4), *[(8,)] * 4)
    results = run(module("batch_norm_training", BATCH, operands, ["2x8x3x4xf32", "8xf32", "8xf32"]), x, *rest)
    want = F.batch_norm(torch.from_numpy(x), None, None, *map(torch.from_numpy, rest[:2]), training=True, eps=0.1)
    np.testing.assert_allclose(results[0], want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(results[1], 0.9 * rest[2] + 0.1 * x.mean((0, 2, 3)), rtol=1e-5)
    np.testing.assert_allclose(results[2], 0.9 * rest[3] + 0.1 * x.var((0, 2, 3)), rtol=1e-5)
