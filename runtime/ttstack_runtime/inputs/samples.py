"""Random values: the same for the same seed and name, whatever else a program has."""

import hashlib
from dataclasses import replace

import numpy as np

from ttstack.ops.types import DType, TensorType
from ttstack.program.complex_values import to_complex
from ttstack.program.records import Binary, Function, TensorKind, Weight
from ttstack_runtime.host_memory import require
from ttstack_runtime.inputs.roles import Positions, Role, Starts, roles


def random_inputs(function: Function, seed: int = 0) -> dict[str, np.ndarray]:
    """Values for every input: reals standard normal, integers valid where they are used.

    Integers that pick rows of a table are rows of it, offsets of bags ascend, others are 0 or 1.
    """
    used_as = roles(function)
    wanted = function.arguments
    require(sum(t.type.size * t.type.dtype.numpy.itemsize for t in wanted.values()), "making random inputs")
    made = {name: _sample(name, t.type, seed, used_as.get(t.id)) for name, t in wanted.items()}
    return {name: to_complex(a) if wanted[name].is_complex else a for name, a in made.items()}


def random_weights(binary: Binary, seed: int = 0) -> Binary:
    """The program with values for every weight that was only described; the others stay as they are.

    Matrices are normal with variance 1 over their width, so that activations stay near 1 through many
    layers; vectors are uniform in 0.5 to 1.5, which a variance or a scale can be.
    """
    used_as = _weight_roles(binary)
    described = [w for w in binary.weights.values() if w.data is None]
    require(sum(w.type.size * w.type.dtype.numpy.itemsize for w in described), "making random weights")
    made = {w.name: replace(w, data=_weight(w, seed, used_as.get(w.name))) for w in described}
    return replace(binary, weights=dict(binary.weights) | made)


def _weight_roles(binary: Binary) -> dict[str, Role]:
    found: dict[str, Role] = {}
    for function in binary.functions:
        for tensor, role in roles(function).items():
            record = function.tensors[tensor]
            if record.kind in (TensorKind.PARAMETER, TensorKind.CONSTANT):
                found[record.holds.weight] = role
    return found


def _weight(weight: Weight, seed: int, role: Role | None) -> np.ndarray:
    t = weight.type
    if not t.dtype.is_float:
        return _sample(weight.name, t, seed, role)
    rng = _generator(weight.name, seed)
    if t.rank < 2:
        return (rng.random(t.shape, np.float32) + np.float32(0.5)).astype(t.dtype.numpy)
    values = rng.standard_normal(t.shape, np.float32)
    values *= np.float32(max(t.shape[-1], 1) ** -0.5)
    return values.astype(t.dtype.numpy, copy=False)


def _sample(name: str, t: TensorType, seed: int, role: Role | None) -> np.ndarray:
    rng = _generator(name, seed)
    if t.dtype.is_float:
        kind = np.float64 if t.dtype is DType.F64 else np.float32
        return rng.standard_normal(t.shape, kind).astype(t.dtype.numpy, copy=False)
    if isinstance(role, Starts):
        return _starts(rng, t, role)
    bound = role.bound if isinstance(role, Positions) else 2
    highest = 1 if t.dtype is DType.I1 else int(np.iinfo(t.dtype.numpy).max)
    return rng.integers(0, min(max(bound, 1), highest + 1), t.shape).astype(t.dtype.numpy)


def _starts(rng: np.random.Generator, t: TensorType, role: Starts) -> np.ndarray:
    values = np.sort(rng.integers(0, role.count, t.shape, endpoint=True).reshape(-1))
    if values.size and role.closed:
        values[-1] = role.count
    if values.size:
        values[0] = 0
    return values.reshape(t.shape).astype(t.dtype.numpy)


def _generator(name: str, seed: int) -> np.random.Generator:
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "little")])
