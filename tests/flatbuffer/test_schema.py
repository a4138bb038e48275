"""The generated code is what flatc makes of the schema, and files of released schema versions still load."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.flatbuffer.conftest import with_scan
from ttstack import flatbuffer
from ttstack.flatbuffer import load
from ttstack.report.build import build_report
from ttstack_runtime.executor import execute
from ttstack_runtime.inputs import random_inputs, random_weights

ROOT = Path(flatbuffer.__file__).parent
GENERATED = "binary_generated.py"
GOLDEN = Path(__file__).parent / "golden"


MEND = "run `make flatbuffers` and commit the result"


def test_generated_code_and_schema_are_those_of_one_run():
    """Needs no flatc, which wrote their digests down."""
    lines = (ROOT / "_generated" / "SHA256SUMS").read_text().splitlines()
    written = {path: digest for digest, path in map(str.split, lines)}
    files = [*ROOT.glob("schema/*.fbs"), ROOT / "_generated" / GENERATED]
    found = {path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert found == written, MEND


@pytest.mark.system
@pytest.mark.skipif(shutil.which("flatc") is None, reason="flatc is not installed (Debian: flatbuffers-compiler)")
def test_generated_code_is_up_to_date(tmp_path):
    ours, theirs = (ROOT / "_generated" / GENERATED).read_text(), generated(ROOT / "schema" / "binary.fbs", tmp_path)
    version = subprocess.run(["flatc", "--version"], check=True, capture_output=True, text=True).stdout
    assert numbers(theirs) == numbers(ours), MEND
    assert "2.0.8" not in version or theirs == ours, MEND  # other versions write the same in other words


@pytest.mark.system
@pytest.mark.skipif(shutil.which("flatc") is None, reason="flatc is not installed (Debian: flatbuffers-compiler)")
@pytest.mark.parametrize(("old", "new"), [("operands:", "operand:"), ("UI32,", "UI33,"), ("  name: string;\n", "")])
def test_a_changed_schema_is_noticed(tmp_path, old, new):
    schema = shutil.copytree(ROOT / "schema", tmp_path / "schema")
    path = next(path for path in sorted(schema.glob("*.fbs")) if old in path.read_text())
    path.write_text(path.read_text().replace(old, new, 1))
    changed = generated(schema / "binary.fbs", tmp_path)
    assert numbers(changed) != numbers((ROOT / "_generated" / GENERATED).read_text())


def generated(schema, folder):
    subprocess.run(["flatc", "--python", "--gen-onefile", "--gen-all", "-o", str(folder), str(schema)], check=True)
    return (folder / GENERATED).read_text()


def numbers(code):
    """What any version of flatc must write: enumerators with their values, and fields with their slots."""
    found = set()
    for name, body in re.findall(r"^class (\w+)\(object\):\n(.*?)(?=^\S|\Z)", code, re.MULTILINE | re.DOTALL):
        found |= {(name, *of) for of in re.findall(r"^    (\w+) = (\d+)$", body, re.MULTILINE)}
        found |= {(name, *of) for of in re.findall(r"def (\w+)\(self.*?\):.*?_tab\.Offset\((\d+)\)", body, re.DOTALL)}
    return found


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.ttb")), ids=lambda p: p.stem)
def test_released_schema_versions_load(path, binary_for, assert_equal):
    """Against the program on the file's own device: figures of presets may change."""
    loaded = load(path, verify=True)
    made = binary_for(loaded.system_desc)
    assert_equal(loaded, made if path.stem == "schema_1_0" else with_scan(made))


@pytest.mark.parametrize("path", sorted((GOLDEN.parent / "older").glob("*.ttb")), ids=lambda p: p.stem)
def test_programs_of_earlier_compilers_run(path):
    """Compiled before configurations were typed and stated errors had two sides."""
    binary = random_weights(load(path, verify=True))
    results = execute(binary, random_inputs(binary.functions[0]))
    assert results
    assert all(np.isfinite(r).all() for r in results.values())
    assert build_report(binary, binary.functions[0].name).total_ns > 0


def test_the_current_schema_version_has_a_golden_file():
    major, minor = flatbuffer.SCHEMA_VERSION
    assert (GOLDEN / f"schema_{major}_{minor}.ttb").exists(), "run `python tests/flatbuffer/golden/update.py`, once"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda p: p.stem)
def test_what_a_released_version_has_stays(path):
    released = {tuple(line.split()) for line in path.read_text().splitlines()}
    gone = released - numbers((ROOT / "_generated" / GENERATED).read_text())
    assert not gone, "fields and members of released files keep their names and numbers: add new ones at the end"
