"""What a file is, told from its content; and what is said where the content is something else."""

from io import BytesIO
from pathlib import Path

import pytest

import ttstack
from ttstack.diagnostics import InvalidIRError, SourceError
from ttstack.frontends.source import import_model

pytestmark = pytest.mark.usefixtures("as_users_read")

EXP = """func.func @f(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "ttir.exp"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}"""


@pytest.fixture(scope="module")
def bytecode() -> bytes:
    with import_model(EXP) as found:
        buffer = BytesIO()
        found.module.operation.write_bytecode(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["x.mlir", "x.ttir", "x.txt", "x", "X.MLIR"])
def test_text(tmp_path: Path, name: str):
    (tmp_path / name).write_text(EXP)
    assert len(ttstack.compile(tmp_path / name).cost().ops) == 1


def test_text_that_is_cut_in_a_character_where_it_is_looked_at(tmp_path: Path):
    (tmp_path / "x.mlir").write_text(f"//{'é' * 4000}\n{EXP}")
    assert len(ttstack.compile(tmp_path / "x.mlir").cost().ops) == 1


def test_bytecode(tmp_path: Path, bytecode: bytes):
    (tmp_path / "x.mlirbc").write_bytes(bytecode)
    assert len(ttstack.compile(tmp_path / "x.mlirbc").cost().ops) == 1


def test_bytecode_that_is_cut_off(tmp_path: Path, bytecode: bytes):
    (tmp_path / "x.mlirbc").write_bytes(bytecode[: len(bytecode) // 2])
    with pytest.raises(InvalidIRError, match="cannot read the module: attempting to parse"):
        ttstack.compile(tmp_path / "x.mlirbc")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.mlir", b"", "is empty"),
        ("x.mlir", b"ML\xefR\rMLIR", "is not MLIR text; it looks like MLIR bytecode"),
        ("x.mlirbc", EXP.encode(), "is not MLIR bytecode; it looks like MLIR text"),
        ("x.mlir", b"PK\x03\x04\x00\x00\xff", "is not MLIR text; it looks like a PyTorch program"),
        ("x.mlir", b"TTSB\x00\xff", "is not MLIR text; it looks like a compiled program"),
        ("x.bin", b"\x00\x01\x02\xff", "is not a model that can be read"),
        ("x.mlir", EXP.encode() + b"\n// \xff", "is not MLIR text"),
        ("x.mlir", EXP.encode() + b"\n" * 5000 + b"\xff", "is not UTF-8 text"),
    ],
)
def test_content_that_the_suffix_does_not_say(tmp_path: Path, name: str, content: bytes, message: str):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=message):
        ttstack.compile(tmp_path / name)
