"""Every package that ttstack needs has wheels for the systems of its documentation; nothing is executed there."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PLATFORMS = {
    "linux-aarch64": [f"manylinux_2_{minor}_aarch64" for minor in (28, 27, 26, 24, 17)] + ["manylinux2014_aarch64"],
    "macos-arm64": [f"macosx_{major}_0_arm64" for major in (14, 13, 12, 11)],
}
ENDS = {"linux-aarch64": ("aarch64.whl", "any.whl"), "macos-arm64": ("arm64.whl", "universal2.whl", "any.whl")}
EXTRAS = [
    name for extra in ("torch", "onnx", "pandas", "plots", "openmp") for name in PROJECT["optional-dependencies"][extra]
]


@pytest.mark.wheel
@pytest.mark.parametrize("python", ["3.11", "3.12"])
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("kind", ["needed", "extras"])
def test_all_packages_have_wheels(platform: str, python: str, kind: str, tmp_path: Path) -> None:
    """Needed packages with all that they need; extras alone, as pip judges conditions on the machine by this one."""
    wanted = PROJECT["dependencies"] if kind == "needed" else ["--no-deps", *EXTRAS]
    names = [part for tag in PLATFORMS[platform] for part in ("--platform", tag)]
    where = ["--target", str(tmp_path / "none"), "--report", str(tmp_path / "report.json")]
    options = ["--dry-run", "--ignore-installed", "--quiet", "--only-binary=:all:", "--implementation", "cp"]
    command = [sys.executable, "-m", "pip", "install", *options, "--python-version", python, *names, *where, *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "report.json").read_text())["install"]
    files = [package["download_info"]["url"].rpartition("/")[2] for package in found]
    assert len(files) >= len(PROJECT["dependencies"] if kind == "needed" else EXTRAS)
    assert not [file for file in files if not file.endswith(ENDS[platform])]
