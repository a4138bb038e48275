"""All models of the zoo, and programs on a mesh, and whether the library takes their programs.

Small and full-size ones, in both formats, under both policies: those of one chip for n150 and p150, those on a mesh for
n300 and t3000 as they are and with all cores of their chips. A key is `model/size/dtype/policy/device`.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import torch

import ttstack
from benchmarks.library_campaign import meshes
from benchmarks.library_campaign.judging import judgements, outcome
from benchmarks.library_campaign.outcome import Outcome
from examples.zoo import FAMILIES
from ttstack.compiled_program import Program
from ttstack.diagnostics import TTStackError
from ttstack.ttnn_python import Emission

BATCH = 1
_NODES = {"small": 200, "full": 1}
"""Nodes that `optimal` searches: of full-size models only the root, which takes minutes."""


def keys(count: int | None) -> list[str]:
    """Small models first, then those that are placed in seconds."""
    alone = [model for family in FAMILIES.values() for model in family]
    devices = dict.fromkeys(("wormhole", "blackhole_p150"), alone)
    devices |= {device: list(meshes.MODELS) for device in meshes.BOARDS}
    found = [
        f"{model}/{size}/{dtype}/{policy}/{device}"
        for size in ("small", "full")
        for policy in ("greedy", "optimal")
        for device, models in devices.items()
        for dtype in ("bf16", "bfp8_b")
        for model in models
    ]
    return found[:count]


def judged(seed: int, keys: Sequence[str]) -> Iterator[Outcome]:  # noqa: ARG001  as the other campaigns are called
    """What became of the programs with these keys."""
    for key in keys:
        yield _judged(key)


def _judged(key: str) -> Outcome:
    model, size, dtype, policy, device = key.split("/")
    kind = "/".join(key.split("/")[1:])
    options: dict[str, Any] = {"placement": policy, "dtype": dtype}
    if policy == "optimal":
        options["placement_nodes"] = _NODES[size]
    try:
        program = _compiled(model, size, device, options)
        emission = Emission(program.binary, program.function(), model)
        emission.check()
    except TTStackError as why:
        said = why.diagnostic
        return Outcome(key, kind, "not emitted", "; ".join((said.message, *said.notes)))
    (found,) = judgements([emission])
    return outcome(key, kind, emission, found)


def _compiled(model: str, size: str, device: str, options: dict[str, Any]) -> Program:
    if model in meshes.MODELS:
        desc = meshes.board(device)
        return ttstack.compile(meshes.text(model, size, desc.mesh_shape), system_desc=desc, **options)
    module, args, kwargs = getattr(import_module(f"examples.zoo.{model}"), size)()
    with torch.no_grad():
        exported = torch.export.export(module, args, kwargs)
    return ttstack.compile(exported, system_desc=device, **options)
