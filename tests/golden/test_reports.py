"""What users see of the examples."""

from pathlib import Path

import pytest

import ttstack
from tests.golden.conftest import Golden
from ttstack.report.table import text

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("system", ["wormhole", "blackhole_p150"])
@pytest.mark.parametrize("example", ["dlrm", "encoder_layer", "resnet_block"])
def test_reports(example: str, system: str, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    report = ttstack.compile(f"{example}.mlir", system_desc=system).cost()
    printed = [text(report, 80), text(report, 200, every_op=True)]
    golden.check(f"reports/{example}.{system}.txt", "\n\n".join(printed) + "\n")
