"""The stages of CPU code from `linalg` to LLVM's dialect."""

from ttstack.options.choices import Blas
from ttstack.passes.base import Builtin, Pipeline
from ttstack.passes.cpu.divide_loops import DivideLoops
from ttstack.passes.cpu.entry_points import AddEntryPoints
from ttstack.passes.cpu.expand_conversions import ExpandConversions
from ttstack.passes.cpu.expand_copies import ExpandCopies
from ttstack.passes.cpu.separate_fills import SeparateFills
from ttstack.passes.cpu.separate_results import SeparateResults
from ttstack.passes.cpu.share_buffers import ShareBuffers
from ttstack.passes.cpu.tile_products import TileProducts
from ttstack.passes.cpu.use_blas import UseBlas


def upstream(*steps: str) -> tuple[Builtin, ...]:
    """Return passes of MLIR by name."""
    return tuple(Builtin(pipeline=step) for step in steps)


def bufferize() -> Pipeline:
    """Return the pipeline from `linalg` on tensors to `linalg` on memory; results go to buffers of the caller."""
    whole = "bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map"
    tensors = upstream("eliminate-empty-tensors", "empty-tensor-to-alloc-tensor", f"one-shot-bufferize{{{whole}}}")
    results = upstream(
        "buffer-results-to-out-params{hoist-static-allocs=1 modify-public-functions=1}",
        "canonicalize",
        "buffer-deallocation-pipeline",
        "cse",
        "canonicalize",
    )
    return Pipeline((SeparateFills(), *tensors, SeparateResults(), *results, ExpandCopies(), ShareBuffers()))


def use_blas(library: str, threads: int = 1) -> Pipeline:
    """Return the pipeline that replaces matmuls on memory by calls of a library."""
    return Pipeline((UseBlas(library=Blas(library), threads=threads),))


def linalg_to_loops(*, openmp: bool = False) -> Pipeline:
    """Return the pipeline from `linalg` on memory to `scf.for`, and to `scf.parallel` for loops that threads share."""
    loops = upstream(f"func.func(convert-linalg-to-{'parallel-' if openmp else ''}loops)")
    divided = (Builtin(pipeline="canonicalize"), DivideLoops()) if openmp else ()
    steps = upstream("fold-memref-alias-ops", "expand-strided-metadata", "canonicalize", "cse")
    return Pipeline((TileProducts(threads=openmp), *loops, *divided, *steps))


def loops_to_llvm(prefix: str = "model", *, openmp: bool = False) -> Pipeline:
    """Return the pipeline from loops to LLVM's dialect with C entry points; parallel loops go through OpenMP."""
    threads = upstream("convert-scf-to-openmp", "canonicalize") if openmp else ()
    steps = upstream(
        "lower-affine",
        "arith-expand{include-bf16=1}",
        "convert-scf-to-cf",
        "convert-vector-to-llvm",
        "convert-math-to-llvm",
        "convert-math-to-libm",
        "finalize-memref-to-llvm",
        "convert-arith-to-llvm",
        "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}",
        *(("convert-openmp-to-llvm",) if openmp else ()),
        "convert-cf-to-llvm",
        "convert-index-to-llvm",
        "reconcile-unrealized-casts",
    )
    return Pipeline((*threads, ExpandConversions(), *steps, AddEntryPoints(prefix=prefix)))
