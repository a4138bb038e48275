"""The small models of the zoo against PyTorch, and what its command says."""

from pathlib import Path

import pytest

from examples import zoo
from examples.zoo.__main__ import main
from examples.zoo.measure import measure
from examples.zoo.record import Record, from_json, to_json

NAMES = [name for family in zoo.FAMILIES.values() for name in family]
RUNNER = {"__init__", "__main__", "factory", "measure", "record", "table"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_small_models_equal_pytorch(name: str):
    record = measure(name, "small", "bf16", "wormhole")
    assert record.misses() == []
    assert record.error is not None
    assert set(record.pcc) == {"bf16", "bfp8_b"}


@pytest.mark.filterwarnings("ignore")
def test_eight_billion_parameters_are_costed_without_values():
    record = measure("llama", "full", "bfp8_b", "wormhole")
    assert record.misses() == []
    assert record.beyond_bytes is not None
    assert record.beyond_bytes < 1e9, "of the 16e9 that the weights have"
    assert record.predicted_ns is not None
    assert record.predicted_ns > 8e9 / 288e9 * 1e9, "every weight is read from DRAM once, at 288 GB/s"


def test_every_model_is_listed():
    files = {path.stem for path in Path(str(zoo.__file__)).parent.glob("*.py")}
    assert files - RUNNER == set(NAMES)


def test_what_misses_its_target_is_said():
    good = Record("bert", "small", "bf16", error=9e-4, pcc={"bf16": 0.99})
    assert good.misses() == []
    assert Record("bert", "small", "bf16", error=float("nan"), pcc={"bf16": 0.98}).misses() == [
        "f32 is off by nan",
        "PCC of bf16 is 0.9800",
    ]
    assert measure("bert", "small", "bf16", "no_such_device").misses()[0].startswith("SystemDescError")
    assert from_json(to_json([good], machine="any")) == [good]


def test_an_unknown_model_is_wrong_usage():
    with pytest.raises(Exception, match="the zoo has no model brt"):
        main(["brt"])
