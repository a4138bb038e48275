"""Attention, as Tenstorrent's JAX and PyTorch frontends call it, with or without a cache."""

from ttstack.dialects.base import create
from ttstack.dialects.ttir.build import (
    cast,
    concat_along,
    elementwise,
    reshape_to,
    scalar,
    slice_along,
    with_leading_ones,
)
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.named import Named, fit_results
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType

CONVERSIONS = StablehloConversionTable()

_PREFILL = Named("scaled_dot_product_attention", "query key value attention_mask? attention_sink?", {})
_DECODE = Named(
    "scaled_dot_product_attention_decode", "query key value cur_pos_tensor attention_mask? attention_sink?", {}
)
_PAGED = Named(
    "paged_scaled_dot_product_attention_decode",
    "query key value page_table attention_mask? cur_pos_tensor? attention_sink?",
    {},
)
_CHUNKED = Named("chunked_scaled_dot_product_attention", "query key value page_table chunk_start_idx", {})
_LATENT = Named(
    "paged_flash_multi_latent_attention_decode",
    "query key value? page_table attention_mask? cur_pos_tensor? attention_sink?",
    {},
)
_LATENT_PREFILL = Named("scaled_dot_product_attention", "query key value? attention_mask?", {})


@CONVERSIONS(
    "@tt.scaled_dot_product_attention",
    "@tenstorrent.scaled_dot_product_attention",
    to="scaled_dot_product_attention reshape",
)
def _prefill(call: StablehloOp) -> list[ir.Value]:
    """Treat operands of rank 3 as one head; without option and mask, attention is causal."""
    found = _PREFILL.operands(call)
    apart = read_type(found["query"].type).rank == 3
    for name, value in found.items():
        if name == "attention_mask":
            found[name] = _mask(value, apart=apart)
        elif apart and name != "attention_sink":
            found[name] = _one_head(value)
    (result,) = _attend(call, _PREFILL, found)
    return fit_results(call, [reshape_to(result, call.result.shape) if apart else result])


def _one_head(value: ir.Value) -> ir.Value:
    batch, *rest = read_type(value.type).shape
    return reshape_to(value, (batch, 1, *rest))


def _mask(mask: ir.Value, *, apart: bool) -> ir.Value:
    """Add leading dimensions of the scores; a mask of rank 3 gets a head dimension like its operands."""
    return _one_head(mask) if apart and read_type(mask.type).rank == 3 else with_leading_ones(mask, 4)


def _attend(call: StablehloOp, form: Named, operands: dict[str, ir.Value]) -> list[ir.Value]:
    """Treat a bool mask as visible keys; with a mask, attention is causal only if stated."""
    window = call.says("sliding_window_size", "integer")
    if window is not None and "sliding_window_size" not in OPS[form.mnemonic].attribute_specs():
        call.refuse(f"has a sliding_window_size of {window}, which {form.mnemonic} has not", "give it as a mask")
    if (mask := operands.get("attention_mask")) is None:
        return list(form.build(call, operands).results)
    t = read_type(operands["query"].type)
    if read_type(mask.type).dtype is DType.I1:
        wide = t.with_shape(read_type(mask.type).shape)
        mask = ttir.where(mask, scalar(0, wide), scalar(float("-inf"), wide))
    masked = operands | {"attention_mask": mask}
    return list(form.build(call, masked, is_causal=bool(call.says("is_causal"))).results)


@CONVERSIONS("@tt.scaled_dot_product_attention_decode", to="scaled_dot_product_attention_decode")
def _decode(call: StablehloOp) -> list[ir.Value]:
    """Attend with one token per user over a cache."""
    return fit_results(call, _attend(call, _DECODE, _DECODE.operands(call)))


@CONVERSIONS("@tt.paged_scaled_dot_product_attention_decode", to="paged_scaled_dot_product_attention_decode empty")
def _paged(call: StablehloOp) -> list[ir.Value]:
    """Attend with one token per user over a paged cache."""
    return fit_results(call, _attend(call, _PAGED, _PAGED.operands(call) | {"output": _output(call.result)}))


@CONVERSIONS(
    "@tt.chunked_scaled_dot_product_attention", to="chunked_scaled_dot_product_attention slice_static concat empty"
)
def _chunked(call: StablehloOp) -> list[ir.Value]:
    """Attend with a chunk of tokens over a paged cache, one user at a time if chunks start at different positions."""
    found = _CHUNKED.operands(call)
    starts = read_type(found["chunk_start_idx"].type).size
    if starts in (0, 1):
        return fit_results(call, list(_CHUNKED.build(call, found | {"output": _output(call.result)}).results))
    one, own = call.result.with_shape((1, *call.result.shape[1:])), ("query", "page_table", "chunk_start_idx")
    users = [
        {n: slice_along(v, 0, user, user + 1) if n in own else v for n, v in found.items()} | {"output": _output(one)}
        for user in range(starts)
    ]
    return fit_results(call, [concat_along([_CHUNKED.build(call, user).results[0] for user in users], 0)])


def _output(t: TensorType) -> ir.Value:
    """Return memory of the result's type, to which the op writes."""
    return create("ttir", "empty", [], results=[t]).results[0]


@CONVERSIONS(
    "@tt.paged_flash_mla_decode",
    "@tt.paged_flash_multi_latent_attention_decode",
    to="paged_flash_multi_latent_attention_decode",
)
def _latent(call: StablehloOp) -> list[ir.Value]:
    """Attend with one token per user over latent pages, whose first columns are the values."""
    return fit_results(call, _attend(call, _LATENT, _LATENT.operands(call)))


@CONVERSIONS("@tt.flash_mla_prefill", to="scaled_dot_product_attention slice_static")
def _latent_prefill(call: StablehloOp) -> list[ir.Value]:
    """Use the first `head_dim_v` columns of the keys as values if absent."""
    width = call.says("head_dim_v", "integer")
    found = _LATENT_PREFILL.operands(call)
    if width is None:
        call.refuse("has no head_dim_v", "export the model again")
    if "value" not in found:
        found["value"] = slice_along(found["key"], 3, 0, width)
    return fit_results(call, _attend(call, _LATENT_PREFILL, found))


@CONVERSIONS("@tt.indexer_score_dsa", to="matmul relu multiply sum arange add ge where reshape permute")
def _indexer_score(call: StablehloOp) -> ir.Value:
    """Sum `relu(query @ key^T) * weights` over heads; -inf for keys after the query."""
    if len(call.operands) != 3:
        call.refuse(f"has {len(call.operands)} operands, expected query, key, weights")
    query, key, weights = call.operands
    scores = ttir.relu(ttir.matmul(query, key, transpose_b=True))
    summed = ttir.sum(ttir.multiply(scores, weights), keep_dim=True, dim_arg=(1,))
    *_, rows, keys = call.result.shape
    positions = call.result.with_dtype(DType.I32)
    row, column = (
        ttir.arange(result=positions.with_shape(s), start=0, end=max(s), step=1, arange_dimension=at)
        for at, s in ((2, (1, 1, rows, 1)), (3, (1, 1, 1, keys)))
    )
    last = elementwise("add", row, call.says("chunk_start_idx", "integer") or 0, result=positions)
    seen = ttir.ge(last, column, result=positions.with_shape((1, 1, rows, keys)).with_dtype(DType.I1))
    return ttir.where(seen, cast(summed, call.result.dtype), scalar(float("-inf"), call.result))
