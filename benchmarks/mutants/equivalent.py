"""Mutants that no test can catch, as they change nothing that anybody could see, each with its proof."""

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "ttstack/report/compare.py",
        '"order"',
        "'orden'",
    ): "A word of a type for the type checker, which finds it; when the program runs nobody asks for it.",
    (
        "runtime/ttstack_runtime/kernels/pool.py",
        "np.arange(length * factor, dtype=np.float64)",
        "(np.arange(length * factor))",
    ): "A half is added, and integers and a float give float64.",
    (
        "ttstack/program/launched.py",
        "operation.name == DEALLOCATE or _loads_weight(function, operation)",
        "(_loads_weight(function, operation))",
    ): "An op without results that writes to no operand is free, as the next line finds, after it has made the op.",
}
"""By path, text before and text after: why it is the same program."""
