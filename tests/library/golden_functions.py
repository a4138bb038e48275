"""The golden functions that the wheel of `ttnn` carries, as a judge of the values of emitted programs.

`ttnn` attaches to most of its operations a function of PyTorch that computes the same. The wheel is for another
version of CPython than the one that has PyTorch, so that its compiled half cannot be imported here; the golden
functions are Python, and are read from its folder `operations` with names in place of the compiled ones.
"""

import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch

from tests.ttnn_python import stand_in
from tests.ttnn_python.values import alike

TOLERANCE = 1e-4
"""Relative to a result's largest number: golden functions compute in float32."""


class _Names(ModuleType):
    """A module, class or function of the compiled half: any attribute is another one of them."""

    def __init__(self, path: str, known: Any = None) -> None:
        super().__init__(path)
        self.known = known

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "known":
            raise AttributeError(name)
        known = getattr(self.known, name, None)
        plain = known is not None and not (callable(known) or isinstance(known, SimpleNamespace))
        kept = known if plain else _Names(f"{self.__name__}.{name}", known)
        setattr(self, name, kept)
        return kept

    def __call__(self, *_: Any, **__: Any) -> "_Names":
        return _Names(f"{self.__name__}()")

    def __or__(self, _: Any) -> "_Names":
        """As a type in an annotation."""
        return self


class _Kinds(type):
    """The activations of the stand-in, and the names of those that it has not."""

    def __getattr__(cls, name: str) -> Any:
        return getattr(stand_in.UnaryOpType, name, name)

    def __instancecheck__(cls, kind: Any) -> bool:
        return isinstance(kind, stand_in.UnaryOpType)


@dataclass(frozen=True)
class Golden:
    """A golden function, and what brings a call's arguments into the form that it takes."""

    function: Callable[..., Any]
    arguments: Callable[[Sequence[Any], Mapping[str, Any]], tuple[Sequence[Any], Mapping[str, Any]]]


def golden_functions(library: Path) -> dict[str, Golden]:
    """By the name that a program calls, as `transformer.concatenate_heads`; `library` is the folder of `ttnn`."""
    found: dict[str, Golden] = {}

    def attach(operation: Any, golden_function: Any = None, **others: Any) -> None:
        arguments = others.get("preprocess_golden_function_inputs") or as_torch
        if golden_function is not None:
            found[operation.__name__.removeprefix("ttnn.")] = Golden(golden_function, arguments)

    def register(name: str = "", golden_function: Any = None, **_: Any) -> Callable[[Any], Any]:
        if golden_function is not None:
            found[name.removeprefix("ttnn.")] = Golden(golden_function, as_torch)
        return lambda function: function

    ttnn: Any = _Names("ttnn", stand_in)
    for name in ("Tensor", "DataType", "Layout", "GeluVariant", "MemoryConfig", "CoreRangeSet"):
        setattr(ttnn, name, getattr(stand_in, name))
    ttnn.UnaryOpType = _Kinds("UnaryOpType", (), {})
    ttnn.__path__ = [str(library)]
    ttnn.attach_golden_function, ttnn.register_python_operation = attach, register
    ttnn.to_torch, ttnn.ttnn_dtype_to_torch_dtype = _tensor, _torch_type
    ttnn.get_golden_function = lambda operation: found[operation.__name__.removeprefix("ttnn.")].function
    decorators: Any = _Names("ttnn.decorators")
    ttnn.decorators = decorators
    decorators.default_preprocess_golden_function_inputs = as_torch
    decorators.set_golden_comparison_config = lambda output, **_: output
    decorators._copy_golden_comparison_config = lambda source, destination: destination
    ttnn.get_arch_name = lambda: "wormhole_b0"
    decorators.get_golden_function = ttnn.get_golden_function
    with _modules(ttnn):
        ttnn.reflection = importlib.import_module("ttnn.reflection")
        for path in sorted((library / "operations").glob("*.py")):
            if path.stem != "__init__":
                importlib.import_module(f"ttnn.operations.{path.stem}")
        importlib.import_module("ttnn.experimental_loader.golden_functions")
    return found


@contextmanager
def _modules(ttnn: Any) -> Iterator[None]:
    """The modules that the golden functions import; afterwards there are those that there were before."""
    before = dict(sys.modules)
    operations = ModuleType("ttnn.operations")  # whose own `__init__` puts its modules at the top level
    operations.__path__ = [f"{ttnn.__path__[0]}/operations"]
    sys.modules |= {"ttnn": ttnn, "ttnn.decorators": ttnn.decorators, "ttnn.operations": operations}
    sys.modules |= dict.fromkeys(("ttnn._ttnn", "ttnn._ttnn.operations.normalization"), ttnn._ttnn)
    sys.modules["loguru"] = SimpleNamespace(logger=None)  # pyright: ignore[reportArgumentType]
    ttnn.operations = operations
    try:
        yield
    finally:
        for name in sys.modules.keys() - before.keys():
            del sys.modules[name]
        sys.modules.update(before)


def as_torch(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with tensors of PyTorch."""
    return tuple(map(_tensor, arguments)), {name: _tensor(value) for name, value in keywords.items()}


def _tensor(value: Any, *_: Any, **__: Any) -> Any:
    if isinstance(value, stand_in.Tensor):
        return torch.from_numpy(np.array(value.to_numpy()))
    return type(value)(map(_tensor, value)) if type(value) in (list, tuple) else value


def _torch_type(dtype: stand_in.DataType) -> torch.dtype:
    """That of a format, without rounding."""
    return torch.float32 if dtype.is_real else getattr(torch, dtype.name.lower())


NOT_KNOWN = {("scatter", "reduce")}
"""Keywords that a golden function takes and does not read."""

OF_THE_DEVICE = ("memory_config", "compute_kernel_config", "program_config")
"""Keywords that change no values, which not all golden functions take."""


@dataclass
class Judged:
    """What golden functions said of the calls that a program made."""

    calls: Counter[str] = field(default_factory=Counter[str])
    """Calls that agree, by name."""
    differences: list[str] = field(default_factory=list[str])
    declined: dict[str, str] = field(default_factory=dict[str, str])
    """By name, what a golden function raised that does not take the arguments of a call."""


def judge(goldens: Mapping[str, Golden], judged: Judged) -> ModuleType:
    """The stand-in, each of whose functions is compared with the golden function where there is one."""
    module = ModuleType("ttnn")
    vars(module).update(vars(stand_in))
    for name, golden in goldens.items():
        *above, last = name.split(".")
        owner: Any = module
        for part in above:
            inner = getattr(owner, part, None)
            if isinstance(inner, SimpleNamespace):
                setattr(owner, part, inner := SimpleNamespace(**vars(inner)))
            owner = inner
        if (ours := getattr(owner, last, None)) is not None and owner is not stand_in.Tensor:
            setattr(owner, last, _compared(name, ours, golden, judged))
    return module


def _compared(name: str, ours: Callable[..., Any], golden: Golden, judged: Judged) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            if lacking := [k for k in keywords if (name, k) in NOT_KNOWN]:
                raise NotImplementedError(f"has no {', '.join(lacking)}")
            given, named = golden.arguments(arguments, {k: v for k, v in keywords.items() if k not in OF_THE_DEVICE})
            wanted = golden.function(*given, **named)
            if wanted is None or isinstance(wanted, _Names):
                raise NotImplementedError(f"gives {wanted}")
            if name == "typecast" and not (wanted.is_floating_point() or torch.isfinite(given[0]).all()):
                raise NotImplementedError("says what no documentation does: the integer of what is not finite")
        except Exception as why:
            judged.declined.setdefault(name, f"{type(why).__name__} {why}")
            return ours(*arguments, **keywords)
        found = ours(*arguments, **keywords)
        if difference := _difference(found, wanted):
            judged.differences.append(f"{name}: {difference}")
        else:
            judged.calls[name] += 1
        return found

    return call


def _difference(found: Any, wanted: Any) -> str:
    if isinstance(found, (list, tuple)):
        pairs = zip(found, wanted, strict=True)
        return "; ".join(filter(None, (_difference(ours, theirs) for ours, theirs in pairs)))
    if found is None:
        return ""
    want = wanted.detach().to(torch.float64).numpy()
    if _matrix(found.values.shape) != _matrix(want.shape):
        return f"shape {found.values.shape}, not {want.shape}"
    want = want.reshape(found.values.shape)
    if alike(found.values.astype(np.float64), want, TOLERANCE):
        return ""
    return f"values differ by {np.nanmax(np.abs(found.values - want)):.3g}"


def _matrix(shape: Sequence[int]) -> tuple[int, ...]:
    """Without unit dimensions before it, of which not all golden functions take notice."""
    kept = list(shape)
    while kept and kept[0] == 1:
        del kept[0]
    return tuple(kept)
