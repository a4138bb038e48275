"""Tables from other implementations of Tensor-Train embeddings.

FBTT-Embedding has `tt_cores.k` of `(tables, n_k, r_{k-1} * m_k * r_k)`, with the same factors of rows and columns.
tensorly-torch has `weight.factors.factor_k` of `(r_{k-1}, n_k, m_k, r_k)` in a block tensor-train.
"""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from torch import Tensor

from ttstack.diagnostics import TensorTrainError
from ttstack.tensor_train.arguments import wholes
from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.tensor_train import TensorTrain

FBTT = "tt_cores."
TENSORLY = "weight.factors.factor_"

_CACHED = ("hashtbl", "cache_state", "cache_weight")


def read_checkpoint(
    state_dict: Mapping[str, Tensor],
    *,
    prefix: str = "",
    rows: int | None = None,
    col_factors: Sequence[int] | None = None,
    table: int = 0,
) -> TensorTrain:
    """Return the table of an FBTT-Embedding or tensorly-torch module with this `prefix` in `state_dict`.

    FBTT-Embedding stores neither the number of rows (by default the product of the factors) nor the column factors,
    which are required; `table` is the number of the table in a shared module.

    Raises:
        TensorTrainError: there are no such entries, or they are not a Tensor-Train table.
    """
    if f"{prefix}{FBTT}0" in state_dict:
        _refuse_cache(state_dict, prefix)
        folded = _fbtt(_number(state_dict, prefix + FBTT), col_factors, table)
    elif f"{prefix}{TENSORLY}0" in state_dict:
        folded = _tensorly(_number(state_dict, prefix + TENSORLY))
    else:
        raise TensorTrainError(
            f"no Tensor-Train table begins with {prefix!r} in this checkpoint",
            notes=(f"it has {', '.join(list(state_dict)[:8]) or 'no entries'}",),
            hint=f"give the prefix of entries named {FBTT}0 (FBTT-Embedding) or {TENSORLY}0 (tensorly-torch)",
        )
    row_factors, columns = (tuple(core.shape[axis] for core in folded) for axis in (0, 2))
    cores = [core.reshape(*core.shape[:2], -1) for core in folded]
    return TensorTrain.of_cores(rows or prod(row_factors), row_factors, columns, cores)


def _number(state_dict: Mapping[str, Tensor], name: str) -> list[Array]:
    """Return the values of `name` 0, 1, 2 ..."""
    count = next(k for k in range(len(state_dict) + 1) if f"{name}{k}" not in state_dict)
    return [state_dict[f"{name}{k}"].detach().cpu().float().numpy() for k in range(count)]


def _fbtt(cores: list[Array], col_factors: Sequence[int] | None, table: int) -> list[Array]:
    """Return cores as `(n, r, m, r')`."""
    if col_factors is None or not wholes(col_factors) or len(col_factors) != len(cores):
        raise TensorTrainError(
            f"FBTT-Embedding stores {len(cores)} cores but not how the columns factor",
            hint="give col_factors: the tt_q_shapes that the module was made with",
        )
    if any(core.ndim != 3 for core in cores):
        raise TensorTrainError(
            f"entries of shape {[list(core.shape) for core in cores]} are not FBTT-Embedding's",
            hint="its cores are (tables, row factor, numbers of a slice)",
        )
    if not 0 <= table < len(cores[0]):
        raise TensorTrainError(f"there is no table {table} of {len(cores[0])}", hint="count from 0")
    folded: list[Array] = []
    rank = 1
    for core, columns in zip(cores, col_factors, strict=True):
        numbers = core.shape[2]
        if numbers % (rank * columns):
            raise TensorTrainError(
                f"{numbers} numbers a row of a core are not a multiple of rank {rank} x {columns} columns",
                hint="give the tt_q_shapes that the module was made with",
            )
        folded.append(core[table].reshape(core.shape[1], rank, columns, -1))
        rank = folded[-1].shape[3]
    return folded


def _tensorly(factors: list[Array]) -> list[Array]:
    """Return cores as `(n, r, m, r')`."""
    if any(factor.ndim != 4 for factor in factors):
        raise TensorTrainError(
            f"factors of shape {list(factors[0].shape)} are not a block tensor-train of a matrix",
            hint="only factorization='blocktt' with n_layers=1 is a Tensor-Train table",
        )
    return [np.ascontiguousarray(factor.transpose(1, 0, 2, 3)) for factor in factors]


def _refuse_cache(state_dict: Mapping[str, Tensor], prefix: str) -> None:
    """Raise an error for FBTT-Embedding's cache, whose rows are trained separately from the cores."""
    cached = [name for name in _CACHED if prefix + name in state_dict and state_dict[prefix + name].numel()]
    if cached:
        raise TensorTrainError(
            "this table has rows in FBTT-Embedding's cache, which the cores do not hold",
            notes=(f"entries {', '.join(cached)} are not empty",),
            hint="train it with use_cache=False, or give its full_weight() with the cached rows to decompose",
        )
