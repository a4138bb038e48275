"""Products, attention and recurrent layers."""

import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it

from tests.frontends.torch_cases.draw import Cases, aten, real, whole

CASES: Cases = {
    "products": (
        lambda a, b, v, w: [
            a @ b,
            a @ v,
            torch.mm(a[0], b[0]),
            torch.bmm(a, b),
            torch.mv(a[0], v),
            torch.outer(v, w[0]),
            torch.einsum("bij,bjk->bik", a, b),
            torch.einsum("bij,jk->kbi", a, w.T),
            torch.einsum("bij,oj->i", a, w),
            torch.einsum("bij->jbi", a),
            torch.einsum("bij->", a),
            torch.einsum("bii->bi", a[:, :, :3]),
            torch.einsum("...ij,...jk", a, b),
            torch.einsum("bij,bjk,ol->biko", a, b, w),
            torch.einsum("i,j->ji", v, w[0]),
            torch.einsum("bij,bij->bi", a, a),
            F.bilinear(a, a + 1, torch.stack([w[:4], w[3:]])),
            F.bilinear(a, a, w[None, :4], w[0, :1]),
            torch.addbmm(a[0] @ b[0], a, b, beta=0.5, alpha=2),
            F.linear(a, w),
            F.linear(a, w, w[:, 0]),
            torch.addmm(w[:, 0], a[0], w.T),
            torch.addmm(w[:, 0], a[0], w.T, beta=0.5, alpha=2),
            torch.addmm(w[:, 0], a[0], w.T, beta=0),
            torch.baddbmm(a @ b, a, b),
        ],
        (real(2, 3, 4), real(2, 4, 5), real(4), real(7, 4)),
    ),
    "products of bytes": (
        lambda a, b: [aten._int_mm(a, b)],
        (whole(17, 8, dtype=torch.int8), whole(8, 16, dtype=torch.int8)),
    ),
    "attention": (
        lambda q, k, v, m: [
            F.scaled_dot_product_attention(q, k, v),
            F.scaled_dot_product_attention(q, k, v, is_causal=True),
            F.scaled_dot_product_attention(q, k, v, scale=0.3),
            F.scaled_dot_product_attention(q, k, v, attn_mask=m),
            F.scaled_dot_product_attention(q, k, v, attn_mask=m.float() * -2),
            F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True),
            F.scaled_dot_product_attention(q[0], k[0], v[0], attn_mask=m[0]),
            F.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0]),
        ],
        (real(2, 4, 5, 8), real(2, 4, 7, 8), real(2, 4, 7, 8) + 1, real(2, 1, 5, 7) > -1),
    ),
    "attention on more dimensions": (
        lambda q, k, m: [
            F.scaled_dot_product_attention(q, k, k),
            F.scaled_dot_product_attention(q, k[:, :1], k[:1, :1], is_causal=True),
            F.scaled_dot_product_attention(q, k, k, attn_mask=m),
            F.scaled_dot_product_attention(q, k, k, attn_mask=m[0, 0, 0].float()),
            F.scaled_dot_product_attention(q, k, k, attn_mask=m[:1, :, :1]),
            F.scaled_dot_product_attention(q[None], k[None], k[None], attn_mask=m[:, :1]),
        ],
        (real(2, 3, 2, 5, 8), real(2, 3, 2, 7, 8), real(2, 3, 2, 5, 7) > -1),
    ),
    "recurrent layers": (
        lambda x, h, wx, wh, b: [
            *torch.lstm(x, [h, h * 2], [wx, wh, b, b * 2] * 2, True, 1, 0.0, False, True, True),
            *torch.lstm(x, [h[:1, :1].expand(1, 3, 4)] * 2, [wx, wh], False, 1, 0.0, False, False, False),
            *torch.lstm(x, [h[..., :2], h * 2], [wx, wh[:, :2], b, b, wh[:2]] * 2, True, 1, 0.0, False, True, True),
            *torch.gru(
                x, h[:, :1].expand(2, 3, 4), [wx[:12], wh[:12], b[:12], b[4:]] * 2, True, 2, 0.0, False, False, False
            ),
            *torch.rnn_tanh(x, h, [wx[:4], wh[:4]] * 2, False, 1, 0.0, False, True, True),
            *torch.rnn_relu(x, h[:1], [wx[:4], wh[:4]], False, 1, 0.0, False, False, True),
        ],
        (real(2, 3, 4), real(2, 2, 4), real(16, 4), real(16, 4), real(16)),
    ),
}
