"""All models of the zoo, and whether the library takes their programs.

Small and full-size ones, in both formats, under both policies, for n150 and p150; programs on a mesh are not among
them. A key is `model/size/dtype/policy/device`.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import torch

import ttstack
from benchmarks.library_campaign.judging import judgements, outcome
from benchmarks.library_campaign.outcome import Outcome
from examples.zoo import FAMILIES
from ttstack.diagnostics import TTStackError
from ttstack.ttnn_python import Emission

BATCH = 1
_NODES = 200
"""Nodes that `optimal` searches."""


def keys(count: int | None) -> list[str]:
    """Small models first."""
    found = [
        f"{model}/{size}/{dtype}/{policy}/{device}"
        for size in ("small", "full")
        for device in ("wormhole", "blackhole_p150")
        for policy in ("greedy", "optimal")
        for dtype in ("bf16", "bfp8_b")
        for family in FAMILIES.values()
        for model in family
    ]
    return found[:count]


def judged(seed: int, keys: Sequence[str]) -> Iterator[Outcome]:  # noqa: ARG001  as the other campaigns are called
    """What became of the programs with these keys."""
    for key in keys:
        yield _judged(key)


def _judged(key: str) -> Outcome:
    model, size, dtype, policy, device = key.split("/")
    kind = "/".join(key.split("/")[1:])
    options: dict[str, Any] = {"placement": policy, "dtype": dtype, "system_desc": device}
    if policy == "optimal":
        options["placement_nodes"] = _NODES
    module, args, kwargs = getattr(import_module(f"examples.zoo.{model}"), size)()
    with torch.no_grad():
        exported = torch.export.export(module, args, kwargs)
    try:
        program = ttstack.compile(exported, **options)
        emission = Emission(program.binary, program.function(), model)
        emission.check()
    except TTStackError as why:
        said = why.diagnostic
        return Outcome(key, kind, "not emitted", "; ".join((said.message, *said.notes)))
    (found,) = judgements([emission])
    return outcome(key, kind, emission, found)
