"""The generated code is what flatc makes of the schema, and files of released schema versions still load."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ttstack import flatbuffer
from ttstack.flatbuffer import load

ROOT = Path(flatbuffer.__file__).parent
GENERATED = "binary_generated.py"
GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.skipif(shutil.which("flatc") is None, reason="flatc is not installed")
def test_generated_code_is_up_to_date(tmp_path):
    schema = ROOT / "schema" / "binary.fbs"
    command = ["flatc", "--python", "--gen-onefile", "--gen-all", "-o", str(tmp_path), str(schema)]
    version = subprocess.run(["flatc", "--version"], check=True, capture_output=True, text=True).stdout
    if "2.0.8" not in version:
        pytest.skip(f"{version.strip()} writes other code than 2.0.8")
    subprocess.run(command, check=True)
    assert (tmp_path / GENERATED).read_text() == (ROOT / "_generated" / GENERATED).read_text(), (
        "run `make flatbuffers` and commit the result"
    )


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.ttb")), ids=lambda p: p.stem)
def test_released_schema_versions_load(path, binary_for, assert_equal):
    """Against the program on the file's own device: figures of presets may change."""
    loaded = load(path, verify=True)
    assert_equal(loaded, binary_for(loaded.system_desc))


def test_the_current_schema_version_has_a_golden_file():
    major, minor = flatbuffer.SCHEMA_VERSION
    assert (GOLDEN / f"schema_{major}_{minor}.ttb").exists()
