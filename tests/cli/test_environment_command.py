"""`ttstack env`: what a bug report needs."""

import json
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from ttstack.cli import environment
from ttstack.version import VERSION


def test_versions_and_machine(ttstack: Command) -> None:
    text = ttstack("env").out
    assert "ttstack:" in text
    assert VERSION in text
    for line in (f"torch-mlir {version('torch-mlir')}", f"numpy {version('numpy')}", f"onnx {version('onnx')}"):
        assert line in " ".join(text.split())
    for name in ("Python:", "system:", "CPU cores:", "memory:", "C compiler:", "OpenBLAS:", "devices:", "packages:"):
        assert name in text


def test_a_package_that_is_not_installed(ttstack: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = environment._installed
    monkeypatch.setattr(environment, "_installed", lambda name: None if name == "onnx" else installed(name))
    assert "not installed: pip install 'ttstack[onnx]'" in ttstack("env").out
    packages = json.loads(ttstack("env", "--json").out)["packages"]
    assert {"name": "onnx", "version": None, "needed": False, "extra": "onnx"} in packages
    assert next(p["needed"] for p in packages if p["name"] == "numpy")


def test_settings(ttstack: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TTSTACK_READ_MEMORY", "8")
    (tmp_path / "ttstack.toml").write_text('dtype = "bf16"\n')
    found = json.loads(ttstack("env", "--json").out)
    assert found["variables"]["TTSTACK_READ_MEMORY"] == "8"
    assert found["configuration"] == str(tmp_path / "ttstack.toml")
    assert "n150" in found["devices"]
    (tmp_path / "ttstack.toml").write_text("wrong = 1\n")
    assert "wrong is not an option" in json.loads(ttstack("env", "--json").out)["configuration"]


def test_a_machine_without_a_compiler(ttstack: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert "C compiler:             none" in ttstack("env").out
    assert json.loads(ttstack("env", "--json").out)["c_compiler"] is None
