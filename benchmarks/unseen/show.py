"""Records of networks as lines of text."""

from benchmarks.unseen.measure import Record


def text_of(record: Record) -> str:
    """A line for the network, and one for each of its largest moves."""
    title = f"{record['library']} {record['name']}"
    if "error" in record:
        first = (record["error"].splitlines() or [""])[0]
        return f"{title}: {record['step']} failed after {record['process_seconds']:.0f} s: {first}"
    share = record["moving_us"] / record["us"]
    figures = f"{record['us']:,.1f} µs, {share:.1%} of it moves, {record['ops']} ops"
    lines = [f"{title}: {figures}, compiled in {record['seconds']:.0f} s"]
    for move in record["moves"]:
        operands, results = ", ".join(move["operands"]), ", ".join(move["results"])
        attributes = ", ".join(f"{name} {value}" for name, value in move["attributes"].items())
        lines.append(
            f"  {move['us']:8.1f} µs  {move['op']:28} {operands} -> {results}  [{attributes}]  {move['location']}"
        )
    return "\n".join(lines)
