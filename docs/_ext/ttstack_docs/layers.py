"""Layers op by op, as the benchmark's command wrote them, beside those of public programs."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.published_models.written import Row, WrittenLayer, WrittenOp, written_layers
from ttstack_docs.markdown import literal, table

_FILE = Path(__file__).parents[2] / "layers.json"
_SOURCES = "https://github.com/tenstorrent/tt-metal/blob"
_LINES = 4
"""More ops than that of one row stand in one line."""

Records = Mapping[str, Mapping[str, Any]]
"""What was found of a layer, by network."""

Parts = Sequence[Sequence[Mapping[str, Any]]]
"""Ops of a network that stand in a row, by the names that the row has for them."""


def layer_summary() -> str:
    """A row for each network: ops here and there, times, what public code does not need, what the library takes."""
    titles = ("layer", "ops here", "ops there", "µs here", "of it not needed there", "accepted by the library")
    return table(titles, (cells for layer, records in _layers() for cells in _summary(layer, records)))


def layer_gaps() -> str:
    """What layers do that public code does not, most of a whole network first."""
    titles = ("network", "ops", "µs a layer", "layers", "ms in all", "")
    found = [gap for layer, records in _layers() for gap in _gaps(layer, records)]
    ordered = sorted(found, key=lambda gap: -gap[1] * gap[2])
    cells = (
        [ops[0], ops[1], f"{us:,.1f}", str(layers), f"{us * layers / 1e3:,.2f}", why]
        for ops, us, layers, why in ordered
    )
    return table(titles, cells)


def layer_tables() -> str:
    """A section for each layer."""
    return "\n\n".join(_section(layer, records) for layer, records in _layers())


def _layers() -> Iterator[tuple[WrittenLayer, Records]]:
    found = json.loads(_FILE.read_text())
    yield from ((layer, found[name]) for name, layer in written_layers().items())


def _summary(layer: WrittenLayer, records: Records) -> Iterator[list[str]]:
    there = sum(op.count for row in layer.rows for op in row.theirs if op.launches)
    for network, record in records.items():
        name = layer.name if len(records) == 1 else network
        extra = sum(_us(ops, row.extra) for row, ops in _rows(layer, record))
        cells = [str(len(record["ops"])), str(there) if layer.files else "", f"{_us(record['ops']):,.1f}"]
        yield [name, *cells, f"{extra:,.1f}" if extra else "", library_verdict(record)]


def library_verdict(record: Mapping[str, Any]) -> str:
    """How many ops of a program the library takes, and what it says of the others."""
    taken = record["judged"] - len(record["refused"])
    refused = "; ".join(_refusals(record))
    return f"{taken} of {record['judged']}" + (f": {refused}" if refused else "")


def _refusals(record: Mapping[str, Any]) -> Iterator[str]:
    """Reasons, each once for all ops of a name, and that of the program where it is another one."""
    said = [refusal.partition(": ") for refusal in record["refused"]]
    alike = Counter((op.partition(" ")[0], why) for op, _, why in said)
    yield from (f"{_times(op, count)}: {why}" for (op, why), count in alike.items())
    if record["refusal"] and record["refusal"] not in [why for _, why in alike]:
        yield record["refusal"]


def _gaps(layer: WrittenLayer, records: Records) -> Iterator[tuple[tuple[str, str], float, int, str]]:
    """Networks and ops, microseconds of a layer, how many layers, and why; rows with the same ops are one."""
    for network, record in records.items():
        name = layer.name if len(records) == 1 else network
        rows = [(row, ops) for row, ops in _rows(layer, record) if row.extra and row.kind == "worse"]
        for extra in dict.fromkeys(row.extra for row, _ in rows):
            alike = [(row, ops) for row, ops in rows if row.extra == extra]
            us = sum(_us(ops, extra) for _, ops in alike)
            counts = Counter(op["op"] for _, ops in alike for op in ops if op["op"] in extra)
            names = ", ".join(_times(op, count) for op, count in counts.items())
            yield (name, names), us, record["layers"], alike[0][0].why


def _rows(layer: WrittenLayer, record: Mapping[str, Any]) -> Iterator[tuple[Row, list[Mapping[str, Any]]]]:
    ops = record["ops"]
    for row, ranges in zip(layer.rows, layer.aligned([op["op"] for op in ops]), strict=True):
        yield row, [ops[i] for part in ranges for i in part]


def _us(ops: Sequence[Mapping[str, Any]], names: frozenset[str] | None = None) -> float:
    return sum(op["us"] for op in ops if names is None or op["op"] in names)


def _section(layer: WrittenLayer, records: Records) -> str:
    titles = ("here", "result", "lies in", *(_titles(records)), "there", "")
    where = ", ".join(map(_source, layer.files))
    found = f"There: {where}." if where else ""
    lines = [cells for i, row in enumerate(layer.rows) for cells in _lines(row, _of_row(layer, records, i))]
    return "\n\n".join(filter(None, (f"## {layer.name}", layer.about, found, table(titles, lines))))


def _titles(records: Records) -> Sequence[str]:
    return ["µs"] if len(records) == 1 else [f"µs, {network}" for network in records]


def _source(file: str) -> str:
    path, _, commit = file.partition("@")
    return f"[`{path}`]({_SOURCES}/{commit}/{path})"


def _of_row(layer: WrittenLayer, records: Records, i: int) -> Sequence[Parts]:
    """For each network the ops of the i-th row, those of each of its parts."""
    found = []
    for record in records.values():
        ops = record["ops"]
        found.append([[ops[at] for at in part] for part in layer.aligned([op["op"] for op in ops])[i]])
    return found


def _lines(row: Row, networks: Sequence[Parts]) -> Iterator[list[str]]:
    there, why = "; ".join(map(_written, row.theirs)), _why(row, networks)
    parts = [part for part in range(len(networks[0])) if any(ops[part] for ops in networks)]
    if not parts:
        yield ["", "", "", *[""] * len(networks), there, why]
    elif row.times > 1 or len(parts) > _LINES:
        names = _counted([op.name for op in row.ours for _ in range(op.count)])
        times = f"{row.times} times: " if row.times > 1 else ""
        yield [times + names, "", "", *(_time(_all(ops)) for ops in networks), there, why]
    else:
        for part in parts:
            first = next(ops[part][0] for ops in networks if ops[part])
            count = max(len(ops[part]) for ops in networks)
            name = _times(first["op"], count) + (f" with {first['activation']}" if first["activation"] else "")
            yield [name, first["shape"], first["layout"], *(_time(ops[part]) for ops in networks), there, why]
            there = why = ""


def _all(parts: Parts) -> list[Mapping[str, Any]]:
    return [op for part in parts for op in part]


def _time(ops: Sequence[Mapping[str, Any]]) -> str:
    return f"{_us(ops):,.1f}" if ops else ""


def _written(op: WrittenOp) -> str:
    return _times(op.name, op.count) + (f" {op.note}" if op.note else "")


def _why(row: Row, networks: Sequence[Parts]) -> str:
    if row.kind == "same":
        return row.why
    lost = _us(_all(networks[0]), row.extra) if row.kind == "worse" else 0
    return f"**{row.kind}**{f', {lost:,.1f} µs' if lost else ''}: {row.why}"


def _counted(names: Sequence[str]) -> str:
    """Names in order, equal ones in a row counted."""
    return ", ".join(_times(name, len(list(run))) for name, run in groupby(names))


def _times(name: str, count: int) -> str:
    return literal(name) + (f" {count} times" if count > 1 else "")
