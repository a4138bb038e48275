"""Updates of embedding tables by the rows that were looked up: scatters where the table is larger than L1."""

from typing import Any

import pytest

from ttstack.dialects.context import new_context
from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse
from ttstack.mlir import ir
from ttstack.passes.attach_system_desc import AttachSystemDesc
from ttstack.passes.ttir.embeddings.sparse_updates import sparse_updates

MODEL = """func.func @f(%table: tensor<{count}x64xbf16>, %i: tensor<4x8xi32>, %g: tensor<4x8x64xbf16>, %rate: tensor<{rate}xbf16>)
    -> (tensor<{count}x64xbf16>, tensor<{count}x64xbf16>) {{
  %0 = "ttir.embedding_backward"(%i, %table, %g) : (tensor<4x8xi32>, tensor<{count}x64xbf16>, tensor<4x8x64xbf16>) -> tensor<{count}x64xbf16>
  %1 = "ttir.multiply"(%0, %rate) : (tensor<{count}x64xbf16>, tensor<{rate}xbf16>) -> tensor<{count}x64xbf16>
  %2 = "ttir.add"({operands}) : (tensor<{count}x64xbf16>, tensor<{count}x64xbf16>) -> tensor<{count}x64xbf16>
  return %2, {other} : tensor<{count}x64xbf16>, tensor<{count}x64xbf16>
}}"""
LARGE = 4_000_000
"""Rows of a table of 488 MiB."""


def rewritten(
    count: int = LARGE, rate: str = "1x1", operands: str = "%table, %1", other: str = "%table", *, device: bool = True
) -> str:
    """Apply the rewrite to an update of a table with `count` rows."""
    with new_context(), ir.Location.unknown():
        module = parse(MODEL.format(count=count, rate=rate, operands=operands, other=other))
        if device:
            AttachSystemDesc().run(module)
        sparse_updates().run(module)
        module.operation.verify()
        return print_module(module)


@pytest.mark.parametrize("operands", ["%table, %1", "%1, %table"])
def test_rows_are_added_to_a_large_table(operands: str):
    text = rewritten(operands=operands)
    assert '"ttir.scatter"(%arg0' in text
    assert "ttir.embedding_backward" not in text
    assert "ttir.add" not in text


@pytest.mark.parametrize(
    "case",
    [
        {"count": 1024},
        {"rate": "1x64"},
        {"other": "%0"},
        {"other": "%1"},
        {"device": False},
    ],
    ids=["it fits L1", "a rate by column", "the gradient is returned", "the update is returned", "no device"],
)
def test_other_updates_are_dense(case: dict[str, Any]):
    text = rewritten(**case)
    assert "ttir.scatter" not in text
    assert "ttir.embedding_backward" in text
