"""Exported PyTorch programs."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import nn

from benchmarks.fuzz.case import CANARY, Files, Kind, Mutator, Promise, first, with_first
from benchmarks.fuzz.kinds.modules import read
from benchmarks.fuzz.mutate import archives
from tests.frontends.torch_archives import ATTACKS, Model, save, unpacked_bytes


def _seeds() -> list[Files]:
    torch.manual_seed(0)
    mlp = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    image = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.Flatten())
    models = ((Model(), ({"x": torch.ones(2, 8)},)), (mlp, (torch.ones(2, 8),)), (image, (torch.ones(1, 3, 8, 8),)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.pt2"
        return [{path.name: save(model, args, path).read_bytes()} for model, args in models]


def _attack(rng: random.Random, files: Files) -> Files:
    """An archive that a careless reader executes, of the tests; where it knows this model's records."""
    records = unpacked_bytes(files[first(files)])
    mark = Path("..") / CANARY
    for name in rng.sample(list(ATTACKS), len(ATTACKS)):
        try:
            return with_first(files, ATTACKS[name](records, mark))
        except (KeyError, IndexError, StopIteration):
            continue
    return files


KINDS = [Kind("pt2", _seeds, [*archives.PT2, Mutator("pt2_attack", _attack, Promise.ANY)], read, None, 5)]
