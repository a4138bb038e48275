"""Mutants that no test can catch, as they change nothing that anybody could see, each with its proof."""

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "ttstack/placement/formulate.py",
        "most + step.scratch[choice] <= problem.capacity[at]",
        "(most + step.scratch[choice] < problem.capacity[at])",
    ): "Where both sides are equal, choices stay that are slower than one with the same layouts which always fits: "
    "each placement with a slower one is one with the faster, and the search takes the faster.",
    (
        "ttstack/report/table.py",
        'table.add_column("")',
        "pass",
    ): "Each row has four cells, there is a row, and rich adds the same column when it meets a cell beyond the last.",
    (
        "runtime/ttstack_runtime/precision.py",
        "False",
        "True",
    ): "The file says False of `copy` alone: with a copy, `astype` gives an equal array, and neither `quantize` nor "
    "the truncation of operands writes to what they are given.",
    (
        "ttstack/system_desc/follow.py",
        "True",
        "False",
    ): "The file says True of `strict` alone, and `_is_grid` has made sure that what is zipped are pairs.",
    (
        "ttstack/system_desc/follow.py",
        'zip(("rows", "columns"), die, strict=True)',
        "(zip(('rows', 'columns'), die))",
    ): "As above: `die` is a pair.",
}
"""By path, text before and text after: why it is the same program."""
