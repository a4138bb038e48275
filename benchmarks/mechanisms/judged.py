"""Rows of the catalogue of mechanisms with what the model says of each."""

import csv
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mechanisms import computed, copies, latencies, lines
from benchmarks.mechanisms.predicted import Prediction, UnsaidError
from ttstack.system_desc import ChipDesc, load

Row = Mapping[str, str]
_BOARDS = {"wormhole_b0": "wormhole", "blackhole": "blackhole_p100a"}
EXPERIMENTS: Mapping[str, Callable[[Row, ChipDesc], Prediction]] = {
    "bank_placement": copies.pages,
    "compute_fusion": computed.fusion,
    "double_buffer": copies.elementwise,
    "dram_saturation": copies.copy,
    "matmul_output_subblock": computed.subblocks,
    "noc_one_packet": lines.writes_to_one,
    "noc_placement": copies.copy,
    "reader_placement": copies.copy,
    "reduce_accumulate": computed.reduction,
    "reduce_block": computed.reduction,
    "row_unicast_vs_mcast": lines.writes_to_peers,
    "tensix_all_reduce": lines.all_reduce,
    "transfer_alignment": copies.spans,
    "width_split": copies.elementwise,
}
"""What predicts the rows of an experiment."""
UNSAID: Mapping[str, str] = {
    "bank_stagger": "cores that read the banks in another order than each other: no kernel of ttnn's tilize does",
    "compute_block_size": "an addition and a product in one kernel, by rows of tiles a block: ttnn has no such op",
}
"""Experiments that no term says, and why."""


@dataclass(frozen=True)
class Judged:
    """A row with what was measured, in nanoseconds or cycles, and its prediction or the reason why there is none."""

    group: tuple[str, ...]
    row: Row
    measured: float
    predicted: Prediction | None
    reason: str = ""

    @property
    def error(self) -> float:
        """Predicted over measured, less 1; of a row without a prediction, not a number."""
        return self.predicted.value / self.measured - 1 if self.predicted else float("nan")


def judge_experiments(shared: Path) -> list[Judged]:
    """Each row of `mechanisms.csv`."""
    chips = {arch: load(name).chips[0] for arch, name in _BOARDS.items()}
    return [
        _judged((row["example"],), row, _measured_ns(row), lambda row=row: _predict(row, chips[row["arch"]]))
        for row in _read(shared / "measured" / "mechanisms.csv")
    ]


def judge_latencies(shared: Path) -> list[Judged]:
    """Each row of `noc_latencies.csv`."""
    return [
        _judged(
            tuple(row[key] for key in latencies.KEYS),
            row,
            float(row["cycles"]),
            lambda row=row: latencies.predict_batch(row),
        )
        for row in _read(shared / "measured" / "noc_latencies.csv")
    ]


def grouped(judged: Iterable[Judged]) -> dict[tuple[str, ...], list[Judged]]:
    """Rows by group, in alphabetical order."""
    found: dict[tuple[str, ...], list[Judged]] = defaultdict(list)
    for each in judged:
        found[each.group].append(each)
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Summary:
    """A group: its rows, how many have a prediction, the median of their absolute errors, and the usual term."""

    rows: int
    said: int
    median: float
    bias: float
    term: str
    reason: str

    @staticmethod
    def of(judged: Sequence[Judged]) -> "Summary":
        """The summary of the rows of one group."""
        said = [each for each in judged if each.predicted]
        terms = Counter(each.predicted.term for each in said if each.predicted)
        reasons = Counter(each.reason for each in judged if each.reason)
        return Summary(
            len(judged),
            len(said),
            statistics.median(abs(each.error) for each in said) if said else float("nan"),
            statistics.median(each.error for each in said) if said else float("nan"),
            ", ".join(term for term, _ in terms.most_common(2)),
            "; ".join(reason for reason, _ in reasons.most_common(2)),
        )


def records(shared: Path) -> dict[str, list[dict[str, str | int | float | None]]]:
    """What docs/mechanisms.md shows of each group: its summary, and the row whose error is the median."""
    found = {"experiments": judge_experiments(shared), "latencies": judge_latencies(shared)}
    return {name: [_record(g, rows) for g, rows in grouped(judged).items()] for name, judged in found.items()}


def _record(group: tuple[str, ...], judged: Sequence[Judged]) -> dict[str, str | int | float | None]:
    summary = Summary.of(judged)
    said = sorted((each for each in judged if each.predicted), key=lambda each: abs(each.error))
    usual = said[len(said) // 2] if said else None
    return {
        "group": " ".join(group).replace("_", " "),
        "rows": summary.rows,
        "said": summary.said,
        "median": round(summary.median, 3) if said else None,
        "bias": round(summary.bias, 3) if said else None,
        "term": summary.term,
        "reason": summary.reason,
        "measured": round(usual.measured) if usual else None,
        "predicted": round(usual.predicted.value) if usual and usual.predicted else None,
    }


def _predict(row: Row, chip: ChipDesc) -> Prediction:
    name = row["example"]
    if name not in EXPERIMENTS:
        raise UnsaidError(UNSAID.get(name, "an experiment that nobody has expressed"))
    return EXPERIMENTS[name](row, chip)


def _judged(group: tuple[str, ...], row: Row, measured: float, predict: Callable[[], Prediction]) -> Judged:
    if not measured:
        return Judged(group, row, measured, None, "neither a time nor a matrix whose bytes a rate would move")
    try:
        return Judged(group, row, measured, predict())
    except UnsaidError as error:
        return Judged(group, row, measured, None, str(error))


def _measured_ns(row: Row) -> float:
    """Nanoseconds; of a row with a rate alone, those of its reads and writes together at it, 0 where it lacks both."""
    if row["ns"]:
        return float(row["ns"])
    try:
        return 2 * copies.nbytes(row["case"]) / float(row["gb_per_s"] or 0)
    except (UnsaidError, ZeroDivisionError):
        return 0.0


def _read(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
