"""Patterns of ops with several results."""

from pathlib import Path

import pytest

from tests.patterns.test_patterns import HEAD, apply

SPLIT = """func.func @f(%x: tensor<2x64x192xf32>) -> (tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>) {
  %0 = "ttir.neg"(%x) : (tensor<2x64x192xf32>) -> tensor<2x64x192xf32>
  %q, %k, %v = "ttir.split_query_key_value_and_split_heads"(%0) <{num_heads = 4 : ui32, transpose_key = false}>
    : (tensor<2x64x192xf32>) -> (tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>)
  return %q, %v : tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>
}"""
NEG_AFTER_SPLIT = (
    HEAD
    + """@pattern(keeps_values=True)
def neg_after_split(op: views.SplitQueryKeyValueAndSplitHeads):
    if inner := views.Neg.of(op.input_tensor):
        q, k, v = ttir.split_query_key_value_and_split_heads(inner.input, **op.attributes)
        return ttir.neg(q), ttir.neg(k), ttir.neg(v)
"""
)
TOPK = """func.func @f(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xi32>) {
  %v, %i = "ttir.topk"(%x) <{k = 32 : i32}> : (tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xi32>)
  return %v, %i : tensor<64x32xf32>, tensor<64x32xi32>
}"""
TOPK_OF_ALL = (
    HEAD
    + """@pattern(keeps_values=True)
def topk_of_all(op: views.Topk):
    types = [read_type(r.type) for r in op.results]
    values, indices = ttir.sort(op.input_tensor, dim=op.dim, descending=True, stable=True, result=types)
    return values, indices
"""
)


@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize(
    ("text", "model", "gone"), [(NEG_AFTER_SPLIT, SPLIT, 'neg"(%arg0)'), (TOPK_OF_ALL, TOPK, "topk")]
)
def test_all_results_are_built_and_replaced(tmp_path: Path, text: str, model: str, gone: str, verify: bool):
    assert gone in apply(tmp_path, "p.py", HEAD + "@pattern\ndef p(op: views.Abs):\n    return None", model)
    assert gone not in apply(tmp_path, "p.py", text, model, verify=verify)
