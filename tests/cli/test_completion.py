import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("words", "known"),
    [
        ("ttstack comp", {"compile", "compare"}),
        ("ttstack compile --placement ", {"greedy", "optimal", "dram"}),
        ("ttstack compile --system-desc n1", {"n150"}),
        ("ttstack opt --system-desc p1", {"p100a", "p150"}),
        ("ttstack system-desc show wormhole_n", {"wormhole_n300"}),
        ("ttstack examples e", {"encoder_layer"}),
        ("ttstack compile --system-desc mine", set()),
        ("ttstack compile --without fold-m", {"fold-masks"}),
        ("ttstack compile --without fold-masks,fuse-b", {"fold-masks,fuse-bias"}),
        ("ttstack compile --without decompose", set()),
    ],
)
def test_shells_complete_commands_choices_and_names(words: str, known: set[str]) -> None:
    position = str(len(words.split(" ")) - 1)
    environment = {"_TTSTACK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": position}
    code = f"import sys; sys.path[:0] = {sys.path!r}; from ttstack.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert set(done.stdout.split()) == known
