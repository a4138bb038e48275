"""A step of GPT-2 with Adam on an n150, predicted only: `python -m benchmarks.recompute [SIZE BATCH LENGTH]`.

Prints for each way to recompute whether the step fits, its predicted time, what runs again and how near that is to
the least, and the processor time of compiling it. All tensors lie in DRAM.
"""

import sys
import time
from functools import partial

import torch
from transformers import GPT2Config, GPT2LMHeadModel

import ttstack
from ttstack.diagnostics import TTStackError
from ttstack.report.step_memory import step_memory

SIZES = {"small": (12, 768, 12), "medium": (24, 1024, 16)}


def compile_step(size: str, batch: int, length: int, recompute: str) -> ttstack.Program:
    """The step of a model whose weights are only described, without dropout."""
    layers, width, heads = SIZES[size]
    no_dropout = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0)
    with torch.device("meta"):
        model = GPT2LMHeadModel(GPT2Config(n_layer=layers, n_embd=width, n_head=heads, **no_dropout, use_cache=False))
    tokens = f"{batch}x{length}xi64"
    given = {"input_ids": tokens, "labels": tokens}
    optimizer = partial(torch.optim.Adam, lr=1e-4)
    return ttstack.compile_step(model, given, optimizer=optimizer, recompute=recompute, placement="dram")


def main(size: str = "medium", batch: str = "4", length: str = "1024") -> None:
    """Compile each way, and print what came of it."""
    for recompute in ("none", "auto", "all"):
        start = time.process_time()
        try:
            program = compile_step(size, int(batch), int(length), recompute)
        except TTStackError as error:
            print(f"{size} {batch}x{length} {recompute}: {error.diagnostic.message}", flush=True)
            continue
        report, taken = program.cost(), time.process_time() - start
        again = [op.kernel_ns + op.gap_ns for op in report.ops if op.location.startswith("recompute")]
        dram = report.memory["dram"]
        *_, held = step_memory(program.function(), 1)
        print(
            f"{size} {batch}x{length} {recompute}: {report.total_ns / 1e6:.1f} ms, of which {sum(again) / 1e6:.1f} ms "
            f"in {len(again)} ops that run again; activations {held['activations'] / 2**30:.2f} GiB, at most "
            f"{dram.peak / 2**30:.2f} GiB of DRAM; compiled in {taken:.0f} s of processor time",
            flush=True,
        )
        if (chosen := program.function().recomputation) is not None and chosen.bound_ns is not None:
            least = f"{chosen.bound_ns / 1e6:.1f} ms within the bytes that were counted"
            print(f"what runs again takes {chosen.ns / 1e6:.1f} ms, each op alone; no choice takes less than {least}")
        print({name: round(seconds, 1) for name, seconds in program.phases.items() if seconds > 1}, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
