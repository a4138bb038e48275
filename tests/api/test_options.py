"""Options of compilation, and what a program gives."""

from pathlib import Path

import numpy as np
import pytest

import ttstack
from tests.api.programs import SOURCE, T, compiled


@pytest.mark.parametrize("dtype", ["f32", "bf16", "bfp8_b", "bfp4_b"])
def test_dtype_is_the_format_on_the_device(dtype: str):
    program = compiled(SOURCE, dtype=dtype)
    assert {t.layout.dtype.value for t in program.function().tensors} == {dtype}
    assert {str(t.type) for t in program.function().tensors} == {T}


def test_device_numerics_round_to_the_format():
    a = np.random.default_rng(0).random((64, 96), np.float32)
    program = compiled(SOURCE, dtype="bf16")
    exact, rounded = (program.run({"arg0": a, "arg1": a}, numerics=n).outputs["output"] for n in ("ieee", "device"))
    np.testing.assert_array_equal(exact, a + a)
    assert (rounded != exact).any()
    np.testing.assert_allclose(rounded, exact, rtol=1e-2)


def test_random_inputs_are_the_seeds():
    program = compiled(SOURCE)
    first, again, other = (program.run(seed=s).outputs["output"] for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_ir_after_every_pass_that_changed_it(tmp_path: Path):
    compiled(SOURCE, dump_ir=tmp_path / "ir")
    files = sorted(p.name for p in (tmp_path / "ir").glob("*.mlir"))
    assert files[0] == "000-input.mlir"
    assert {f.split("-", 1)[1] for f in files} >= {"dispatch.mlir", "place.mlir", "assign-addresses.mlir"}


def test_ir_in_the_program():
    stages = compiled(SOURCE, keep_ir=True).binary.stages
    assert "ttir.add" in stages["ttir"]
    assert "ttnn.add" in stages["ttnn"]


def test_progress_names_every_phase():
    seen: list[str] = []
    program = compiled(SOURCE, progress=seen.append)
    assert {"read", "place", "emit"} <= set(seen) <= {"read", *program.phases}


def test_costs_are_of_the_ops():
    report = compiled(SOURCE).cost()
    assert [op.name for op in report.ops] == ["add", "abs"]
    assert report.total_ns > 0


def test_a_program_survives_its_file(tmp_path: Path):
    program = compiled(SOURCE)
    program.save(tmp_path / "x.ttb")
    assert ttstack.load(tmp_path / "x.ttb").run().outputs.keys() == {"output"}


def test_a_device_can_be_a_path(tmp_path: Path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nchips:\n  - {base: wormhole.yaml, grid: [3, 5]}\n")
    assert compiled(SOURCE, system_desc=file).cost().system == "mine"


def test_a_program_in_a_line():
    assert repr(compiled(SOURCE)) == "Program for n150: forward(arg0: tensor<64x96xf32>, arg1: tensor<64x96xf32>)"


def test_a_report_in_print():
    printed = str(compiled(SOURCE).cost()).splitlines()
    assert printed[0].startswith("forward, 64x96, float32 on n150, ttnn 0.81")
    assert any(line.split()[1:2] == ["abs"] or " add " in line for line in printed)
    assert printed == [line.rstrip() for line in printed]
