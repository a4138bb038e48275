"""Tensor-Train tables in safetensors files: the cores, with plan and certificate as metadata."""

import json
from dataclasses import asdict
from os import PathLike, fspath
from typing import Any, cast

from ttstack.diagnostics import TensorTrainError
from ttstack.support.files import write_whole
from ttstack.tensor_train.certificate import Certificate
from ttstack.tensor_train.indices import Array
from ttstack.tensor_train.shape import TensorTrainPlan

_KEY = "ttstack.tensor_train"


def write_table(
    path: str | PathLike[str], plan: TensorTrainPlan, cores: tuple[Array, ...], certificate: Certificate | None
) -> None:
    """Write one table atomically.

    Raises:
        OutputError: the file cannot be written.
    """
    from safetensors.numpy import save

    facts = {"plan": asdict(plan), "certificate": asdict(certificate) if certificate else None}
    tensors = {f"core.{k}": core for k, core in enumerate(cores)}
    write_whole(path, save(tensors, {_KEY: json.dumps(facts, default=float)}))


def read(path: str | PathLike[str]) -> tuple[TensorTrainPlan, tuple[Array, ...], Certificate | None]:
    """Read plan, cores and certificate of a table.

    Raises:
        TensorTrainError: the file does not exist, or contains no Tensor-Train table.
    """
    from safetensors import SafetensorError, safe_open

    damage = (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError, RecursionError)

    try:
        opened: Any = safe_open(fspath(path), framework="np")
        with opened as file:
            facts = json.loads(cast(dict[str, str], file.metadata() or {})[_KEY])
            plan, certificate = _plan(facts["plan"]), _certificate(facts["certificate"])
            cores: tuple[Array, ...] = tuple(file.get_tensor(f"core.{k}") for k in range(plan.order))
    except damage as error:
        raise TensorTrainError(
            "this file holds no Tensor-Train table",
            loc=str(path),
            notes=(f"{type(error).__name__}: {error}",),
            hint="give a file that TensorTrain.save has written",
        ) from error
    return plan, cores, certificate


def _plan(facts: dict[str, Any]) -> TensorTrainPlan:
    """Return the plan of `asdict`'s output; JSON has no tuples."""
    tuples: dict[str, Any] = {k: tuple(cast(list[Any], fact)) for k, fact in facts.items() if isinstance(fact, list)}
    return TensorTrainPlan(**(facts | tuples))


def _certificate(facts: dict[str, Any] | None) -> Certificate | None:
    if facts is None:
        return None
    found = Certificate(**facts)
    errors = cast(tuple[object, ...], (found.rel_error, found.worst_row_error))
    if type(found.worst_row) is not int or not all(isinstance(error, int | float) for error in errors):
        raise ValueError(f"{found} holds no numbers")
    return found
