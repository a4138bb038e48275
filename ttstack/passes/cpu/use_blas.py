"""Calls of CBLAS for matmuls."""

from collections.abc import Iterable
from dataclasses import dataclass

from ttstack.mlir import func, ir
from ttstack.options.choices import Blas
from ttstack.passes.base import Pass
from ttstack.passes.cpu.gemm import products
from ttstack.passes.functions import defined_functions


@dataclass(frozen=True)
class Library:
    """A library with CBLAS: the prefix of its functions, and the linker's options."""

    prefix: str
    threads: str
    """The name of its functions for the number of threads, without `get` and `set`."""
    linked: tuple[str, ...] = ()


LIBRARIES = {
    Blas.OPENBLAS: Library("cblas_", "openblas_{}_num_threads", ("-lopenblas",)),
    Blas.SCIPY: Library("scipy_cblas_", "scipy_openblas_{}_num_threads"),
}
"""Libraries by name: Debian's `libopenblas-dev`, and the one in SciPy's wheel, which the Python loader loads."""


class UseBlas(Pass, name="use-blas"):
    """Replace `linalg.matmul` and `linalg.batch_matmul` by calls of `cblas_sgemm` and `cblas_dgemm`.

    Matmuls of integers and of operands without contiguous rows are unchanged. With several `threads`, each computes a
    part of a matmul, and the library is limited to one thread, so that two thread pools do not compete.
    """

    library: Blas = Blas.OPENBLAS
    threads: int = 1

    def run(self, module: ir.Module) -> None:
        """Replace every product that fits."""
        from ttstack.passes.cpu.blas_call import BlasCall

        library, signatures = LIBRARIES[self.library], set[str]()
        for function in list(defined_functions(module)):
            calls = [BlasCall(gemm, library.prefix, self.threads) for gemm in products(function)]
            for call in calls:
                call.write()
                signatures.add(call.signature)
            if calls and self.threads > 1:
                signatures |= _leave_one_thread(function, library)
        _declare(module, sorted(signatures))


def _leave_one_thread(function: func.FuncOp, library: Library) -> set[str]:
    """Limit the library to one thread inside the function; return the signatures of the called functions."""
    from ttstack.passes.cpu.blas_call import int_constant

    get, give = (library.threads.format(verb) for verb in ("get", "set"))
    with function.location:
        with ir.InsertionPoint.at_block_begin(function.entry_block):
            threads = func.CallOp([ir.IntegerType.get_signless(32)], get, []).result
            func.CallOp([], give, [int_constant(1)])
        with ir.InsertionPoint.at_block_terminator(function.entry_block):
            func.CallOp([], give, [threads])
    return {f"{get}() -> i32", f"{give}(i32)"}


def _declare(module: ir.Module, signatures: Iterable[str]) -> None:
    """Declare external functions from texts such as `name(types) -> type`."""
    for signature in signatures:
        parsed = ir.Module.parse(f"func.func private @{signature}")
        (function,) = parsed.body.operations
        function.detach_from_parent()
        module.body.append(function)
