"""A profiler's CSV of a program that ran (`ops_perf_results.csv` of tt-metal), as rows: one for each op."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rows import Row, number_of, read_records

_DURATION = "DEVICE KERNEL DURATION [ns]"
_NEEDED = ("OP CODE", "ATTRIBUTES", "INPUT_0_MEMORY", _DURATION)
_FUNCTIONS = (
    r"'binary_op_type': '(?:BinaryOpType::)?(\w+)",
    r"'op_chain': '(?:[^']*?UnaryOpType::|\W*)(\w+)",
    r"'ternary_op_type': '(?:TernaryOpType::)?(\w+)",
    r"(RMSNORM)\b",
)
"""What an op computes, where its code does not say."""
_NAMES = {"RMSNORM": "rms_norm"}
_NOTED = (
    (r"TransposeOpDim::(\w+)", "{}"),
    (r"'dims': '[^']*?((?:\d\s*;\s*)+\d)", "({})"),
    (r"'num_groups': '(\d+)'", "groups={}"),
    (r"'is_causal': '(?:false|0)'", "causal=false"),
    (r"'k': '(\d+)'", "k={}"),
    (r"dilation_hw=\((\d+; ?\d+)\)", "dilation=({})"),
    (r"\b((?:act_block|out_subblock)_[hw]_ntiles=\d+)", "{}"),
    (r"\b((?:in0_block_w|out_block_[hw]|out_subblock_[hw])=\d+)", "{}"),
    (r"\b([qk]_chunk_size=\d+)", "{}"),
)
"""Attributes that decide how long an op takes, and how notes of measurements spell them."""
_GRID = re.compile(r"grid=\{\[\(x=(\d+)[;,] ?y=(\d+)\) - \(x=(\d+)[;,] ?y=(\d+)\)\]\}")
_WINDOW = re.compile(
    r"batch_size=(\d+).*?input_hw=\((\d+); ?(\d+)\).*?window_hw=\((\d+); ?(\d+)\).*?stride_hw=\((\d+); ?(\d+)\)"
)
_PADDING = re.compile(r"pad(?:ding|_hw)=\(+(\d+); ?(\d+)\)(?:; ?\((\d+); ?\d+\)\))?")


@dataclass(frozen=True)
class _Tensor:
    shape: str
    dtype: str
    memory: str


def read_profile(path: Path) -> list[Row]:
    """The ops of a run, signposts left out; ops that did not run on the device say so in `fault`.

    Files that do not tell logical extents from padded ones are of 2024.
    """
    columns, records = read_records(path)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise SystemExit(f"{path}: no column {', '.join(missing)}, so that it is not an ops_perf_results.csv")
    devices = len({record.get("DEVICE ID", "") for record in records if record.get("OP TYPE") != "signpost"})
    numbered = enumerate(records, start=2)
    return [_row(n, record, path.name, devices) for n, record in numbered if record.get("OP TYPE") != "signpost"]


def _row(number: int, record: Mapping[str, str], file: str, devices: int) -> Row:
    code, attributes = record["OP CODE"], record["ATTRIBUTES"]
    given, made = list(_tensors(record, "INPUT")), list(_tensors(record, "OUTPUT"))
    ns = number_of(record[_DURATION])
    window = _window(code, attributes, given, made)
    first, second, *_ = [*(t.dtype for t in given), "", ""]
    return Row(
        number=number,
        source=file,
        arch=record.get("DEVICE ARCH", ""),
        op=_name(code, attributes),
        shape=window or "; ".join(f"{role} {t.shape}" for role, t in _roles(given, made)),
        dtypes=(first, second, made[0].dtype if made else ""),
        fidelity=record.get("MATH FIDELITY", ""),
        memory_layout=made[0].memory if window else ", ".join(f"{role} {t.memory}" for role, t in _roles(given, made)),
        grid=_grid(attributes, record.get("CORE COUNT", "")),
        time_us=ns / 1e3 if ns else None,
        time_kind="device_kernel",
        notes="; ".join([*_notes(attributes), *([f"{devices} devices"] if devices > 1 else [])]),
        date="" if any("LOGICAL" in name for name in record) else "2024-12",
        file=file,
        fault=_fault(record, ns),
    )


def _fault(record: Mapping[str, str], ns: float | None) -> str:
    if record.get("OP TYPE") not in ("tt_dnn_device", "", None) or "(torch)" in record["OP CODE"]:
        return "it ran on the host"
    return "" if ns else "no duration of a kernel"


def _roles(given: list[_Tensor], made: list[_Tensor]) -> list[tuple[str, _Tensor]]:
    return [*((f"in{i}", t) for i, t in enumerate(given)), *(("out", t) for t in made[:1])]


def _tensors(record: Mapping[str, str], kind: str) -> Iterator[_Tensor]:
    """The tensors of a kind in their logical shapes: cells are `padded[logical]`, or numbers in older files."""
    for i in range(len(record)):
        cells = [record.get(f"{kind}_{i}_{d}_PAD[LOGICAL]") or record.get(f"{kind}_{i}_{d}", "") for d in "WZYX"]
        extents = [re.search(r"(\d+)\D*$", cell) for cell in cells]
        if not all(extents):
            return
        memory = re.sub(r"^DEV_\d+_", "", record.get(f"{kind}_{i}_MEMORY", ""))
        layout = record.get(f"{kind}_{i}_LAYOUT", "")
        yield _Tensor(
            "x".join(found[1] for found in extents if found),
            record.get(f"{kind}_{i}_DATATYPE", ""),
            f"{memory} {layout}".strip(),
        )


def _name(code: str, attributes: str) -> str:
    """The op's code, and the function where only the attributes name it."""
    reduced = re.search(r"ReduceOpMath::(\w+)", attributes), re.search(r"ReduceOpDim::(\w+)", attributes)
    if reduced[0]:
        return f"Reduce:{reduced[0][1]}" + (f"_{reduced[1][1]}" if reduced[1] else "")
    pooled = re.search(r"Pool2DType::(\w+)", attributes)
    if pooled:
        return f"{pooled[1].lower()}:{code}"
    found = next((f for pattern in _FUNCTIONS if (f := re.search(pattern, attributes))), None)
    return code if found is None else f"{code}:{_NAMES.get(found[1], found[1])}"


def _notes(attributes: str) -> Iterator[str]:
    for pattern, spelled in _NOTED:
        for found in dict.fromkeys(m.group(m.lastindex or 0) for m in re.finditer(pattern, attributes)):
            yield spelled.format(found.replace(";", ",") if "(" in spelled else found)


def _grid(attributes: str, cores: str) -> str:
    """The rectangle of the shards where it has as many cores as ran, else the number of these."""
    for found in _GRID.finditer(attributes):
        left, top, right, bottom = map(int, found.groups())
        rows, columns = bottom - top + 1, right - left + 1
        if cores == str(rows * columns):
            return f"{rows}x{columns}"
    return f"{cores} cores" if cores else ""


def _window(code: str, attributes: str, given: list[_Tensor], made: list[_Tensor]) -> str:
    """The shape of a convolution or pool, whose tensors are listed as pixels by channels."""
    found = _WINDOW.search(attributes)
    if found is None or not given or not made or not re.search(r"conv|pool", code, re.IGNORECASE):
        return ""
    n, h, w, kh, kw, sh, sw = found.groups()
    pad = _PADDING.search(attributes)
    top, left = (pad[1], pad[3] or pad[2]) if pad else ("0", "0")
    channels, filters = (t.shape.rsplit("x", 1)[-1] for t in (given[0], made[0]))
    groups = re.search(r"'groups': '(\d+)'", attributes)
    spelled = f"N{n} H{h} W{w} Cin{channels} Cout{filters} kh{kh} kw{kw} sh{sh} sw{sw} ph{top} pw{left}"
    return f"{spelled} g{groups[1] if groups else 1}"
