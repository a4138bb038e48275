"""Kernels that rows name and that are none of ours: their times say nothing about an op that we predict."""

import re

from inexpressible import CustomKernelError
from names import operation
from rows import Row

_KERNELS = (
    (r"minimal_?matmul", "MinimalMatmul: a kernel with blocks and a dataflow of its own"),
    (r"(?<![a-z])mla(?![a-z])|multi_?latent", "MLA: attention over a compressed cache"),
    (r"ring_?(joint|distributed|attention|sdpa)", "attention over a ring of chips in one kernel"),
    (r"split, \d+ kernels", "a reduction in two kernels, first over parts of the rows, that no release has"),
    (r"(matmul\w*(all_?gather|reduce_?scatter)|(all_?gather|reduce_?scatter)\w*matmul)", "a product and a collective"),
    (r"\bproposed\b", "a kernel that is no longer, or not yet, in use"),
)


def refuse_custom(row: Row) -> None:
    """Raise `CustomKernelError` where op, shape or notes of the row name a kernel that is not one of ours."""
    words = f"{operation(row.op)}; {row.shape}; {row.notes}".lower()
    for pattern, reason in _KERNELS:
        if re.search(pattern, words):
            raise CustomKernelError(f"a custom kernel, {reason}")
