"""AdamW and attention's gradients against torch."""

import numpy as np
import pytest

from ttstack.diagnostics import ExecutionError

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("amsgrad", [False, True])
def test_adamw(amsgrad, run, agree, rng):
    start = rng.standard_normal((4, 5))
    leaf = torch.from_numpy(start.copy()).requires_grad_()
    optimizer = torch.optim.AdamW([leaf], lr=0.01, betas=(0.8, 0.9), eps=1e-6, weight_decay=0.1, amsgrad=amsgrad)
    state = [start, *(np.zeros_like(start) for _ in range(3 if amsgrad else 2))]
    for step in range(1, 4):
        grad = rng.standard_normal((4, 5))
        leaf.grad = torch.from_numpy(grad)
        optimizer.step()
        attributes = {"lr": 0.01, "beta1": 0.8, "beta2": 0.9, "epsilon": 1e-6, "weight_decay": 0.1}
        state = run("adamw", state[0], grad, *state[1:], **attributes, beta1_pow=0.8**step, beta2_pow=0.9**step)
    assert len(state) == (4 if amsgrad else 3)
    agree(state[0], leaf.detach())


@pytest.mark.parametrize("mask_type", ["Causal", "Arbitrary", "None"])
@pytest.mark.parametrize("kv_heads", [2, 4])
def test_attention_and_its_gradients(kv_heads, mask_type, run, agree, rng):
    shapes = (2, 4, 5, 8), (2, kv_heads, 5, 8), (2, kv_heads, 5, 8)
    arrays = [rng.standard_normal(shape) for shape in shapes]
    mask = rng.standard_normal((1, 1, 5, 5)) if mask_type == "Arbitrary" else None
    leaves = [torch.from_numpy(a).requires_grad_() for a in arrays]
    wanted = torch.nn.functional.scaled_dot_product_attention(
        *leaves,
        attn_mask=None if mask is None else torch.from_numpy(mask),
        is_causal=mask_type == "Causal",
        enable_gqa=True,
    )
    grad = rng.standard_normal(wanted.shape)
    wanted.backward(torch.from_numpy(grad))
    out, sums = run("sdpa_fw", *arrays, mask, mask_type=mask_type, return_intermediates=True)
    assert sums.shape == (2, 4, 5, 32)
    agree(out, wanted.detach())
    got = run("sdpa_bw", grad, out, *arrays, sums, mask, mask_type=mask_type)
    for g, leaf in zip(got, leaves, strict=True):
        agree(g, leaf.grad)


def test_forward_alone_returns_one_tensor(run, rng):
    x = rng.standard_normal((1, 1, 3, 4))
    assert run("sdpa_fw", x, x, x).shape == (1, 1, 3, 4)


def test_dropout_has_no_reference(run, rng):
    x = rng.standard_normal((1, 1, 3, 4))
    with pytest.raises(ExecutionError, match=r"dropout 0\.1 has no reference semantics"):
        run("sdpa_fw", x, x, x, dropout_probability=0.1)
