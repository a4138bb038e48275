"""Kernels that a test knows to exist."""

from ttstack_runtime import kernels
from ttstack_runtime.kernels.table import Kernel


def kernel_of(mnemonic: str) -> Kernel:
    """The kernel of an op."""
    found = kernels.find(mnemonic)
    assert found is not None, mnemonic
    return found
