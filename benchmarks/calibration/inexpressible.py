"""Why a row has no prediction."""


class InexpressibleError(Exception):
    """The row describes nothing that the cost model predicts; the message says why."""


class CustomKernelError(InexpressibleError):
    """The row is of a kernel that is none of ours and stands for no op of ours."""
