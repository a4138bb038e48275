"""The columns of tt-metal's `ops_perf_results`, version 2.1 (tools/tracy/process_ops_logs.py: OPS_CSV_HEADER)."""

_DIMS = ("W_PAD[LOGICAL]", "Z_PAD[LOGICAL]", "Y_PAD[LOGICAL]", "X_PAD[LOGICAL]")
TENSOR = (*_DIMS, "LAYOUT", "DATATYPE", "MEMORY")
"""Suffixes after `INPUT_<i>_` and `OUTPUT_<i>_`."""

_BEFORE = (
    "OP CODE",
    "OP TYPE",
    "GLOBAL CALL COUNT",
    "DEVICE ID",
    "DEVICE ARCH",
    "ATTRIBUTES",
    "MATH FIDELITY",
    "CORE COUNT",
    "AVAILABLE WORKER CORE COUNT",
    "PARALLELIZATION STRATEGY",
    "HOST START TS",
    "HOST END TS",
    "HOST DURATION [ns]",
    "DEVICE FW START CYCLE",
    "DEVICE FW END CYCLE",
    "OP TO OP LATENCY [ns]",
    "OP TO OP LATENCY BR/NRISC START [ns]",
    "DEVICE FW DURATION [ns]",
    "DEVICE KERNEL DURATION [ns]",
    "DEVICE KERNEL DURATION DM START [ns]",
    "DEVICE KERNEL DURATION PER CORE MIN [ns]",
    "DEVICE KERNEL DURATION PER CORE MAX [ns]",
    "DEVICE KERNEL DURATION PER CORE AVG [ns]",
    "DEVICE KERNEL FIRST TO LAST START [ns]",
    "DEVICE BRISC KERNEL DURATION [ns]",
    "DEVICE NCRISC KERNEL DURATION [ns]",
    "DEVICE TRISC0 KERNEL DURATION [ns]",
    "DEVICE TRISC1 KERNEL DURATION [ns]",
    "DEVICE TRISC2 KERNEL DURATION [ns]",
    "DEVICE ERISC KERNEL DURATION [ns]",
    "DEVICE COMPUTE CB WAIT FRONT [ns]",
    "DEVICE COMPUTE CB RESERVE BACK [ns]",
    "DISPATCH TOTAL CQ CMD OP TIME [ns]",
    "DISPATCH GO SEND WAIT TIME [ns]",
)
_AFTER = (
    "METAL TRACE ID",
    "METAL TRACE REPLAY SESSION ID",
    "COMPUTE KERNEL SOURCE",
    "COMPUTE KERNEL HASH",
    "DATA MOVEMENT KERNEL SOURCE",
    "DATA MOVEMENT KERNEL HASH",
    "PROGRAM HASH",
    "PROGRAM CACHE HIT",
    "TENSIX DM 0 MAX KERNEL SIZE [B]",
    "TENSIX DM 1 MAX KERNEL SIZE [B]",
    "TENSIX COMPUTE 0 MAX KERNEL SIZE [B]",
    "TENSIX COMPUTE 1 MAX KERNEL SIZE [B]",
    "TENSIX COMPUTE 2 MAX KERNEL SIZE [B]",
    "ACTIVE ETH DM 0 MAX KERNEL SIZE [B]",
    "ACTIVE ETH DM 1 MAX KERNEL SIZE [B]",
    "IDLE ETH DM 0 MAX KERNEL SIZE [B]",
    "IDLE ETH DM 1 MAX KERNEL SIZE [B]",
    "PM IDEAL [ns]",
    "PM COMPUTE [ns]",
    "PM BANDWIDTH [ns]",
    "PM REQ I BW",
    "PM REQ O BW",
    "PM FPU UTIL (%)",
    "NOC UTIL (%)",
    "MULTICAST NOC UTIL (%)",
    "DRAM BW UTIL (%)",
    "DRAM BW UTIL PER CTRL (%)",
    "ETH BW UTIL (%)",
    "NPE CONG IMPACT (%)",
)
_TTRT = ("LOC", "CONST_EVAL_OP", "INPUT_LAYOUT_CONVERSION_OP", "PROGRAM_METADATA")
"""Columns that tt-mlir's `ttrt perf` appends."""
ERRORS = ("EXPECTED ERROR LOW (%)", "EXPECTED ERROR HIGH (%)", "EXPECTED ERROR RESTS ON")
"""Columns that only ttstack has: the interval of an op's time, and the measurements behind it."""

VISITED = "SCORE TILES VISITED (%)"
"""The last column, which only ttstack has: the visited share of attention scores, if the mask is known."""


def header(inputs: int, outputs: int) -> tuple[str, ...]:
    """Return all columns for ops with this many operands and results."""
    tensors = [f"{kind}_{i}" for kind, count in (("INPUT", inputs), ("OUTPUT", outputs)) for i in range(count)]
    named = (f"{tensor}_{field}" for tensor in tensors for field in TENSOR)
    return (*_BEFORE, *named, *_AFTER, *_TTRT, *ERRORS, VISITED)
