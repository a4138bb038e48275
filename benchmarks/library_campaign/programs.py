"""Random programs, placed by us, and whether the library takes them.

Half of them are one op as its contract draws it, half are functions of several, of matrices or of all classes of ops;
in formats of every kind, placed by either policy, and two of three with shards and memories that are asked for, as far
as that can be.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.control import BuildContext
from hypothesis.internal.conjecture.data import ConjectureData

from benchmarks.library_campaign.chains import chain, context
from benchmarks.library_campaign.judging import judgements, outcome
from benchmarks.library_campaign.outcome import Outcome, numbered
from tests.ops.strategies import cases, has_cases
from tests.placement.compiled import compiled
from tests.placement.functions import Draw, functions
from ttstack.device.layout import MemoryLayout
from ttstack.device.sequences.sequence import SEQUENCES
from ttstack.diagnostics import CapacityError, OverrideError, TTStackError, UnsupportedOpError
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.program.records import Binary
from ttstack.system_desc import SystemDesc, load
from ttstack.ttnn_python import Emission
from ttstack.ttnn_python.calls import CALLS

BATCH = 20
keys = numbered(2000)
"""One a program."""
DEVICES = ("wormhole", "wormhole", "wormhole", "blackhole_p150")
ALONE = sorted(m for m in {*CALLS, *SEQUENCES} if OPS[m].executable and has_cases(m) and not OPS[m].spans_mesh)
"""Ops that are programs of their own."""
_NODES = 200
"""Nodes that `optimal` searches."""


@dataclass(frozen=True)
class Drawn:
    """A program to compile."""

    kind: str
    text: str
    device: str
    options: dict[str, Any]
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Overrides, which may be more than can be had."""


def drawn(seed: int, number: int) -> Drawn:
    """The program of a number, always the same one."""
    data = ConjectureData(random=Random(f"{seed}/{number}"))
    with BuildContext(data, is_final=False, wrapped_test=drawn):
        return _drawn(data.draw, number)


def _drawn(draw: Draw, number: int) -> Drawn:
    kind, text = _DRAWS[number % len(_DRAWS)](draw)
    options: dict[str, Any] = {"placement": draw(st.sampled_from(("greedy", "optimal")))}
    if options["placement"] == "optimal":
        options["placement_nodes"] = _NODES
    options["dtype"] = draw(st.sampled_from(("bf16", "bf16", "bfp8_b", "f32")))
    asked = [_override(draw) for _ in range(draw(st.sampled_from((0, 1, 3))))]
    return Drawn(kind, text, draw(st.sampled_from(DEVICES)), options, asked)


def _one(draw: Draw) -> tuple[str, str]:
    """An op that later ones among all do not change, but for the few numbers that these get."""
    number = draw(st.integers(0, 2**32))
    mnemonic = min(ALONE, key=lambda m: sha256(f"{number}/{m}".encode()).digest())
    case = draw(cases(mnemonic))
    with context(), ir.Location.unknown():
        return mnemonic, str(case.module())


_DRAWS: tuple[Callable[[Draw], tuple[str, str]], ...] = (
    _one,
    lambda draw: ("function", draw(functions(most=8))),
    _one,
    lambda draw: ("chain", chain(draw)),
)


def _override(draw: Draw) -> dict[str, Any]:
    kind = draw(st.sampled_from([kind for kind in MemoryLayout if kind is not MemoryLayout.REPLICATED]))
    interleaved = kind is MemoryLayout.INTERLEAVED
    memory = draw(st.sampled_from(("l1", "dram"))) if interleaved else "l1"
    return {"location": "*", "number": draw(st.integers(0, 6)), "memory": memory, "layout": kind.value}


@cache
def _device(name: str) -> SystemDesc:
    return load(name)


def place(program: Drawn) -> Binary:
    """The program, placed as asked for as far as that can be had."""
    device = _device(program.device)
    for count in range(len(program.asked), 0, -1):
        try:
            overrides = {"ops": program.asked[:count]}
            return compiled(program.text, device, overrides=overrides, **program.options)
        except OverrideError:
            continue
    return compiled(program.text, device, **program.options)


def judged(seed: int, keys: Sequence[str]) -> Iterator[Outcome]:
    """What became of the programs with these keys."""
    emitted: dict[str, tuple[str, Emission]] = {}
    for key in keys:
        program = drawn(seed, int(key))
        kind = (
            f"{program.kind} {program.options['placement']}" if program.kind in ("function", "chain") else program.kind
        )
        try:
            binary = place(program)
            emission = Emission(binary, binary.functions[0], key)
            emission.check()
            emitted[key] = (kind, emission)
        except UnsupportedOpError as why:
            yield Outcome(key, kind, "no call", "; ".join(why.diagnostic.notes) or why.diagnostic.message)
        except CapacityError as why:
            yield Outcome(key, kind, "no room", why.diagnostic.message)
        except TTStackError as why:
            yield Outcome(key, kind, "not compiled", why.diagnostic.message)
    said = judgements([emission for _, emission in emitted.values()])
    for (key, (kind, emission)), found in zip(emitted.items(), said, strict=True):
        yield outcome(key, kind, emission, found)
