"""What the cost model says about a row: the figure that was measured, of the op that the row describes."""

import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import attention
import conv
import elementwise
import moves
import rowwise
from collectives import collective_row
from device import bound_row, dispatch_row, dram_row, noc_row, vector_row
from exchanges import fabric_row, host_row
from expressed import Expressed, Forecast
from inexpressible import InexpressibleError
from matmul import matmul_row
from names import operation
from placed import Maker
from rows import Row
from yardsticks import pm_ideal_ns, polaris_ns, roofline_ns

from ttstack.cost import Cost, predict
from ttstack.program.device_op import DeviceOp
from ttstack.program.matmul_blocks import MatmulBlocks
from ttstack.program.structure import is_attention, is_contraction
from ttstack.system_desc import ChipDesc

UNSEEN_BY_MATH = ("throttle", "skew")
"""Terms that cycle counts of the math thread leave out, beside the writing of the last block."""
_OPS: tuple[tuple[str, str, Maker], ...] = (
    (r"sdpa_prefill_baseline|unfused", "unfused attention", attention.unfused_attention_row),
    (r"(sdpa|scaled_?dot_?product_?attention|flash).*decode", "decode attention", attention.decode_row),
    (r"sdpa|scaled_?dot_?product_?attention|flash_?attention", "flash attention", attention.attention_row),
    (r"pool", "pool", conv.pool_row),
    (r"halo", "halo", moves.halo_row),
    (r"conv(?!ert)", "convolution", conv.conv_row),
    (r"upsample", "upsample", conv.upsample_row),
    (r"mat_?mul|linear|\bmm\b|\bbmm\b|gemm|dot_?general", "matmul", matmul_row),
    (r"reshard", "reshard", moves.trace_row),
    (r"interleaved_?to_?sharded|\bi2s\b", "interleaved to sharded", moves.trace_row),
    (r"sharded_?to_?interleaved|\bs2i\b", "sharded to interleaved", moves.trace_row),
    (
        r"tilize|to_?layout|typecast|^copy|clone|to_?memory_?config|^move\b|^assign",
        "tiling and copies",
        moves.layout_row,
    ),
    (r"concat_?heads|concatenate_?heads", "heads", moves.heads_row),
    (r"create_?(qkv_?)?heads|split_?heads|split_query", "heads", moves.split_row),
    (r"cache", "caches", moves.cache_row),
    (r"rotary|\brope\b", "rotary embedding", moves.rotary_row),
    (r"transpose|permute", "transpose", moves.transpose_row),
    (r"concat", "concat", moves.concat_row),
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
_RATES: tuple[tuple[str, Callable[[Row], Expressed]], ...] = (
    (r"empty_program_dispatch", dispatch_row),
    (r"noc:(dram|l1_read|l1_write|l1_local)_bw", noc_row),
    (r"noc:", bound_row),
    (r"dram_?(read|write|ubench|bandwidth|bw)", dram_row),
    (r"sfpu:", vector_row),
    (
        r"(?<!pre_)(?<!post_)(?<!rms_)(all_?gather|reduce_?scatter|all_?reduce|all_?broadcast|all_?to_?all)",
        collective_row,
    ),
    (r"fabric|ethernet|\beth_|erisc|\bedm\b|ccl_(latency|bandwidth)", fabric_row),
    (r"buffer|host|pcie|enqueue|\b[hd]2[hd]\b|(to|from)_device|^([a-z]+[:_])?(write|read)\b", host_row),
)


@dataclass(frozen=True)
class Placed:
    """A row that is an op, or a sequence of ops: what is measured of it depends on the kind of time."""

    cases: tuple[tuple[DeviceOp, ...], ...]
    """What may have run, each as likely, where the row does not say all."""
    time_kind: str

    @property
    def device_op(self) -> DeviceOp:
        """The first op of the first case."""
        return self.cases[0][0]

    def __call__(self, chip: ChipDesc) -> Forecast:
        """The prediction on a chip."""
        times = [sum(_seen_ns(op, predict(op, chip), self.time_kind) for op in case) for case in self.cases]
        ideal, pm, polaris = (
            min(sum(ns(op, chip) for op in case) for case in self.cases) / 1e3
            for ns in (roofline_ns, pm_ideal_ns, polaris_ns)
        )
        return Forecast(statistics.mean(times) / 1e3, ideal, predict(self.device_op, chip).bound, pm, polaris)


def _seen_ns(device_op: DeviceOp, cost: Cost, time_kind: str) -> float:
    """The part of the cost that a kind of measurement sees; the halo op is a kernel of its own."""
    match time_kind:
        case kind if "host" in kind and _traced(kind):
            return cost.elapsed_ns
        case "trisc1_cycles_trace":
            product = is_contraction(device_op.dispatch) and not is_attention(device_op.dispatch)
            blocks = MatmulBlocks.of(device_op).out_blocks if product else 1
            unseen = cost.terms["tail"] / blocks + sum(cost.terms[name] for name in UNSEEN_BY_MATH)
            return cost.total_ns - unseen
        case "device_kernel" | "device_fw" | "device":
            return cost.total_ns - cost.terms.get("halo", 0.0)
        case "device_cycles_trace":
            return cost.total_ns - cost.terms["fill"]
        case _:
            return cost.total_ns


def _traced(kind: str) -> bool:
    return "trace" in kind and re.search(r"(no|without)[ _]?trace|eager", kind) is None


def express(row: Row, chip: ChipDesc) -> Expressed:
    """The row as something to predict; raises `InexpressibleError` where it is nothing of the kind."""
    words = operation(row.op)
    for pattern, rate in _RATES:
        if re.search(pattern, words):
            return rate(row)
    kind, maker = _op(row, words)
    placed = Placed(_cases(row, chip, maker), row.time_kind)
    if "host" in row.time_kind and not _traced(row.time_kind):
        raise InexpressibleError("time of the host without a trace, which depends on the host")
    measured = row.time_us
    if measured is None:
        if not row.tflops:
            raise InexpressibleError("neither a time nor a rate of FLOPs")
        measured = sum(op.op.flops() for op in placed.cases[0]) / row.tflops / 1e6
    return Expressed(row, _class(kind, row), measured, placed)


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
    if re.search(r"unary|eltwise|elementwise", words):
        raise InexpressibleError(f"no elementwise function is named by {row.op!r}")
    raise InexpressibleError(f"no op of ours is {row.op!r}")


def _class(kind: str, row: Row) -> str:
    return f"{kind}, {row.time_kind}" if kind == "matmul" and row.time_kind else kind


def _cases(row: Row, chip: ChipDesc, placed: Maker) -> tuple[tuple[DeviceOp, ...], ...]:
    try:
        made = placed(row, chip)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InexpressibleError(f"shape {row.shape!r} fits no such op: {error}") from error
    if isinstance(made, DeviceOp):
        return ((made,),)
    return (made,) if isinstance(made, tuple) else tuple((case,) for case in made)
