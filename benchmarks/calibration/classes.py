"""The class that a row belongs to by the name of its op, and what makes something to predict of it."""

import re
from collections.abc import Callable

import attention
import conv
import elementwise
import moves
import rowwise
from collectives import collective_row
from device import bound_row, dispatch_row, dram_row, noc_row, vector_row
from exchanges import fabric_row, host_row
from expressed import Expressed
from halos import halo_row
from inexpressible import InexpressibleError
from matmul import OUT_OF_BOX, matmul_row
from names import operation
from placed import Maker
from rows import Row

_OPS: tuple[tuple[str, str, Maker], ...] = (
    (r"decode.*unfused|unfused.*decode", "unfused attention of new tokens", attention.unfused_decode_row),
    (r"sdpa_prefill_baseline|unfused", "unfused attention", attention.unfused_attention_row),
    (r"(sdpa|scaled_?dot_?product_?attention|flash).*decode", "decode attention", attention.decode_row),
    (r"sdpa|scaled_?dot_?product_?attention|flash_?attention", "flash attention", attention.attention_row),
    (r"pool", "pool", conv.pool_row),
    (r"conv(?!ert)", "convolution", conv.conv_row),
    (r"upsample", "upsample", conv.upsample_row),
    (r"grid_sample", "grid sample", conv.grid_sample_row),
    (r"mat_?mul|linear|\bmm\b|\bbmm\b|gemm|dot_?general", "matmul", matmul_row),
    (r"reshard", "reshard", moves.trace_row),
    (r"interleaved_?to_?sharded|\bi2s\b", "interleaved to sharded", moves.trace_row),
    (r"sharded_?to_?interleaved|\bs2i\b", "sharded to interleaved", moves.trace_row),
    (r"untilize", "untilize", moves.layout_row),
    (r"tilize", "tilize", moves.layout_row),
    (r"to_?layout|typecast|^copy|clone|to_?memory_?config|^move\b|^assign", "moves and copies", moves.layout_row),
    (r"concat_?heads|concatenate_?heads", "heads", moves.heads_row),
    (r"create_?(qkv_?)?heads|split_?heads|split_query", "heads", moves.split_row),
    (r"cache", "caches", moves.cache_row),
    (r"rotary|\brope\b", "rotary embedding", moves.rotary_row),
    (r"transpose|permute", "transpose", moves.transpose_row),
    (r"concat", "concat", moves.concat_row),
    (r"padded_slice|slice_write", "slice", moves.laid_out_row),
    (r"slice", "slice", moves.slice_row),
    (r"\bpad|fill_?pad", "pad", moves.pad_row),
    (r"reshape|view", "reshape", moves.reshape_row),
    (r"repeat", "repeat", moves.repeat_row),
    (r"embedding(?!s?_?back)", "embedding", moves.embedding_row),
    (r"^(full|zeros|ones|empty|fill)\b", "fill", moves.fill_row),
    (r"(layer|rms|group|batch)_?norm|\bnorm\b|rms_all_gather", "norm", rowwise.norm_row),
    (r"softmax", "softmax", rowwise.softmax_row),
    (r"cum(sum|prod)|accumulation", "scan", rowwise.scan_row),
    (r"arg_?(max|min)|top_?k|^sort", "selection", rowwise.selection_row),
)
"""By the op's name in snake case; elementwise ops, whose names are those of functions, come after them."""
_REDUCTIONS = r"reduce|(?<![a-z])(sum|mean|max|min|prod)(?![a-z])"
_RATES: tuple[tuple[str, str, Callable[[Row], Expressed]], ...] = (
    (r"empty_program_dispatch", "dispatch", dispatch_row),
    (r"noc:(dram|l1_read|l1_write|l1_local)_bw", "transfers", noc_row),
    (r"noc:", "transfers, floors of CI", bound_row),
    (r"halo", "halo", halo_row),
    (r"dram_?(read|write|ubench|bandwidth|bw)", "dram bandwidth", dram_row),
    (r"sfpu:", "vector unit", vector_row),
    (
        r"(?<!pre_)(?<!post_)(?<!rms_)(all_?gather|reduce_?scatter|all_?reduce|all_?broadcast|all_?to_?all)",
        "collective",
        collective_row,
    ),
    (r"fabric|ethernet|\beth_|erisc|\bedm\b|ccl_(latency|bandwidth)", "fabric", fabric_row),
    (
        r"buffer|host|pcie|enqueue|\b[hd]2[hd]\b|(to|from)_device|^(?!slice)([a-z]+[:_])?(write|read)\b",
        "host transfer",
        host_row,
    ),
)


def rate_of(row: Row) -> Callable[[Row], Expressed] | None:
    """What predicts a row that measures a facility of the device, a link or the host; None of one that is an op."""
    words = operation(row.op)
    return next((rate for pattern, _, rate in _RATES if re.search(pattern, words)), None)


def maker_of(row: Row) -> tuple[str, Maker]:
    """The class of an op, and what makes it of a row; raises `InexpressibleError` where no op of ours is meant."""
    kind, maker = _op(row, operation(row.op))
    return _product(row) if kind == "matmul" else kind, maker


def class_of(row: Row) -> str:
    """The class that the name of a row's op belongs to, whether or not the row can be expressed; empty if none."""
    words = operation(row.op)
    rate = next((kind for pattern, kind, _ in _RATES if re.search(pattern, words)), None)
    try:
        return rate or maker_of(row)[0]
    except InexpressibleError:
        return ""


def _product(row: Row) -> str:
    """The class of a matrix product: what decides its kernel and configuration, else the kind of time."""
    if "height" in row.memory_layout.split(",")[0].lower():
        return "matmul, height-sharded"
    if OUT_OF_BOX.search(f"{row.table} {row.notes}"):
        return "matmul, out of box"
    if re.search(r"^(in0 )?(1x)*32x\d+(x\d+ \(MxKxN\)|;)|^M\W*32\b", row.shape) and row.said.batch == 1:
        return "matmul, new tokens"
    return f"matmul, {row.time_kind}" if row.time_kind else "matmul"


def _op(row: Row, words: str) -> tuple[str, Maker]:
    """The class of an op, and what makes it of a row."""
    for pattern, kind, maker in _OPS:
        if re.search(pattern, words):
            return kind, maker
    if elementwise.names_function(row) and not words.startswith("reduce"):
        binary = re.search(r"binary|^(add|mul|sub)", words)
        return ("binary elementwise" if binary else "elementwise"), elementwise.elementwise_row
    if re.search(_REDUCTIONS, words):
        return "reduction", rowwise.reduce_row
    if re.search(r"unary|binary|ternary|eltwise|elementwise", words):
        raise InexpressibleError(f"no elementwise op of ours is {row.op!r}")
    raise InexpressibleError(f"no op of ours is {row.op!r}")
