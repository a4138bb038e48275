"""Where a dozen functions are placed, by each policy that decides."""

from pathlib import Path

import pytest

import ttstack
from tests.golden.conftest import Golden
from tests.golden.lines import placement_lines
from tests.placement.devices import KIB, device

ROOT = Path(__file__).parents[2]
OWN = sorted(Path(__file__).parent.glob("functions/*.mlir"))
OTHERS = [
    ROOT / "examples/encoder_layer.mlir",
    ROOT / "examples/dlrm.mlir",
    ROOT / "docs/mlp.mlir",
    ROOT / "docs/lookup.mlir",
]
LIMITS = {"greedy": {}, "optimal": {"placement_nodes": 20}}


@pytest.mark.parametrize("policy", LIMITS)
@pytest.mark.parametrize("path", [*OWN, *OTHERS], ids=lambda path: path.stem)
def test_placements(path: Path, policy: str, golden: Golden) -> None:
    program = ttstack.compile(path, placement=policy, **LIMITS[policy])
    golden.check(f"placements/{path.stem}.{policy}.txt", "\n".join(placement_lines(program.binary)) + "\n")


@pytest.mark.parametrize("policy", LIMITS)
def test_placements_where_l1_is_small(policy: str, golden: Golden) -> None:
    system = device(usable=384 * KIB)
    program = ttstack.compile(OWN[0].with_name("full.mlir"), system_desc=system, placement=policy, **LIMITS[policy])
    golden.check(f"placements/full_small.{policy}.txt", "\n".join(placement_lines(program.binary)) + "\n")


def test_what_is_stored_is_checked() -> None:
    names = [path.stem for path in (*OWN, *OTHERS)] + ["full_small"]
    stored = {path.name for path in Path(__file__).parent.glob("placements/*")}
    assert stored == {f"{name}.{policy}.txt" for name in names for policy in LIMITS}
