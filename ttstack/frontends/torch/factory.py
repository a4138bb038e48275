"""`package.module:factory`: the name of a model on the command line."""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn
from torch.export import ExportedProgram

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.inputs import split_inputs, tensors
from ttstack.frontends.torch.source_lines import as_source_error
from ttstack.support.suggestion import did_you_mean

_FORM = "package.module:factory, where factory() returns a module, (module, inputs) or (module, args, kwargs)"


@dataclass(frozen=True)
class Example:
    """A model with the example inputs of its `forward`; `args` is None without inputs."""

    model: nn.Module | ExportedProgram | Path
    args: tuple[Any, ...] | None = None
    kwargs: Mapping[str, Any] = field(default_factory=dict)


def load_factory(name: str) -> Example:
    """Call the factory of this name, with the working directory importable.

    Raises:
        SourceError: the module or attribute does not exist, the factory raised an error, or it returned something else.
    """
    return _example(call_factory(name), name)


def call_factory(name: str) -> object:
    """Return the result of the factory of this name, or a module or program of this name.

    Raises:
        SourceError: the module or attribute does not exist, or the factory raised an error.
    """
    module_name, separator, attribute = name.partition(":")
    if not (module_name and separator and attribute):
        raise SourceError(f"`{name}` does not name a model", hint=f"write {_FORM}")
    with _working_directory_importable():
        factory = _attribute(_import(module_name), attribute)
        return factory if isinstance(factory, nn.Module | ExportedProgram) else _call(factory, name)


@contextmanager
def _working_directory_importable() -> Iterator[None]:
    before = list(sys.path)
    sys.path.insert(0, str(Path.cwd()))
    try:
        yield
    finally:
        sys.path[:] = before


def _import(name: str) -> ModuleType:
    with as_source_error(f"importing `{name}`"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as e:
            if e.name and f"{name}.".startswith(f"{e.name}."):
                raise SourceError(f"there is no module `{e.name}`", hint=_where_to_find(name)) from e
            raise


def _where_to_find(name: str) -> str:
    if name.endswith(".py"):
        return f"name the module, not its file: `{name.removesuffix('.py')}`"
    return f"run in the folder that holds `{name.partition('.')[0]}`, or install it"


def _attribute(module: ModuleType, name: str) -> object:
    if not hasattr(module, name):
        raise SourceError(
            f"`{module.__name__}` has no attribute `{name}`",
            loc=module.__file__,
            hint=did_you_mean(name, vars(module)) or None,
        )
    return getattr(module, name)


def _call(factory: object, name: str) -> object:
    if not callable(factory):
        raise SourceError(f"`{name}` is a value of type {type(factory).__name__}, not a factory", hint=f"write {_FORM}")
    call: Callable[[], object] = factory
    with as_source_error(f"`{name}`"):
        return call()


def _example(made: object, name: str) -> Example:
    match made:
        case nn.Module() | ExportedProgram():
            return Example(made)
        case (nn.Module() as model, inputs):
            return Example(model, *split_inputs(inputs))
        case (nn.Module() as model, tuple() | list() as args, Mapping() as kwargs):
            return Example(model, *tensors((tuple(args), dict(kwargs))))
    raise SourceError(f"`{name}` returned a value of type {type(made).__name__}, not a model", hint=f"write {_FORM}")
