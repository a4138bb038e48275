"""Composites that stay whole: values against PyTorch; and what stays a composite is what it is made of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import ttstack
from tests.frontends.call_text import call, composite, converted, results_of
from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.context import new_context
from ttstack.frontends.conversion import ConversionRule
from ttstack.frontends.stablehlo.composites import keep_whole
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.mlir import ir, register_stablehlo_dialects

Array = np.ndarray[Any, Any]
Spell = Callable[[str, Sequence[Array], Sequence[Array], Mapping[str, Any]], str]
RNG = np.random.default_rng(12)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def as_call(name: str, inputs: Sequence[Array], results: Sequence[Array], options: Mapping[str, Any]) -> str:
    return call(name, inputs, results, converted(options))


SPELLED: dict[str, Spell] = {"composite": composite, "call": as_call}
every_spelling = pytest.mark.parametrize("spell", SPELLED.values(), ids=SPELLED)


def check(text: str, inputs: Sequence[Array], *wanted: Array | torch.Tensor) -> None:
    for got, want in zip(results_of(text, inputs), map(np.asarray, wanted), strict=True):
        if want.dtype.kind == "f":
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)
        else:
            np.testing.assert_array_equal(got, want)


def tensors(*arrays: Array) -> list[torch.Tensor]:
    return list(map(torch.from_numpy, arrays))


@every_spelling
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(spell: Spell, approximate: str):
    x = normal(5, 7) * 3
    name, said = (
        ("tenstorrent.gelu_tanh", {"approximate": "tanh"}) if approximate == "tanh" else ("tenstorrent.gelu", {})
    )
    check(spell(name, [x], [x], said), [x], functional.gelu(torch.from_numpy(x), approximate=approximate))


@every_spelling
@pytest.mark.parametrize("affine", [0, 1, 2])
def test_layer_norm(spell: Spell, affine: int):
    x = normal(3, 5, 6)
    rest = [normal(5, 6), normal(5, 6)][:affine]
    said = {"normalized_shape": [5, 6], "epsilon": 0.01}
    wanted = functional.layer_norm(torch.from_numpy(x), (5, 6), *tensors(*rest), eps=0.01)
    check(spell("tenstorrent.layer_norm", [x, *rest], [x], said), [x, *rest], wanted)


@every_spelling
@pytest.mark.parametrize("affine", [0, 1])
def test_rms_norm(spell: Spell, affine: int):
    x = normal(3, 7)
    rest = [normal(7)][:affine]
    wanted = functional.rms_norm(torch.from_numpy(x), (7,), *tensors(*rest), eps=1e-5)
    check(spell("tenstorrent.rms_norm", [x, *rest], [x], {"normalized_shape": [7]}), [x, *rest], wanted)


@every_spelling
@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 5), (2, 6, 5, 3), (2, 6, 2, 3, 2)])
def test_group_norm(spell: Spell, shape: tuple[int, ...]):
    x, w, b = normal(*shape), normal(6), normal(6)
    said = {"num_groups": 3, "epsilon": 0.001, "channel_dim": 1}
    wanted = functional.group_norm(torch.from_numpy(x), 3, *tensors(w, b), eps=0.001)
    check(spell("tenstorrent.group_norm", [x, w, b], [x], said), [x, w, b], wanted)


@every_spelling
@pytest.mark.parametrize("largest", [True, False])
def test_top_k(spell: Spell, largest: bool):
    x = normal(3, 9, 4)
    values, indices = torch.topk(torch.from_numpy(x), 4, 1, largest=largest)
    said = {"k": 4, "dim": 1, "largest": largest, "sorted": True}
    v, i = values.numpy(), indices.numpy()
    check(spell("tenstorrent.topk", [x], [v, i], said), [x], v, i)
    check(spell("tenstorrent.topk_values", [x], [v], said), [x], v)
    check(spell("tenstorrent.topk_indices", [x], [i], said), [x], i)
    check(spell("tenstorrent.topk_indices", [x], [i.astype("i4")], said), [x], i.astype("i4"))


@pytest.mark.parametrize("largest", [True, False])
def test_approximate_top_k_is_exact(largest: bool):
    x, positions = normal(3, 9), np.arange(27, dtype="i4").reshape(3, 9) % 9
    given = [x, positions, np.zeros((), "f4"), np.zeros((), "i4")]
    values, indices = torch.topk(torch.from_numpy(x), 4, 1, largest=largest)
    v, i = values.numpy(), indices.numpy().astype("i4")
    said = f"called_computations = [@top_k_{'gt' if largest else 'lt'}_f32_comparator], "
    said += "mhlo.backend_config = {aggregate_to_topk = true, recall_target = 0.95 : f32, reduction_dim = 1 : i64, top_k = 4 : i64}"
    check(call("ApproxTopK", given, [v, i], said), given, v, i)


def test_large_positions():
    x = normal(3, 40)
    indices = torch.topk(torch.from_numpy(x), 16).indices.numpy().astype("u4")
    check(call("tt.topk_large_indices", [x], [indices], 'mhlo.frontend_attributes = {k = "16"}'), [x], indices)


@every_spelling
@pytest.mark.parametrize(("said", "keep"), [({}, False), ({"dim": 1, "keepdim": True}, True), ({"dim": -2}, False)])
def test_argmax(spell: Spell, said: Mapping[str, Any], keep: bool):
    x = normal(3, 5, 4)
    wanted = torch.argmax(torch.from_numpy(x), said.get("dim", -1), keepdim=keep).numpy()
    check(spell("tenstorrent.argmax", [x], [wanted], said), [x], wanted)


@every_spelling
@pytest.mark.parametrize("name", ["tenstorrent.gather", "tenstorrent.gather_dim"])
def test_gather(spell: Spell, name: str):
    x, index = normal(4, 6), RNG.integers(0, 6, (3, 5))
    check(
        spell(name, [x, index], [normal(3, 5)], {"dim": 1}),
        [x, index],
        torch.gather(torch.from_numpy(x), 1, torch.from_numpy(index)),
    )


@every_spelling
@pytest.mark.parametrize("is_causal", [True, False])
def test_attention(spell: Spell, is_causal: bool):
    q, k, v = normal(2, 6, 5, 8), normal(2, 2, 7, 8), normal(2, 2, 7, 8)
    mask = [] if is_causal else [normal(5, 7)]
    said = {"is_causal": is_causal, "scale": 0.25}
    inputs = [q, k, v, *mask]
    tq, tk, tv, *hidden = tensors(*inputs)
    wanted = functional.scaled_dot_product_attention(
        tq, tk, tv, hidden[0] if hidden else None, is_causal=is_causal, scale=0.25, enable_gqa=True
    )
    check(spell("tenstorrent.scaled_dot_product_attention", inputs, [q], said), inputs, wanted)


@every_spelling
def test_attention_without_heads(spell: Spell):
    q, k, v, mask = normal(3, 5, 8), normal(3, 7, 8), normal(3, 7, 8), normal(3, 5, 7)
    wanted = functional.scaled_dot_product_attention(*tensors(q, k, v), attn_mask=torch.from_numpy(mask))
    text = spell("tenstorrent.scaled_dot_product_attention", [q, k, v, mask], [q], {"is_causal": False})
    check(text, [q, k, v, mask], wanted)


@every_spelling
def test_attention_and_its_gradients(spell: Spell):
    q, k, v, g = (normal(2, 4, 6, 8) for _ in range(4))
    given = [t.requires_grad_() for t in tensors(q, k, v)]
    out = functional.scaled_dot_product_attention(given[0], given[1], given[2], is_causal=True)
    out.backward(torch.from_numpy(g))
    statistics = np.zeros((2, 4, 6, 32), np.float32)
    forward = spell("tenstorrent.sdpa_fw", [q, k, v], [q, statistics], {"mask_type": 1})
    value, intermediates = results_of(forward, [q, k, v])
    np.testing.assert_allclose(value, out.detach(), rtol=2e-5, atol=2e-6)
    inputs = [g, value, q, k, v, intermediates]
    gradients = [t.grad for t in given if t.grad is not None]
    check(spell("tenstorrent.sdpa_bw", inputs, [q, k, v], {"mask_type": 1}), inputs, *gradients)


ADAMW = """func.func @main(%p: tensor<3x5xf32>, %g: tensor<3x5xf32>, %m: tensor<3x5xf32>, %v: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %lr = stablehlo.constant dense<0.1> : tensor<1xf32>
  %b1 = stablehlo.constant dense<0.9> : tensor<1xf32>
  %b2 = stablehlo.constant dense<0.999> : tensor<1xf32>
  %r:3 = stablehlo.composite "tenstorrent.adamw" %p, %g, %m, %v, %lr, %b1, %b2 {composite_attributes = {beta1 = 0.9 : f32, beta2 = 0.999 : f32, epsilon = 1.0e-8 : f32, weight_decay = 0.01 : f32}, decomposition = @body} : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>)
  return %r#0, %r#1, %r#2 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}
func.func private @body(%p: tensor<3x5xf32>, %g: tensor<3x5xf32>, %m: tensor<3x5xf32>, %v: tensor<3x5xf32>, %l: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  return %p, %m, %v : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}"""


def test_a_step_of_adamw():
    p, g = normal(3, 5), normal(3, 5)
    parameter = torch.nn.Parameter(torch.from_numpy(p.copy()))
    optimizer = torch.optim.AdamW([parameter], lr=0.1, weight_decay=0.01)
    parameter.grad = torch.from_numpy(g)
    optimizer.step()
    state = optimizer.state[parameter]
    zeros = np.zeros_like(p)
    check(ADAMW, [p, g, zeros, zeros], parameter.detach(), state["exp_avg"], state["exp_avg_sq"])


def test_uniform_samples():
    text = """func.func @main() -> tensor<64x64xf32> {
      %x = stablehlo.constant dense<0.0> : tensor<64x64xf32>
      %low = stablehlo.constant dense<-2.0> : tensor<f32>
      %high = stablehlo.constant dense<3.0> : tensor<f32>
      %r = stablehlo.composite "tenstorrent.uniform" %x, %low, %high {composite_attributes = {shape = [64, 64]}, decomposition = @body} : (tensor<64x64xf32>, tensor<f32>, tensor<f32>) -> tensor<64x64xf32>
      return %r : tensor<64x64xf32>
    }
    func.func private @body(%x: tensor<64x64xf32>, %l: tensor<f32>, %h: tensor<f32>) -> tensor<64x64xf32> {
      return %x : tensor<64x64xf32>
    }"""
    (got,) = results_of(text, [])
    assert got.min() >= -2
    assert got.max() < 3
    assert abs(got.mean() - 0.5) < 0.1


def test_composites_of_chlo_stay_whole_too():
    """As JAX writes them into portable artifacts, which know no chlo."""
    x = normal(3, 7)
    erf = composite("chlo.erf", [x], [x], {})
    check(erf, [x], torch.erf(torch.from_numpy(x)))
    assert [op.name for op in ttstack.compile(erf).function().operations] == ["erf"]


DOUBLED = "%d = stablehlo.add %0, %0 : tensor<3x7xf32>\nreturn %d : tensor<3x7xf32>"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tenstorrent.swirl", {}),
        ("tenstorrent.group_norm", {"num_groups": 2, "channel_dim": 1}),
        ("tenstorrent.layer_norm", {"normalized_shape": [3]}),
        ("tenstorrent.argmax", {}),
        ("tenstorrent.rms_norm", {"normalized_shape": "seven"}),
    ],
)
def test_what_has_no_op_or_does_not_fit_it_is_what_it_is_made_of(name: str, options: Mapping[str, Any]):
    x = normal(3, 7)
    check(composite(name, [x], [x], options, DOUBLED), [x], 2 * x)


def test_a_fault_of_a_conversion_is_no_reason_to_expand_a_composite():
    """It is seen when the call is converted; a refusal is such a reason."""

    def faulty(call: StablehloOp) -> ir.Value:
        return call.operands[7]

    def refusing(call: StablehloOp) -> ir.Value:
        return call.tensor(7)

    x = normal(3, 7)
    for convert, kept in ((faulty, True), (refusing, False)):
        with new_context() as context, ir.Location.unknown():
            register_stablehlo_dialects(context)
            module = ir.Module.parse(composite("tenstorrent.swirl", [x], [x], {}, DOUBLED))
            keep_whole(module, {"@tenstorrent.swirl": ConversionRule("@tenstorrent.swirl", (), convert)})
            assert ("stablehlo.custom_call @tenstorrent.swirl" in str(module)) == kept


@pytest.mark.parametrize(
    ("target", "close", "listed"),
    [
        (
            "tt.scaled_dot_product_atention",
            "the nearest supported op is @tt.scaled_dot_product_attention",
            "@tt.fill_cache",
        ),
        ("tenstorrent.layernorm", "the nearest supported op is @tenstorrent.layer_norm", "@tenstorrent.gelu"),
        ("acme.swirl", "first at", "@tt.fill_cache"),
    ],
)
def test_an_unknown_call_is_told_which_are_known(target: str, close: str, listed: str):
    x = normal(3, 7)
    with pytest.raises(UnsupportedOpError) as caught:
        ttstack.compile(call(target, [x], [x]))
    assert close in str(caught.value)
    assert listed in (caught.value.diagnostic.hint or "")
    others = [name for name in ("@tt.", "@tenstorrent.") if not target.startswith(name[1:])]
    listed_all = target.startswith("acme")
    assert all((name in (caught.value.diagnostic.hint or "")) == listed_all for name in others)
