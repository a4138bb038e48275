"""The page about a compilation: what is on it, and that names of strangers are only text there."""

import re
from pathlib import Path

import pytest

import ttstack
from ttstack.debugging.compilation_page import compilation_page
from ttstack.passes.instrumented import Instruments
from ttstack.passes.rewrite_log import RewriteLog

MODEL = """func.func @f(%x: tensor<32x64xf32>, %w: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %0 = "ttir.matmul"(%x, %w) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.relu"(%0) : (tensor<32x64xf32>) -> tensor<32x64xf32> loc("<script>alert(1)</script>"("a.py":1:2))
  return %1 : tensor<32x64xf32>
}"""


@pytest.fixture
def page(tmp_path: Path) -> str:
    log = RewriteLog(keeps_declined=True)
    program = ttstack.compile(
        MODEL,
        dump_ir=tmp_path / "ir",
        keep_effects=True,
        keep_decisions=True,
        instruments=Instruments(rewrites=log),
    )
    return compilation_page(program, log, tmp_path)


def test_passes_and_their_changes_are_there(page: str, tmp_path: Path):
    names = re.findall(r"<summary><b>([\w-]+)</b>", page)
    assert {"fuse", "dispatch", "place", "assign-addresses"} <= set(names)
    assert "fuse: fuse.activation, applied" in page
    assert 'class="removed">-    %' in page
    assert 'class="added">+    %' in page
    for link in re.findall(r'href="(ir/[^"]+)"', page):
        assert (tmp_path / link).exists()
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page


def test_decisions_of_placement_are_there(page: str):
    assert "<h2>Placement</h2>" in page
    assert "greedy: " in page


def test_names_are_text(page: str):
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
