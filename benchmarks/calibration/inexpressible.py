"""Why a row has no prediction."""


class InexpressibleError(Exception):
    """The row describes nothing that the cost model predicts; the message says why."""
