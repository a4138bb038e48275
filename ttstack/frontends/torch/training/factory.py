"""`package.module:factory` of a step: a function that returns the arguments of `export_step`, by name."""

import inspect
from collections.abc import Mapping
from typing import Any

from torch.export import ExportedProgram

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.factory import call_factory
from ttstack.frontends.torch.training.export import export_step
from ttstack.support.suggestion import did_you_mean

_FORM = 'return {"module": ..., "example_inputs": ..., "optimizer": ..., "loss": ..., "targets": ...}'


def load_step(name: str, given: Mapping[str, Any]) -> ExportedProgram:
    """Return the step of this factory; values in `given` that are not None replace its own.

    Raises:
        SourceError: the factory does not exist, raised an error, or returned something else.
    """
    made = call_factory(name)
    if not isinstance(made, Mapping):
        raise SourceError(
            f"`{name}` returned a value of type {type(made).__name__}, not a step of training", hint=_FORM
        )
    known = inspect.signature(export_step).parameters
    for key in made.keys() - known.keys():
        raise SourceError(
            f"`{name}` returned `{key}`, which is no part of a step", hint=did_you_mean(str(key), known) or _FORM
        )
    arguments = {**made, **{key: value for key, value in given.items() if value is not None}}
    missing = [key for key in ("module", "example_inputs", "optimizer") if arguments.get(key) is None]
    if missing:
        raise SourceError(f"`{name}` returned no {' and no '.join(f'`{key}`' for key in missing)}", hint=_FORM)
    return export_step(**arguments)
