"""What the zoo's command measured."""

import json
from pathlib import Path

from examples.zoo.record import from_json
from examples.zoo.table import FIGURES, rows
from ttstack_docs.markdown import table

DOCS = Path(__file__).parents[2]


def zoo_table(size: str) -> str:
    """The records of `zoo-<size>.json`, with what each model is; columns that no record fills are left out."""
    data = json.loads((DOCS / f"zoo-{size}.json").read_text())
    records = from_json(data)
    cells = [[row[0], record.about, *row[1:]] for record, row in zip(records, rows(records), strict=True)]
    filled = [i for i in range(len(FIGURES) + 2) if any(row[i] != "-" for row in cells)]
    titles = ["model", "", *FIGURES]
    made = f"`{data['command']}` on {data['machine']}, for `{data['device']}`, format {records[0].dtype}:\n\n"
    return made + table([titles[i] for i in filled], [[row[i] for i in filled] for row in cells])


def zoo_figures() -> str:
    """What the columns show."""
    return "\n".join(f"- **{name}**: {meaning}" for name, meaning in FIGURES.items())
