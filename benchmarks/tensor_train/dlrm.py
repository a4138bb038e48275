"""DLRM with Criteo's tables, dense and in Tensor-Train form: bytes, values, predicted latency and DRAM traffic.

`python benchmarks/tensor_train/dlrm.py [--system-desc NAME] [--batch N] [--rank N]`
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from torch import nn

import ttstack
from examples import criteo
from ttstack.diagnostics import TTStackError

LOOKUPS = ("embedding", "embedding_bag", "tensor_train_embedding_bag")


def tables(rows: tuple[int, ...], model: criteo.CriteoDLRM, width: int) -> None:
    """A line for each table in Tensor-Train form, and the sum of all."""
    dense = left = 0
    for number, (count, table) in enumerate(zip(rows, model.tables, strict=True)):
        nbytes = sum(p.numel() * p.element_size() for p in table.parameters())
        dense, left = dense + 4 * count * width, left + nbytes
        if not isinstance(table, nn.EmbeddingBag):
            plan = table.plan
            shape = f"{plan.row_factors} x {plan.col_factors}, ranks {plan.ranks[1:-1]}"
            before, ratio = 4 * count * width, 4 * count * width / nbytes
            print(f"  table {number:2}: {count:10,} rows, {shape}: {before:14,} to {nbytes:9,} bytes, {ratio:,.0f}x")
    print(f"  all tables: {dense:,} to {left:,} bytes, {dense / left:.1f}x")


def predicted(what: str, example: criteo.Example, system: str, dtype: str | None) -> None:
    """Latency and DRAM traffic of one batch, and the part of the lookups; or why it does not fit."""
    try:
        report = ttstack.compile(*example, system_desc=system, dtype=dtype).cost()
    except TTStackError as error:
        print(f"  {what}: {error.diagnostic.message}")
        return
    ops = [op for op in report.ops if op.name in LOOKUPS]
    traffic, of_lookups = (sum(op.dram_bytes for op in found) / 1e6 for found in (report.ops, ops))
    lookups, dram = sum(op.elapsed_ns for op in ops) / 1e3, report.memory["dram"]
    print(
        f"  {what}: {report.total_ns / 1e3:.1f} us and {traffic:.2f} MB of DRAM traffic; lookups {lookups:.1f} us "
        f"and {of_lookups:.3f} MB; DRAM holds {dram.peak / 2**20:,.1f} MiB"
    )


def differs(example: criteo.Example, system: str) -> float:
    """The largest difference between the compiled program and PyTorch."""
    model, (dense, ids, offsets) = example
    program = ttstack.compile(model, (dense, ids, offsets), system_desc=system)
    given = [t.numpy() for t in (dense, *ids, offsets)]
    (found,) = program.run(dict(zip(program.inputs(), given, strict=True))).outputs.values()
    return float(np.abs(found - model(dense, ids, offsets).detach().numpy()).max())


def main() -> None:
    """Both logs, dense and in Tensor-Train form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--system-desc", default="wormhole")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rank", type=int, default=32)
    given = parser.parse_args()
    train, system = criteo.kaggle(given.rank, given.batch), given.system_desc
    print(f"Criteo Kaggle, {sum(criteo.KAGGLE):,} rows of 16, batch {given.batch}, rank {given.rank}, {system}")
    tables(criteo.KAGGLE, train[0], 16)
    print(f"  largest difference from PyTorch: {differs(train, system):.1e}")
    for dtype in (None, "bf16"):
        predicted(f"dense,        {dtype or 'f32'}", criteo.kaggle_dense(given.batch), system, dtype)
        predicted(f"Tensor-Train, {dtype or 'f32'}", train, system, dtype)
    large = criteo.terabyte(given.rank, given.batch)
    print(f"Criteo Terabyte capped at 40 million, {sum(criteo.TERABYTE):,} rows of 128, described")
    tables(criteo.TERABYTE, large[0], 128)
    for dtype in (None, "bf16"):
        predicted(f"dense,        {dtype or 'f32'}", criteo.terabyte_dense(given.batch), system, dtype)
        predicted(f"Tensor-Train, {dtype or 'f32'}", large, system, dtype)


if __name__ == "__main__":
    main()
