"""Weights and constants of an archive: tensors mapped from the file, each within its record."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import torch
from torch._export.serde import schema
from torch._export.serde.serialize import deserialize_scalar_type

from ttstack.frontends.torch.archive.allowed import MisfitError, shorten_text
from ttstack.frontends.torch.archive.container import Container, pickles
from ttstack.frontends.torch.archive.decode import decode_object

_BYTES = 2**62
"""Maximum bytes of an array, which may repeat elements of its record: NumPy's limit."""


def read_weights(archive: Container) -> dict[str, torch.Tensor]:
    """Return parameters and persistent buffers by name; shared memory stays shared."""
    return _tensors(archive, "data/weights", f"{archive.program}_weights_config.json", "weight_")


def read_constants(archive: Container) -> dict[str, torch.Tensor]:
    """Return constants and non-persistent buffers by name."""
    return _tensors(archive, "data/constants", f"{archive.program}_constants_config.json", "tensor_")


def _tensors(archive: Container, folder: str, config: str, prefix: str) -> dict[str, torch.Tensor]:
    described = decode_object(schema.PayloadConfig, archive.json(f"{folder}/{config}")).config
    if pickled := sorted(name for name, entry in described.items() if entry.use_pickle):
        raise pickles(archive.path, pickled)
    storages = dict[str, torch.UntypedStorage]()
    found = dict[str, torch.Tensor]()
    for name, entry in described.items():
        record = f"{folder}/{entry.path_name}"
        if not entry.path_name.startswith(prefix) or record not in archive.records or entry.tensor_meta is None:
            raise MisfitError(
                f"'{shorten_text(name)}' is in '{shorten_text(entry.path_name)}', which is not a record of values"
            )
        if record not in storages:
            storages[record] = archive.storage(record)
        tensor = _tensor(entry.tensor_meta, storages[record], shorten_text(name))
        found[name] = torch.nn.Parameter(tensor, requires_grad=False) if entry.is_param else tensor
    return found


def _tensor(meta: schema.TensorMeta, storage: torch.UntypedStorage, name: str) -> torch.Tensor:
    if meta.dtype is schema.ScalarType.UNKNOWN:
        raise MisfitError(f"'{name}' is of no element type")
    dtype: Any = deserialize_scalar_type(meta.dtype)
    sizes, strides = _extents(meta.sizes), _extents(meta.strides)
    (offset,) = _extents([meta.storage_offset])
    if meta.device.type == "meta":
        return _unread(sizes, strides, dtype, name)
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    needed = (last + 1) * dtype.itemsize if prod(sizes) else 0
    if needed > storage.nbytes() or prod(sizes) * dtype.itemsize >= _BYTES:
        raise MisfitError(
            f"'{name}' of shape {list(sizes)} needs {needed:,} bytes, its record has {storage.nbytes():,}"
        )
    with _as_misfit(name, sizes):
        return torch.empty(0, dtype=dtype).set_(storage, offset if needed else 0, sizes, strides)


def _unread(sizes: tuple[int, ...], strides: tuple[int, ...], dtype: Any, name: str) -> torch.Tensor:
    """Return a tensor without values, if PyTorch can count its bytes."""
    with _as_misfit(name, sizes):
        return torch.empty_strided(sizes, strides, dtype=dtype, device="meta")


@contextmanager
def _as_misfit(name: str, sizes: tuple[int, ...]) -> Iterator[None]:
    """Raise `MisfitError` if PyTorch rejects the sizes or strides of a tensor."""
    try:
        yield
    except RuntimeError as e:
        raise MisfitError(f"'{name}' has the shape {list(sizes)}: {shorten_text(str(e))}") from e


def _extents(given: list[schema.SymInt]) -> tuple[int, ...]:
    if any(extent.type != "as_int" for extent in given):
        raise MisfitError("a weight has a dynamic shape")
    return tuple(extent.value for extent in given)
