"""A table as ordinary training leaves it: rows in no order, most of them rarely seen."""

from functools import cache

import numpy as np
import torch


@cache
def trained_table(rows, cols, steps=150, batch=2048):
    """An embedding trained on a synthetic click log whose ids are Zipf-distributed and whose rows do not relate."""
    rng, torch_rng = np.random.default_rng(0), torch.Generator().manual_seed(0)
    table = torch.nn.Embedding(rows, cols)
    table.weight.data.uniform_(-(rows**-0.5), rows**-0.5, generator=torch_rng)
    tastes = torch.from_numpy(rng.standard_normal((rows, 4)).astype(np.float32))
    outward = torch.nn.Linear(cols, 4)
    ranks = np.arange(1, rows + 1) ** -1.05
    popular = rng.permutation(rows)
    optimizer = torch.optim.Adagrad([*table.parameters(), *outward.parameters()], lr=0.1)
    for _ in range(steps):
        ids = torch.from_numpy(popular[rng.choice(rows, batch, p=ranks / ranks.sum())])
        users = torch.from_numpy(rng.standard_normal((batch, 4)).astype(np.float32))
        clicks = ((tastes[ids] * users).sum(1) > 0).float()
        loss = torch.nn.functional.binary_cross_entropy_with_logits((outward(table(ids)) * users).sum(1), clicks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return table.weight.detach().numpy()
