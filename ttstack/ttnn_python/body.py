"""The text of `forward`, and of a function for each repeated layer or time step."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ttstack.escape import one_line
from ttstack.report.report import Report
from ttstack.ttnn_python.expression import spell
from ttstack.ttnn_python.function import EmittedOp
from ttstack.ttnn_python.layers import Layer, find_layers
from ttstack.ttnn_python.loops import Loop, find_loop

_LISTED = 3
"""Number of op numbers that a comment lists before it abbreviates."""


@dataclass(frozen=True)
class _Call:
    """The lines that replace steps: a call of a function, or a loop of calls."""

    start: int
    """Position of the first step."""
    length: int
    """Number of steps."""
    lines: list[str]


@dataclass(frozen=True)
class Body:
    """The steps of a function, with their predictions."""

    steps: Sequence[EmittedOp]
    report: Report
    outputs: Mapping[str, str]
    """Variables by output name."""
    recurring: Sequence[range] = ()
    """Starts of the calls of recurrent steps, each as long as the distance to the next."""

    @cached_property
    def layers(self) -> Mapping[str, Layer]:
        """The repeated layers by function name."""
        times = [self._time([step]) for step in self.steps]
        seen, named = Counter[str](), dict[str, Layer]()
        for layer in find_layers(self.steps, times, self.outputs.values(), self.recurring):
            more = seen[layer.name]
            seen[layer.name] += 1
            named[f"{layer.name}_{more}" if more else layer.name] = layer
        return named

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The text of all functions, `forward` last."""
        return (*(self._function(name, layer) for name, layer in self.layers.items()), self._forward())

    def part(self, name: str, taken: Sequence[str]) -> str:
        """Return the steps as a function of these variables, which returns its outputs; nothing is folded."""
        lines = [line for step in self.steps for line in self._lines([step], step)]
        outputs = ", ".join(self.outputs.values())
        head = f'    """{self.report.total_ns / 1000:,.1f} µs predicted."""'
        return "\n".join([f"def {name}({', '.join(['device', 't', *taken])}):", head, *lines, f"    return {outputs}"])

    def _function(self, name: str, layer: Layer) -> str:
        first = layer.stretches[0]
        passed = [layer.taken[0][at] for at in layer.passed]
        given = {variable: f"given_{i}" for i, variable in enumerate(passed) if variable.startswith("t[")}
        parameters = ["device", "t", *(["layer"] if layer.indices else []), *(given.get(p, p) for p in passed)]
        names, counters = {**layer.spelled, **given}, layer.counters
        alike, integers = zip(*layer.stretches, strict=True), iter(counters.spelled)
        shown = [step.rename(names).with_integers(integers) for step in first]
        lines = [line for steps, step in zip(alike, shown, strict=True) for line in self._lines(steps, step)]
        made = [f"    return {', '.join(layer.made[0])}"] if layer.made[0] else []
        numbers = [step.number for step in first if step.number is not None]
        head = f'    """Ops {numbers[0]} to {numbers[-1]}, and {len(layer.stretches) - 1} times more."""'
        return "\n".join([f"def {name}({', '.join([*parameters, *counters.parameters])}):", head, *lines, *made])

    @cached_property
    def _loops(self) -> Mapping[str, Loop]:
        """Loops of calls, by the name of the called function."""
        found = {name: find_loop(layer, self._named_outside(layer)) for name, layer in self.layers.items()}
        return {name: loop for name, loop in found.items() if loop is not None}

    def _named_outside(self, layer: Layer) -> set[str]:
        """Return variables that are used outside of calls of a layer."""
        within = {at for start in layer.starts for at in range(start, start + layer.length)}
        others = (step for at, step in enumerate(self.steps) if at not in within)
        return {name for step in others for name in step.named}.union(self.outputs.values())

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """The names of results of calls in loops after the loop."""
        return {name: other for loop in self._loops.values() for name, other in loop.names.items()}

    def _forward(self) -> str:
        lines, at = ['    """Outputs by name."""'], 0
        calls = {call.start: call for name, layer in self.layers.items() for call in self._calls(name, layer)}
        while at < len(self.steps):
            step = self.steps[at]
            lines += calls[at].lines if at in calls else self._lines([step], step.rename(self._names))
            at += calls[at].length if at in calls else 1
        outputs = ", ".join(f"{spell(name)}: {self._names.get(value, value)}" for name, value in self.outputs.items())
        return "\n".join(["def forward(device, t):", *lines, f"    return {{{outputs}}}"])

    def _calls(self, name: str, layer: Layer) -> Iterator["_Call"]:
        if (loop := self._loops.get(name)) is not None:
            steps = [step for stretch in layer.stretches for step in stretch]
            lines = [f"    {line}" for line in loop.lines(name, self._names)]
            yield _Call(layer.starts[0], len(steps), [f"{self._span(steps)}, {len(layer.starts)} times", *lines])
            return
        indices = layer.indices or ("",) * len(layer.starts)
        stretches = zip(layer.starts, indices, layer.stretches, layer.taken, layer.made, strict=True)
        for call, (start, index, steps, taken, made) in enumerate(stretches):
            passed = (self._names.get(taken[at], taken[at]) for at in layer.passed)
            arguments = ["device", "t", *([index] if index else []), *passed, *layer.counters.arguments(call)]
            left = f"{', '.join(made)} = " if made else ""
            yield _Call(start, len(steps), [self._span(steps), f"    {left}{name}({', '.join(arguments)})"])

    def _span(self, steps: Sequence[EmittedOp]) -> str:
        """Return the comment of calls: their op numbers and time."""
        numbers = [step.number for step in steps if step.number is not None]
        time = sum(self.report.ops[number].elapsed_ns for number in numbers)
        return f"    # {numbers[0]} to {numbers[-1]}: {time / 1000:.1f} µs"

    def _lines(self, alike: Sequence[EmittedOp], shown: EmittedOp) -> Iterator[str]:
        """Yield the comment of an op for all these equal steps, then its statements."""
        numbers = [str(step.number) for step in alike if step.number is not None]
        if numbers:
            few = numbers if len(numbers) <= _LISTED else [*numbers[: _LISTED - 1], "...", numbers[-1]]
            where, time = one_line(shown.operation.location), self._time(alike)
            yield f"    # {', '.join(few)} {shown.operation.name}: {f'{where}, ' if where else ''}{time}"
        yield from shown.lines(4)

    def _time(self, alike: Sequence[EmittedOp]) -> str:
        """Return the op's time, or the range of times."""
        times = sorted(self.report.ops[step.number].elapsed_ns for step in alike if step.number is not None)
        shown = dict.fromkeys(f"{time / 1000:.1f}" for time in (times[:1] + times[-1:]))
        return f"{' to '.join(shown)} µs" if shown else ""
