"""Elements picked, ordered and written by index."""

import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it

import ttstack.tensor_train.torch  # noqa: F401 defines ops
from tests.frontends.torch_cases.draw import Cases, X, aten, real, whole


def writes(x: torch.Tensor, i: torch.Tensor, v: torch.Tensor) -> list[torch.Tensor]:
    """Assignments to parts of a copy, which the export turns into functions."""
    copies = [x.clone() for _ in range(10)]
    copies[0][i] = 1.0
    copies[1][i, i] = v
    copies[2][:, 1:3] = 2.0
    copies[3][0] = x[1]
    copies[4][x > 0] = 0
    copies[5][:, i] += 1
    copies[6][1::2] = 5
    copies[7][:, 1::2] = v
    copies[8][x[:, 0] > 0] = v[0]
    copies[9].copy_(x[:1] * 2)
    deep = [x.reshape(2, 2, 6).repeat(2, 2, 1) for _ in range(3)]
    deep[0][:, i, i] = v
    deep[1][i, :, i] = v[:, None]
    deep[2][:, :1][:, 0] = v[1]
    return [
        *copies,
        *deep,
        aten.index_put(x, [i], v[:, None], True),
        aten.index_put(x, [None, i[0]], v[0]),
        aten.fill.Tensor(x, v[0]),
    ]


CASES: Cases = {
    "lookups": (
        lambda w, i, x: [
            F.embedding(i, w),
            torch.gather(w, 1, i),
            torch.index_select(w, 1, i[0]),
            torch.index_select(x, 2, i[0]),
            torch.index_select(w, 0, torch.tensor(2)),
            x[..., [-2]],
            x[:, [1, 2]],
            x[:, [2, 1]],
            torch.index_select(x, 1, torch.arange(1, 3)),
            w[i],
            w[i[0], i[1]],
            x[:, i[0], i[1]],
            x[:, i[0][:, None], i[1]],
            x[:, i],
            x[i[:, :2], :, i[:, :2]],
            w[i[0], 1],
        ],
        (real(4, 3), whole(2, 3, low=0, high=3), real(3, 4, 4, 2)),
    ),
    "bags": (
        lambda w, i, o, p: [
            F.embedding_bag(i, w, o, mode="sum"),
            F.embedding_bag(i, w, o, mode="mean"),
            F.embedding_bag(i, w, o, mode="max"),
            F.embedding_bag(i, w, o, mode="sum", per_sample_weights=p),
            F.embedding_bag(i, w, o, mode="sum", include_last_offset=True),
            F.embedding_bag(i, w, o, mode="mean", padding_idx=2),
            F.embedding_bag(i.view(4, 2), w, mode="sum"),
            torch.embedding_bag(w, i, o, False, 1)[0],
            aten._embedding_bag(w, i, o, False, 2)[0],
        ],
        (real(5, 3), whole(8, low=0, high=5), torch.tensor([0, 3, 3, 8]), real(8)),
    ),
    "orders": (
        lambda x: [
            *torch.topk(x, 3),
            *torch.topk(x, 2, dim=0, largest=False),
            *torch.sort(x),
            *torch.sort(x, dim=0, descending=True),
            *torch.sort(x, stable=True, dim=0, descending=True),
            torch.argsort(x, descending=True),
            torch.argsort(x, stable=True, dim=0),
        ],
        (X,),
    ),
    "scatters": (
        lambda x, i, s: [
            x.scatter(0, i, s),
            x.scatter(1, i, 1.5),
            x.scatter_add(0, i, s),
            x.scatter(0, i, s, reduce="multiply"),
            x.scatter_reduce(0, i, s, "sum"),
            x.scatter_reduce(0, i, s, "amax", include_self=False),
            x.scatter_reduce(0, i, s, "prod", include_self=False),
            x.index_add(0, i[0], x[1:], alpha=2),
            x.index_add(-1, i[0], x[:, :3]),
            x.index_copy(0, i[1], x[1:]),
            x.index_fill(1, i[1], 7),
            x.scatter_reduce(0, i, s, "mean"),
            x.scatter_reduce(0, i, s, "mean", include_self=False),
            x.index_reduce(0, i[0], x[1:], "amax"),
            x.index_reduce(-1, i[0], x[:, :3], "mean"),
            aten.put(x, i, s),
            aten.put(x, i - 4, s, True),
            x.scatter_reduce(0, i, s, "amax"),
        ],
        (X, torch.tensor([[3, 0, 1], [2, 1, 0]]), real(2, 3)),
    ),
    "writes": (
        writes,
        (X, torch.tensor([3, 0, 1]), real(3)),
    ),
    "tables in Tensor-Train form": (
        lambda i, a, b, c, o: [
            torch.ops.ttstack.tensor_train_embedding(i, [a, b, c], 22, [2, 2, 2]),
            torch.ops.ttstack.tensor_train_embedding_bag(i, [a, b, c], 22, [2, 2, 2], o),
        ],
        (whole(6, low=0, high=22), real(3, 1, 6), real(2, 3, 4), real(4, 2, 2), torch.tensor([0, 2, 2])),
    ),
}
