"""The bound of an op names the resource of the device that would have to be faster for the op to be."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import ttstack
from ttstack.compiled_program import Program
from ttstack.cost.sensitivity import FASTER, MOST_SAVED, Sensitivity
from ttstack.system_desc import ChipDesc, load, presets
from ttstack.system_desc.fields import dimension_at, unpriced_reason
from ttstack.system_desc.quantities import BYTES_PER_CYCLE, BYTES_PER_SECOND, CYCLES, NANOSECONDS
from ttstack.system_desc.resources import Resource, accelerate, resource_of, speed_figures
from ttstack.system_desc.sources import figures

EXAMPLES = sorted((Path(ttstack.__file__).parent / "examples").glob("*.mlir"))
LONGEST_NAME = 12
"""Characters that a name may have in a column of a report at 80 columns."""


@cache
def program(path: Path) -> Program:
    return ttstack.compile(path)


def what_if(chip: ChipDesc, resource: Resource) -> str:
    """The change of the device that gives 10 % more of a resource, as users write it."""
    return ",".join(f"{path}={value!r}" for path, value in speed_figures(chip, resource, FASTER).items())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_more_of_the_bound_shortens_each_op_more_than_more_of_anything_else(path: Path) -> None:
    ops = program(path).cost().ops
    chip = program(path).cost().chip
    times = {r.value: program(path).what_if(what_if(chip, r)).after.ops for r in Resource}
    bounds = {op.bound for op in ops}
    assert len(bounds) > 2, "the examples wait for several resources"
    for op in ops:
        saved = {name: 1 - after[op.index].elapsed_ns / op.elapsed_ns for name, after in times.items()}
        assert saved[op.bound] > max((s for name, s in saved.items() if name != op.bound), default=0.0), op.index
        assert 0 < saved[op.bound] <= MOST_SAVED
        assert op.sensitivity == pytest.approx({n: s for n, s in saved.items() if s > 1e-9}, abs=1e-9)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_resources_together_are_the_time(path: Path) -> None:
    """A device on which all resources and the power limit are 10 % faster is a faster device: nothing else takes time."""
    found = program(path)
    chip = faster = found.cost().chip
    for resource in Resource:
        faster = accelerate(faster, resource, FASTER)
    assert faster != chip
    system = found.binary.system_desc.model_copy(update={"chips": (faster,)})
    after = Program(replace(found.binary, system_desc=system)).cost()
    for op, again in zip(found.cost().ops, after.ops, strict=True):
        assert again.elapsed_ns == pytest.approx(op.elapsed_ns / FASTER)


def test_a_resource_that_is_not_the_limit_any_more_saves_no_more() -> None:
    """A linear of the encoder layer is bound by DRAM; with twice as much, NoC links are the limit."""
    found = program(next(path for path in EXAMPLES if path.stem == "encoder_layer"))
    function, op = found.function(), found.cost().ops[0]
    assert op.bound == "DRAM"
    device_op = function.device_op(function.operations[0])
    twice = Sensitivity(found.cost().chip, found.binary.system_desc, 2.0).of(device_op, op.elapsed_ns)
    assert op.sensitivity["DRAM"] < twice["DRAM"] < 2 * op.sensitivity["DRAM"]


@pytest.mark.parametrize("name", presets())
def test_every_priced_rate_and_time_is_of_one_resource(name: str) -> None:
    for chip in load(name).chips:
        for path in figures(chip):
            if path.startswith(("calibration.", "source_errors.")):
                continue
            speed = dimension_at(path) in (BYTES_PER_CYCLE, BYTES_PER_SECOND, CYCLES, NANOSECONDS)
            assert (resource_of(path) is not None) == (speed and unpriced_reason(path) is None), path


def test_names_fit_a_column_and_are_single_words() -> None:
    for resource in Resource:
        assert len(resource) <= LONGEST_NAME
        assert " " not in resource


def test_the_page_has_a_colour_for_each_resource_in_every_theme() -> None:
    css = (Path(ttstack.__file__).parent / "report/html/assets/page.css").read_text()
    for resource in Resource:
        assert css.count(f"--bound-{resource}: #") == 3
