"""Input files of strangers: what is claimed is judged before it is read, and what is damaged is an error."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from ttstack.diagnostics import InputError
from ttstack.ops.types import DType
from ttstack_runtime.inputs import load_inputs


@contextmanager
def little_memory() -> Iterator[None]:
    """What happens inside takes 2 MiB at most."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 1 << 21
    finally:
        tracemalloc.stop()


@pytest.fixture(name="function")
def _function(b):
    b.input("x", (2, 3), DType.SI64)
    b.input("y", (2,))
    return b.function()


def npy(descr: str = "'<i8'", shape: str = "(2, 3)", values: bytes = bytes(48), version: bytes = b"\x01\x00") -> bytes:
    """An array file by hand."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n".encode()
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + values


def npz(x: bytes, *, compressed: bool = True, name: str = "x.npy") -> bytes:
    """An archive in which `x` is what is given, and `y` is as it should be."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        archive.writestr(name, x)
        archive.writestr("y.npy", npy("'<f4'", "(2,)", bytes(8)))
    return out.getvalue()


def safetensors(header: object, values: bytes = bytes(56)) -> bytes:
    """A file by hand: a header as JSON, or as bytes that are none."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + values


NPZ = {
    "4 TiB": npz(npy(shape="(2**39,)".replace("2**39", str(2**39)), values=b"")),
    "2**62 elements": npz(npy(shape=f"({2**62},)")),
    "2**70 elements": npz(npy(shape=f"({2**35}, {2**35})")),
    "negative": npz(npy(shape="(-1, 6)")),
    "objects": npz(npy("'|O'", values=b"\x80\x02.")),
    "no type": npz(npy("'spam'")),
    "fields": npz(npy("[('a', '<i8')]")),
    "too short": npz(npy(values=bytes(40))),
    "too long": npz(npy(values=bytes(56))),
    "nested": npz(npy("(" * 3000)),
    "no literal": npz(npy("__import__('os')")),
    "not UTF-8": npz(npy("'\udcff'".encode("utf-8", "surrogateescape").decode("latin-1"))),
    "another version": npz(npy(version=b"\x09\x00")),
    "no array": npz(b"hello"),
    "empty": npz(b""),
    "text file": npz(b"hello", name="x.txt"),
    "cut off": npz(npy())[:-30],
    "flipped bit": npz(npy(), compressed=False).replace(bytes(48), bytes(47) + b"\x01", 1),
    "other deflate": npz(npy())[:50] + bytes(20) + npz(npy())[70:],
}
FINE = {"dtype": "I64", "shape": [2, 3], "data_offsets": [0, 48]}
SAFETENSORS = {
    "float offsets": safetensors({"x": FINE | {"data_offsets": [0.0, 48.0]}}),
    "2**62 elements": safetensors({"x": FINE | {"shape": [2**62]}}),
    "nested": safetensors(b'{"x":' * 5000),
    "not UTF-8": safetensors(b'{"\xff": 1}'),
    "behind the file": safetensors({"x": FINE | {"data_offsets": [0, 2**40]}}),
    "long header": (2**62).to_bytes(8, "little"),
    "list": safetensors([FINE]),
    "no type": safetensors({"x": FINE | {"dtype": "I63"}}),
}
BROKEN = {f"{name} .npz": content for name, content in NPZ.items()} | {
    f"{name} .safetensors": content for name, content in SAFETENSORS.items()
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_an_error_that_names_it(tmp_path, function, name):
    file = tmp_path / f"inputs{name.rpartition(' ')[2]}"
    file.write_bytes(BROKEN[name])
    with little_memory(), pytest.raises(InputError, match=r"inputs\.\w+' is not a read|inputs do not fit 'forward'"):
        load_inputs(file, function)


@pytest.mark.parametrize(("name", "shape"), [("x", (1 << 24,)), ("z", (1 << 24,))])
def test_arrays_that_the_program_does_not_take_are_not_inflated(tmp_path, function, name, shape):
    given = {"x": np.zeros((2, 3), np.int64), "y": np.zeros(2)} | {name: np.zeros(shape, np.int64)}
    np.savez_compressed(tmp_path / "a.npz", allow_pickle=False, **given)
    with little_memory(), pytest.raises(InputError, match="inputs do not fit"):
        load_inputs(tmp_path / "a.npz", function)


def test_an_entry_twice_is_an_error(tmp_path, function):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", npy())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("x.npy", npy())
    with pytest.raises(InputError, match="occurs twice"):
        load_inputs(tmp_path / "a.npz", function)


def test_what_stands_before_the_first_array_is_an_error(tmp_path, function):
    np.savez(tmp_path / "a.npz", x=np.zeros((2, 3), np.int64), y=np.zeros(2))
    load_inputs(tmp_path / "a.npz", function)
    (tmp_path / "a.npz").write_bytes(b"\0" + (tmp_path / "a.npz").read_bytes())
    with pytest.raises(InputError, match="begin with an array"):
        load_inputs(tmp_path / "a.npz", function)
