"""A model with all rewrites, without any, without each that does something to it, and without random ones."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from random import Random
from typing import Any

import numpy as np
import torch

from benchmarks.random_models.draw import Example
from ttstack.compiled_program import Program
from ttstack.compiler import compile_module
from ttstack.frontends.source import import_model
from ttstack.mlir import ir
from ttstack.options.model import CompileOptions
from ttstack.passes.base import PassRun, Pipeline
from ttstack.passes.pipelines import optional_passes, ttir_to_ttnn
from ttstack.passes.ttir.placement.place import Place
from ttstack_runtime.numerics import pcc

LARGEST = 1e-4
"""In float32: the largest difference over the largest value."""
LEAST_PCC = 0.99
"""In the formats of the device."""
SUBSETS = 5
_ELEMENTS = 64
"""How many of a constant stand in texts that are compared: no rewrite changes elements alone."""

Array = np.ndarray[Any, Any]


def check(example: Example, rng: Random, *, thorough: bool = True) -> Iterator[str]:
    """What differs from PyTorch, a line each; unless thorough, with all rewrites and without any alone."""
    reference = copy.deepcopy(example.model)
    with torch.no_grad():
        exported = torch.export.export(example.model, example.inputs)
        given = reference(*example.inputs)
    outputs = [t.numpy() for t in (given if isinstance(given, tuple) else (given,))]
    buffers = {name: t.numpy() for name, t in reference.named_buffers()}
    values = [t.numpy() for t in example.inputs]
    with import_model(exported) as found:
        for without, dtype in islice(_variants(found.module, rng), None if thorough else 2):
            placement = "greedy" if dtype else "dram"  # rewrites are the same, and most variants are in float32
            options = CompileOptions.of({"without": list(without) or None, "dtype": dtype, "placement": placement})
            module = found.module.operation.clone()
            program = Program(compile_module(module, options, weights=found.weights).binary)
            for fault in _faults(program, values, outputs, buffers, dtype):
                yield f"{dtype or 'f32'} without {','.join(without) or 'nothing'}: {fault}"


def _variants(module: ir.Module, rng: Random) -> Iterator[tuple[tuple[str, ...], str | None]]:
    every = tuple(optional_passes())
    yield (), None
    yield every, None
    for name in active_rewrites(module):
        yield (name,), None
    for _ in range(SUBSETS):
        yield tuple(sorted(rng.sample(every, rng.randrange(2, len(every))))), None
    for dtype in ("bf16", "bfp8_b"):
        yield (), dtype


def active_rewrites(module: ir.Module) -> list[str]:
    """Rewrites that change the module: without another one, the program would be the same."""
    copied, texts, active = module.operation.clone(), [""], list[str]()

    def compare(run: PassRun, now: ir.Module) -> None:
        text = str(now.operation.get_asm(large_elements_limit=_ELEMENTS, assume_verified=True))
        if text != texts[-1] and run.step.optional and run.step.title not in active:
            active.append(run.step.title)
        texts.append(text)

    steps = ttir_to_ttnn(CompileOptions()).passes
    Pipeline(tuple(takewhile(lambda step: not isinstance(step, Place), steps))).run(copied, after=[compare])
    return active


def _faults(
    program: Program,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    buffers: Mapping[str, Array],
    dtype: str | None,
) -> Iterator[str]:
    run = program.run(dict(zip(program.inputs(), inputs, strict=True)), numerics="device" if dtype else "ieee")
    pairs = [*zip(run.outputs.values(), outputs, strict=True)]
    pairs += [(value, buffers[name]) for name, value in run.updated.items() if name in buffers]
    for i, (ours, theirs) in enumerate(pairs):
        if ours.shape != theirs.shape:
            yield f"result {i} has shape {ours.shape}, not {theirs.shape}"
        elif dtype is not None:
            if theirs.size > 1 and not (near := pcc(ours, theirs)) >= LEAST_PCC:
                yield f"PCC of result {i} is {near:.4f}"
        elif not (off := _difference(ours, theirs)) <= LARGEST:
            yield f"result {i} is off by {off:.1e}"


def _difference(ours: Array, theirs: Array) -> float:
    return float(np.abs(ours - theirs).max() / max(float(np.abs(theirs).max()), 1e-30))
