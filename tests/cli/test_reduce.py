"""`ttstack reduce`: modules made smaller while a command fails."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from ttstack.reduce import FailingCommand, ReductionState, reduce_module

T = "tensor<32x32xf32>"
NAMES = ("neg", "abs", "relu", "sqrt", "exp", "tanh")
FAILS_ON_COS = "sh -c 'if grep -q ttir.cos {}; then exit 3; fi'"


def model(length: int) -> str:
    """A chain of many ops with sums across, one of them a cosine; and a function that has nothing to do with it."""

    lines = [f"func.func @other(%x: {T}) -> {T} {{", f'  %0 = "ttir.abs"(%x) : ({T}) -> {T}', f"  return %0 : {T}", "}"]
    lines.append(f'func.func @f(%0: {T} {{ttir.name = "x"}}, %unread: {T}) -> ({T}, {T}) {{')
    for i in range(length):
        name = "cos" if i == length * 2 // 3 else NAMES[i % 6]
        if i % 7 == 3:
            lines.append(f'  %{i + 1} = "ttir.add"(%{i}, %{max(0, i - 5)}) : ({T}, {T}) -> {T}')
        else:
            lines.append(f'  %{i + 1} = "ttir.{name}"(%{i}) : ({T}) -> {T}')
    return "\n".join([*lines, f"  return %{length}, %{length // 2} : {T}, {T}", "}"])


def ops(text: str) -> list[str]:
    return re.findall(r'"ttir\.(\w+)"', text)


def test_what_does_not_matter_goes():
    def holds(text: str) -> bool:
        names = ops(text)
        return "cos" in names and "tanh" in names[names.index("cos") :]

    small = reduce_module(model(60), holds)
    assert ops(small) == ["cos", "tanh"]
    assert small.count("func.func") == 1
    assert small.count("tensor") < 10


def test_several_that_matter_together_stay():
    small = reduce_module(model(60), lambda text: ops(text).count("add") >= 3)
    assert ops(small).count("add") == 3
    assert len(ops(small)) == 3


def test_a_command_that_fails_on_a_file_does_so_on_the_small_one(tmp_path: Path, ttstack: Command):
    file = tmp_path / "m.mlir"
    file.write_text(f'module attributes {{a.b = 1 : i64, a.c = "x = y"}} {{\n{model(40)}\n}}')
    done = ttstack("reduce", file, "--keeps", FAILS_ON_COS)
    assert done.code == 0, done.err
    small = tmp_path / "m.small.mlir"
    assert ops(small.read_text()) == ["cos"]
    assert f"{small}: 1 op" in done.out
    assert subprocess.run(["grep", "-q", "ttir.cos", str(small)], check=False).returncode == 0


def test_a_module_as_tt_mlir_spells_it():
    text = f"""func.func @f(%x: {T}, %w: {T}) -> {T} {{
      %0 = "ttir.matmul"(%x, %w) <{{transpose_b = true}}> : ({T}, {T}) -> {T}
      %1 = "ttir.cos"(%0) : ({T}) -> {T}
      return %1 : {T}
    }}"""
    assert ops(reduce_module(text, lambda small: "transpose_b = true" in small)) == ["matmul"]


@pytest.mark.parametrize(
    ("keeps", "said"),
    [
        ("true {}", "does not fail on"),
        ("false", "has no place for the module"),
        ("false {}", "fails on an empty module in the same way"),
        ("no-such-command {}", "--keeps cannot be run"),
    ],
)
def test_commands_that_cannot_be_kept_are_refused(tmp_path: Path, ttstack: Command, keeps: str, said: str):
    file = tmp_path / "m.mlir"
    file.write_text(model(8))
    done = ttstack("reduce", file, "--keeps", keeps)
    assert done.code == 1
    assert said in done.err
    assert not (tmp_path / "m.small.mlir").exists()


def test_text_that_does_not_parse_is_refused(tmp_path: Path, ttstack: Command):
    file = tmp_path / "m.mlir"
    file.write_text("func.func @f(")
    done = ttstack("reduce", file, "--keeps", FAILS_ON_COS.replace("ttir.cos", "func"))
    assert done.code == 1
    assert "cannot read the module" in done.err


def test_after_a_success_the_next_tries_are_of_what_they_name():
    """Functions and results in the middle matter; all others go."""
    functions = [f"func.func @f{i}(%0: {T}) -> {T} {{ return %0 : {T} }}" for i in range(8)]
    assert reduce_module("\n".join(functions), lambda text: "@f5" in text and "@f2" in text).count("func.func") == 2
    values = "\n".join(f'  %{i + 1} = "ttir.{name}"(%0) : ({T}) -> {T}' for i, name in enumerate(NAMES))
    returned = ", ".join(f"%{i + 1}" for i in range(len(NAMES)))
    text = f"func.func @f(%0: {T}) -> ({', '.join([T] * len(NAMES))}) {{\n{values}\n  return {returned} : {', '.join([T] * len(NAMES))}\n}}"
    small = reduce_module(text, lambda text: {"relu", "tanh"} <= set(ops(text)))
    assert ops(small) == ["relu", "tanh"]


def test_a_file_that_is_no_module_is_called_so(tmp_path: Path, ttstack: Command):
    (tmp_path / "m.py").write_text("import torch  # cos\n")
    done = ttstack("reduce", tmp_path / "m.py", "--keeps", FAILS_ON_COS.replace("ttir.cos", "cos"))
    assert "m.py' is not a module as text" in done.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_the_smallest_module_so_far(
    number: signal.Signals, tmp_path: Path, ttstack: Command, monkeypatch: pytest.MonkeyPatch
):
    file, held = tmp_path / "m.mlir", list[str]()
    file.write_text(model(40))

    def fails_alike(_: FailingCommand, text: str) -> bool:
        if len(held) == 2:
            signal.raise_signal(number)
        held.extend([text] if "cos" in ops(text) else [])
        return "cos" in ops(text)

    monkeypatch.setattr(FailingCommand, "fails_alike", fails_alike)
    if number == signal.SIGINT:
        with pytest.raises(KeyboardInterrupt):  # which ends the process with 130
            ttstack("reduce", file, "--keeps", FAILS_ON_COS)
    else:
        done = ttstack("reduce", file, "--keeps", FAILS_ON_COS)
        assert done.code == 128 + number
        assert "interrupted; smaller modules tried: " in done.out
    small = ops((tmp_path / "m.small.mlir").read_text())
    assert small == ops(held[-1])


def test_each_try_is_counted():
    seen: list[ReductionState] = []
    small = reduce_module(model(20), lambda text: "cos" in ops(text), seen.append)
    assert [step.tries for step in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].text == small
    assert seen[-1].ops == len(ops(small)) == 1
