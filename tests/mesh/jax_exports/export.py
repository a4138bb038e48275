"""Writes the files beside it: run it with JAX installed (written with 0.10.2) to make them anew.

For each program, `NAME.mlir` is its StableHLO text in GSPMD's form, and `NAME.npz` the inputs in order and the output
that JAX computed on as many CPU devices.
"""

import os
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import numpy as np
from jax import export, lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

FOLDER = Path(__file__).parent
jax.config.update("jax_use_shardy_partitioner", False)
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
PAIR = Mesh(np.array(jax.devices()[:2]), ("x",))
EIGHT = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
_RNG = np.random.default_rng(0)


def _normal(*shape: int) -> np.ndarray:
    return _RNG.standard_normal(shape).astype(np.float32)


def summed(x):
    return x * 2 + lax.psum(x, "x")


def gathered(x):
    return lax.all_gather(x, "x", tiled=True)[1:3] + lax.pmax(x, "x")


def sent(x):
    swapped = lax.ppermute(x, "x", [(0, 1), (1, 0)])
    return lax.all_to_all(swapped, "x", 1, 0, tiled=True) + x.sum()


def scattered(x):
    return lax.psum_scatter(x, "x", tiled=True)


def tensor_parallel(x, up, down):
    return lax.psum(jax.nn.relu(x @ up) @ down, "y")


def everywhere(x):
    return lax.psum(x, ("x", "y")) + lax.all_gather(x, ("x", "y"), axis=1, tiled=True)[:, :2]


PROGRAMS = {
    summed: (PAIR, (P("x"),), P("x"), (_normal(4, 3),)),
    gathered: (PAIR, (P("x"),), P("x"), (_normal(4, 3),)),
    sent: (PAIR, (P("x"),), P(None, "x"), (_normal(4, 6),)),
    scattered: (PAIR, (P(None, "x"),), P("x"), (_normal(4, 6),)),
    tensor_parallel: (
        EIGHT,
        (P("x", None), P(None, "y"), P("y", None)),
        P("x", None),
        (_normal(8, 16), _normal(16, 32), _normal(32, 8)),
    ),
    everywhere: (EIGHT, (P("x", "y"),), P("x", "y"), (_normal(4, 8),)),
}

if __name__ == "__main__":
    for function, (mesh, inputs, output, arguments) in PROGRAMS.items():
        mapped = jax.jit(jax.shard_map(function, mesh=mesh, in_specs=inputs, out_specs=output, check_vma=False))
        text = export.export(mapped)(*arguments).mlir_module()
        (FOLDER / f"{function.__name__}.mlir").write_text(text)
        placed = [jax.device_put(x, NamedSharding(mesh, P())) for x in arguments]
        np.savez(FOLDER / f"{function.__name__}.npz", *arguments, output=np.asarray(mapped(*placed)))
