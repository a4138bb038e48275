"""One op as tt-mlir writes it, in a function of its operands: refused with a message, or compiled and run."""

from collections.abc import Sequence

import numpy as np
import pytest

import ttstack
from ttstack.diagnostics import InvalidIRError
from ttstack.frontends.text import parse


def module(mnemonic: str, properties: str, operands: Sequence[str], results: Sequence[str]) -> str:
    """A function `@f` of all operands that returns all results; types are spelled as in `tensor<...>`."""
    types, out = ([f"tensor<{t}>" for t in side] for side in (operands, results))
    arguments = ", ".join(f"%arg{i}: {t}" for i, t in enumerate(types))
    names = ", ".join(f"%arg{i}" for i in range(len(types)))
    many = f":{len(out)}" if len(out) > 1 else ""
    returned = ", ".join(f"%0#{i}" for i in range(len(out))) if many else "%0"
    outs = ", ".join(out)
    return (
        f"func.func @f({arguments}) -> ({outs}) {{\n"
        f'  %0{many} = "ttir.{mnemonic}"({names}) <{{{properties}}}> : ({", ".join(types)}) -> ({outs})\n'
        f"  return {returned} : {outs}\n}}\n"
    )


def assert_refused(text: str, says: str) -> None:
    """The module is ill-formed, and the message names the op and says this."""
    with pytest.raises(InvalidIRError) as refused:
        parse(text, "model.mlir")
    message = refused.value.diagnostic.message
    assert says in message
    assert "'ttir." in message
    assert refused.value.diagnostic.loc == "model.mlir:2:8" or ":2:" in str(refused.value.diagnostic.loc)


def run(text: str, *arrays: np.ndarray) -> list[np.ndarray]:
    """The results of the compiled function on these arguments; its cost is positive."""
    program = ttstack.compile(text)
    assert program.cost().kernel_ns > 0
    outputs = program.run({f"arg{i}": a for i, a in enumerate(arrays)}).outputs
    return list(outputs.values())
