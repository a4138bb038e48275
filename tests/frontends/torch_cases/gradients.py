"""Ops of backward passes, as PyTorch's autograd calls them."""

import torch

from tests.frontends.torch_cases.draw import Cases, aten, real

ALL = [True, True, True]


def _bags(g: torch.Tensor, i: torch.Tensor, o: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The gradient of a table for that of bags of its rows."""
    _, place, size, most = aten._embedding_bag(w, i, o)
    return aten._embedding_bag_backward(g, i, o, place, size, most, w.shape[0], False, 0, False, None)


def _rows(g: torch.Tensor, i: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """The same for bags that are rows of a matrix, of which PyTorch's forward pass makes offsets."""
    flat, o = i.reshape(-1), torch.arange(0, i.numel(), i.shape[1])
    _, place, size, most = aten._embedding_bag(w, flat, o, False, 1)
    return aten._embedding_bag_backward(g, flat, o, place, size, most, w.shape[0], False, 1, False, None)


def _attention(g: torch.Tensor, q: torch.Tensor, k: torch.Tensor, mask: torch.Tensor) -> list[torch.Tensor]:
    given = {"attn_mask": mask, "scale": 0.3}
    out, sums = aten._scaled_dot_product_flash_attention_for_cpu(q, k, k, **given)
    backward = aten._scaled_dot_product_flash_attention_for_cpu_backward
    causal = aten._scaled_dot_product_flash_attention_for_cpu(q, q, q, 0.0, True)[0]
    return [out, causal, *backward(g, q, k, k, out, sums, 0.0, False, **given)]


CASES: Cases = {
    "gradients of convolutions": (
        lambda g, x, w, h, v: [
            *aten.convolution_backward(g, x, w, [8], [2, 1], [1, 2], [1, 2], False, [0, 0], 1, ALL),
            *aten.convolution_backward(h, x, v, [8], [1, 2], [0, 1], [1, 1], False, [0, 0], 2, ALL),
        ],
        (real(2, 8, 4, 9) / 8, real(2, 4, 7, 9), real(8, 4, 3, 3) / 6, real(2, 8, 5, 5) / 8, real(8, 2, 3, 3) / 6),
    ),
    "gradients of pools": (
        lambda g, x, h: [
            aten.avg_pool2d_backward(g, x, [3, 3], [2, 2], [1, 1], False, True, None),
            aten.avg_pool2d_backward(g, x, [3, 3], [2, 2], [1, 1], False, False, None),
            aten.avg_pool2d_backward(g, x, [3, 3], [2, 2], [1, 1], False, True, 5),
            aten._adaptive_avg_pool2d_backward(h, x),
        ],
        (real(2, 3, 4, 5), real(2, 3, 7, 9), real(2, 3, 3, 4)),
    ),
    "gradients of pools of volumes": (
        lambda g, x, h: [
            aten.avg_pool3d_backward(g, x, [2, 2, 3], [2, 1, 2], [0, 1, 1], False, False, None),
            aten.avg_pool3d_backward(g, x, [2, 2, 3], [2, 1, 2], [0, 1, 1], False, True, 5),
            aten._adaptive_avg_pool3d_backward(h, x),
        ],
        (real(2, 3, 2, 5, 4), real(2, 3, 5, 4, 7), real(2, 3, 2, 3, 4)),
    ),
    "gradients of images in other sizes": (
        lambda g: [
            aten.upsample_nearest2d_backward(g, [8, 5], [2, 3, 4, 7], None, None),
            aten._upsample_nearest_exact2d_backward(g, [8, 5], [2, 3, 4, 7], None, None),
            aten.upsample_bilinear2d_backward(g, [8, 5], [2, 3, 4, 7], False, 1.9, 0.7),
            aten.upsample_bilinear2d_backward(g, [8, 5], [2, 3, 4, 7], True, None, None),
            aten.upsample_bicubic2d_backward(g, [8, 5], [2, 3, 4, 7], False, None, None),
            aten._upsample_bilinear2d_aa_backward(g, [8, 5], [2, 3, 4, 7], False, None, None),
            aten._upsample_bicubic2d_aa_backward(g, [8, 5], [2, 3, 4, 7], True, None, None),
        ],
        (real(2, 3, 8, 5),),
    ),
    "gradients of lines and volumes in other sizes": (
        lambda g, h: [
            aten.upsample_nearest1d_backward(g, [8], [2, 3, 5], None),
            aten._upsample_nearest_exact1d_backward(g, [8], [2, 3, 5], None),
            aten.upsample_linear1d_backward(g, [8], [2, 3, 5], False, None),
            aten.upsample_nearest3d_backward(h, [4, 5, 6], [2, 3, 2, 3, 7], None, None, None),
            aten._upsample_nearest_exact3d_backward(h, [4, 5, 6], [2, 3, 2, 3, 7], None, None, None),
            aten.upsample_trilinear3d_backward(h, [4, 5, 6], [2, 3, 2, 3, 7], True, None, None, None),
        ],
        (real(2, 3, 8), real(2, 3, 4, 5, 6)),
    ),
    "lines and volumes in other sizes": (
        lambda x, y: [
            aten.upsample_nearest1d(x, [5], None),
            aten._upsample_nearest_exact1d(x, [5], None),
            aten.upsample_nearest3d(y, [4, 3, 7], None, None, None),
            aten._upsample_nearest_exact3d(y, [4, 3, 7], None, None, None),
            aten._upsample_nearest_exact2d(y[0], [3, 12], None, None),
        ],
        (real(2, 3, 8), real(2, 3, 4, 5, 6)),
    ),
    "gradients of edges repeated": (
        lambda g, h, i: [
            aten.replication_pad1d_backward(g, g[..., 1:], [2, -1]),
            aten.replication_pad2d_backward(h, h[..., 2:-1, 1:], [1, 0, 3, 0]),
            aten.replication_pad3d_backward(i, i[..., :3, 1:, 2:], [1, 1, 1, 0, 1, 0]),
        ],
        (real(2, 3, 8), real(2, 3, 9, 5), real(1, 2, 4, 5, 6)),
    ),
    "gradients of lookups": (
        lambda g, i, w, h, o: [
            aten.embedding_dense_backward(g, i, 7, 2, False),
            _bags(h, i.reshape(-1), o, w),
            _rows(h, i, w),
        ],
        (real(2, 3, 4), torch.tensor([[2, 0, 6], [6, 6, 1]]), real(7, 4), real(2, 4), torch.tensor([0, 4])),
    ),
    "gradients of attention": (
        _attention,
        (real(1, 2, 6, 4), real(1, 2, 6, 4) / 2, real(1, 2, 5, 4), real(1, 1, 6, 5)),
    ),
    "statistics of norms": (
        lambda x, w: [
            *aten.native_layer_norm(x, [4, 6], None, None, 1e-3),
            *aten.native_group_norm(x, w, w, 2, 4, 24, 2, 1e-3),
        ],
        (real(2, 4, 4, 6), real(4)),
    ),
}
