"""Model Explorer's extension commands for one session: graphs, the form of an edit, and its result."""

from collections.abc import Callable, Mapping
from typing import Any

from ttstack.diagnostics import InputError, TTStackError
from ttstack.explore.edits import FIELDS
from ttstack.explore.session import Session
from ttstack.explore.tt_explorer import TTExplorer
from ttstack.support.whole_number import whole_number

ADAPTER = "ttstack"
EDITOR = "ttstack_edit"

Values = dict[str, Any]

_SHOWN = 9
"""Number of characters of a number that an error repeats."""

EXTENSIONS: tuple[Values, ...] = (
    {
        "type": "adapter",
        "id": ADAPTER,
        "name": "ttstack",
        "description": "Every level of a compiled model, with predicted times",
        "source_repo": "",
        "fileExts": ["ttb"],
    },
    {
        "type": "node_data_provider",
        "id": EDITOR,
        "name": "Edit an op and compile",
        "description": "Fix the memory, layout, cores, format or configuration of an op, and see what that changes",
        "source_repo": "",
        "icon": "edit",
        "filter": {"modelFileExts": None, "adapterIds": [ADAPTER]},
    },
    TTExplorer.METADATA,
)
"""The commands, in Model Explorer's format."""


class Commands:
    """Answers for one session, one thread at a time."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._explorer = TTExplorer(session)
        self._known: Mapping[tuple[str, str], Callable[[Values], Values]] = {
            (ADAPTER, "convert"): lambda _: convert(session),
            (EDITOR, "get_config_editors"): lambda _: {"configEditors": form(session), "error": ""},
            (EDITOR, "run"): lambda command: run_edit(session, command),
            **{(self._explorer.ID, name): answer for name, answer in self._explorer.commands.items()},
        }

    def answer(self, command: object) -> Values:
        """Return the reply to one command; errors are in it as `error`, in the compiler's words."""
        try:
            return self._answer(command)
        except TTStackError as error:
            return {"error": str(error.diagnostic)}

    def _answer(self, command: object) -> Values:
        if not isinstance(command, dict):
            raise InputError("a command is a JSON object")
        values: Values = command
        key = (str(values.get("extensionId")), str(values.get("cmdId")))
        if key not in self._known:
            raise InputError(f"there is no command '{key[1]}' of '{key[0]}'")
        if values.get("modelPath", self.session.path) != self.session.path:
            raise InputError(f"'{values['modelPath']}' is not open here", hint=f"open is '{self.session.path}'")
        return self._known[key](values)


def convert(session: Session) -> Values:
    """Return all graphs, with those of edits."""
    return {"graphs": [graph.values() for graph in session.graphs]}


def form(session: Session) -> list[Values]:
    """Return the form of an edit: op, field, value, and the edited version."""
    versions = [(str(v.number), f"{v.number}: {v.what}") for v in reversed(session.versions)]
    fields = [(name, f"{name}: {what}") for name, what in FIELDS.items()]
    return [
        _text("op", "Op", "Its number, location or name; the panel of a node has them."),
        _choice("field", "What is to change", fields),
        _text("value", "Value", "In the form of the field."),
        _choice("base", "Together with the edits of", versions),
    ]


def run_edit(session: Session, command: Values) -> Values:
    """Return the effect of an edit, as overlays for the shown graph."""
    given = command.get("configValues")
    values: Values = given if isinstance(given, dict) else {}
    op, name, value = (str(values.get(key) or "") for key in ("op", "field", "value"))
    base = str(values.get("base") or "")
    try:
        if not (op and value):
            raise InputError("an edit has an op and a value", hint="fill in both")
        found = session.edit(str(command.get("graphId")), op, name, value, _version(base))
    except TTStackError as error:
        return {"result": None, "error": str(error.diagnostic)}
    return {"result": [overlay.node_data() for overlay in found], "error": ""}


def _version(text: str) -> int | None:
    """Return the number of the edited version; None for the last one."""
    if not text:
        return None
    if (number := whole_number(text)) is None:
        raise InputError(f"there is no edit '{text[:_SHOWN]}'", hint="leave it out for the last one")
    return number


def _text(name: str, label: str, description: str) -> Values:
    return {
        "type": "text_input",
        "id": name,
        "label": label,
        "description": description,
        "required": True,
        "help": "",
        "defaultValue": "",
        "number": False,
    }


def _choice(name: str, label: str, options: list[tuple[str, str]]) -> Values:
    return {
        "type": "drop_down",
        "id": name,
        "label": label,
        "description": "",
        "help": "",
        "required": True,
        "defaultValue": options[0][0],
        "options": [{"value": value, "label": text} for value, text in options],
    }
