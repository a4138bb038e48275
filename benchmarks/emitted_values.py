"""Values of emitted programs on NumPy, op by op, beside those of the runtime.

    python -m benchmarks.emitted_values [MODEL ...]    # small models of the zoo, all by default; half a minute
    python -m benchmarks.emitted_values --forms        # every form of every op that tests/forms has

A stand-in, written from the library's documentation, takes the place of `ttnn`; each op is computed from the operands
that it has in the runtime. Exit code 1 where less than 95 % of the ops agree.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

import ttstack
from examples.zoo import FAMILIES
from tests.forms import test_forms
from tests.ttnn_python.values import Compared, compare, compare_forms

WANTED = 0.95
"""Share of the ops that agree."""


def zoo(names: Sequence[str]) -> Iterator[tuple[str, Compared]]:
    """Small models on the inputs that come with them."""
    for name in names:
        model, args, kwargs = import_module(f"examples.zoo.{name}").small()
        with torch.no_grad():
            exported = torch.export.export(model, args, kwargs)
        program = ttstack.compile(exported, dtype="bf16")
        yield name, compare(program, inputs=dict(zip(program.inputs(), _arrays((args, kwargs)), strict=True)))


def _arrays(structure: object) -> list[np.ndarray[Any, Any]]:
    return [leaf.numpy() for leaf in pytree.tree_leaves(structure) if isinstance(leaf, torch.Tensor)]


def forms() -> Iterator[tuple[str, Compared]]:
    """Ops in every form that their definitions allow."""
    for family in test_forms.FAMILIES:
        yield family.__name__.rpartition(".")[2], compare_forms(family)


def main() -> None:
    """Compare, print what differs, and the share that does not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--forms", action="store_true", help="ops in all their forms, not models")
    options = parser.parse_args()
    names = options.models or [name for family in FAMILIES.values() for name in family]
    ops = differing = 0
    for name, found in forms() if options.forms else zoo(names):
        ops, differing = ops + found.ops, differing + len(found.differences)
        print(f"{name}: {found.ops - len(found.differences)} of {found.ops} ops agree", flush=True)
        print("".join(f"    {difference}\n" for difference in found.differences), end="")
    print(f"{ops - differing} of {ops} ops agree: {1 - differing / ops:.1%}")
    sys.exit(differing > (1 - WANTED) * ops)


if __name__ == "__main__":
    main()
