"""Matrix products as calls of CBLAS."""

from dataclasses import dataclass

from ttstack.choices import Blas
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.cpu.gemm import declare, products


@dataclass(frozen=True)
class Library:
    """A library that has CBLAS: what its functions begin with, and what the linker is told."""

    prefix: str
    linked: tuple[str, ...] = ()


LIBRARIES = {Blas.OPENBLAS: Library("cblas_", ("-lopenblas",)), Blas.SCIPY: Library("scipy_cblas_")}
"""By name: Debian's `libopenblas-dev`, and the one in SciPy's wheel, which the Python loader loads."""


class UseBlas(Pass, name="use-blas"):
    """`linalg.matmul` and `linalg.batch_matmul` on memory become calls of `cblas_sgemm` and `cblas_dgemm`.

    Those of integers, and of operands whose rows are not dense, stay.
    """

    library: Blas = Blas.OPENBLAS

    def run(self, module: ir.Module) -> None:
        """Replace every product that fits."""
        found = products(module)
        prefix = LIBRARIES[self.library].prefix
        for gemm in found:
            gemm.replace(prefix)
        declare(module, sorted({(gemm.name(prefix), gemm.element) for gemm in found}))
