"""Outcomes of the op suites of ONNX and PyTorch, as the benchmark stored them."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from ttstack_docs.markdown import literal, table

_STORED = Path(__file__).parents[2] / "op-suites.json"
_KINDS = ("equal", "refused", "wrong", "fault", "not exported")
_TITLES = {"onnx_nodes": "ONNX's node tests", "torch_op_db": "PyTorch's op database, float32"}
_NAMED = 4
"""Tests of a reason that are named."""


def _stored() -> dict[str, Any]:
    return json.loads(_STORED.read_text())


def suite_counts() -> str:
    """Return a row for each suite: the number of tests by outcome."""
    rows = [
        [_TITLES[name], str(sum(suite["counts"].values())), *(str(suite["counts"].get(kind, 0)) for kind in _KINDS)]
        for name, suite in _stored().items()
    ]
    return table(["suite", "tests", *_KINDS], rows)


def suite_reasons(name: str) -> str:
    """Return a row for each reason why tests of a suite are not equal, the most frequent first."""
    found = defaultdict[tuple[str, str], list[str]](list)
    for test, (kind, reason) in _stored()[name]["others"].items():
        found[kind, re.sub(r"'[^']*'", "'...'", reason.partition("\n")[0])].append(test)
    rows = [
        [
            str(len(tests)),
            kind,
            literal(reason.replace("`", "'")),
            ", ".join(tests[:_NAMED]) + (", ..." if len(tests) > _NAMED else ""),
        ]
        for (kind, reason), tests in sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    ]
    return table(["tests", "outcome", "reason", "such as"], rows)
