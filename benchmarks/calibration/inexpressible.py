"""Why a row has no prediction."""


class InexpressibleError(Exception):
    """The row describes nothing that the cost model predicts; the message says why."""


class CustomKernelError(InexpressibleError):
    """The row measures a kernel that no op of ours becomes."""
