"""Random placement problems, and all solutions of one tried at once."""

import numpy as np

from ttstack.placement.problem import Decision, Problem, Read

Random = np.random.Generator


def random_problem(rng: Random, steps: int, choices: int = 4) -> Problem:
    """Forks, joins and values that live for long; the first choice of every step always fits."""
    sizes: list[tuple[int, ...]] = [(0,)]
    made: list[Decision] = []
    for at in range(steps):
        reads = tuple(_read(rng, int(v), len(sizes[v])) for v in rng.integers(0, at + 1, rng.integers(1, 4)))
        needs = np.stack([rng.integers(0, r.cost.shape[1], choices) for r in reads], axis=1)
        needs[0] = 0
        gives = np.array([0, *rng.integers(0, 3, choices - 1)]).reshape(-1, 1)
        scratch = np.array([1, *rng.integers(1, 60, choices - 1)])
        made.append(Decision(reads, (at + 1,), needs, gives, rng.integers(1, 50, choices).astype(float), scratch, ()))
        sizes.append((0, *map(int, rng.integers(1, 50, 2))))
    last = {v: max((i for i, s in enumerate(made) if _uses(s, v)), default=v - 1) for v in range(1, steps + 1)}
    dies = [tuple(v for v, end in last.items() if end == i) for i in range(steps)]
    ended = [
        Decision(s.reads, s.writes, s.needs, s.gives, s.cost, s.scratch, d) for s, d in zip(made, dies, strict=True)
    ]
    return Problem(tuple(sizes), tuple(ended), (100,) * steps)


def _uses(step: Decision, value: int) -> bool:
    return any(read.value == value for read in step.reads)


def _read(rng: Random, value: int, options: int) -> Read:
    changes = ~np.eye(options, 3, dtype=bool)
    cost = np.where(changes, rng.integers(1, 30, changes.shape), 0).astype(float)
    copied = np.where(changes & (np.arange(3) > 0), rng.integers(1, 40, changes.shape), 0)
    return Read(value, cost, copied, np.where(changes, rng.integers(1, 20, changes.shape), 0), changes)


def exhaustive(problem: Problem) -> float:
    """The least total of all combinations of choices that fit."""
    count = len(problem.steps)
    total = np.zeros([step.choices for step in problem.steps])
    maker = {v: (at, i) for at, step in enumerate(problem.steps) for i, v in enumerate(step.writes)}

    def along(numbers: np.ndarray, *axes: int) -> np.ndarray:
        """An array by one or two choices as one by all."""
        order = np.argsort(axes)
        shape = [1] * count
        for axis in axes:
            shape[axis] = problem.steps[axis].choices
        return numbers.transpose(order).reshape(shape)

    def changed(table: np.ndarray, read: Read, at: int, position: int) -> np.ndarray:
        needs = problem.steps[at].needs[:, position]
        if read.value not in maker:
            return along(table[0, needs], at)
        by, i = maker[read.value]
        return along(table[np.ix_(problem.steps[by].gives[:, i], needs)], by, at)

    def held(value: int) -> np.ndarray | int:
        if value not in maker:
            return 0
        by, i = maker[value]
        return along(np.array(problem.sizes[value])[problem.steps[by].gives[:, i]], by)

    for at, step in enumerate(problem.steps):
        total = total + along(step.cost, at)
        used: np.ndarray | int = sum(held(v) for v in problem.live[at] if v not in step.writes)
        for position, read in enumerate(step.reads):
            total = total + changed(read.cost, read, at, position)
            used = used + changed(read.copied, read, at, position)
            over = used + changed(read.scratch, read, at, position) > problem.capacity[at]
            total = np.where(over & changed(read.changes, read, at, position), np.inf, total)
        used = used + sum(held(v) for v in step.writes) + along(step.scratch, at)
        total = np.where(used > problem.capacity[at], np.inf, total)
    return float(total.min())
