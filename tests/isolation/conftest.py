import os
from pathlib import Path

import pytest

from ttstack.support import operating_system


@pytest.fixture(params=["linux", "macos"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The system that a test runs on; for macOS, the calls that it lacks are taken away."""
    if request.param == "macos":
        for name in ("memfd_create", "pidfd_open", "sched_getaffinity"):
            monkeypatch.delattr(os, name)
        monkeypatch.setattr(operating_system, "PROC", tmp_path / "no-proc")
    return request.param
