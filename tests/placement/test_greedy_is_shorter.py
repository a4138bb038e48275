"""The report says where the greedy placement is predicted to be shorter than the optimal one."""

from dataclasses import replace

import ttstack
from ttstack.placement.optimal import Solution


def test_it_is_said_by_how_much(monkeypatch, tmp_path):
    """The search ends elsewhere, with what all tensors in DRAM take: as if that were more certain."""
    solve = ttstack.placement.function.solve_optimal

    def uncertain(problem, *rest):
        found = solve(problem, *rest)
        others = [max(range(len(step.cost)), key=lambda i, c=step.cost: c[i]) for step in problem.steps]
        return Solution(tuple(others), found.bound, found.chosen)

    monkeypatch.setattr("ttstack.placement.function.solve_optimal", uncertain)
    program = ttstack.compile("examples/encoder_layer.mlir", placement="optimal", placement_nodes=1)
    assert program.function().greedy_saves_ns > 0
    program.save(tmp_path / "m.ttb")
    assert "shorter, predicted, with more uncertainty" in str(ttstack.load(tmp_path / "m.ttb").cost())
    plain = replace(program.function(), greedy_saves_ns=0.0)
    assert "shorter" not in str(replace(program, binary=replace(program.binary, functions=(plain,))).cost())
