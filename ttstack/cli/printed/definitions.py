"""JSON output of `ops NAME` and `passes NAME`."""

from typing_extensions import TypedDict


class OpDescriptionJson(TypedDict):
    """An op's definition."""

    mnemonic: str
    family: str
    meaning: str
    operands: list[str]
    """Names in order: `name`, `name?` if optional, `name...` if variadic."""
    results: list[str]
    attributes: list[tuple[str, str]]
    """Each attribute in MLIR syntax, and its default."""
    view: str
    """Its class in `ttstack.dialects.ttir.views`."""
    executable: bool
    """False if the op is replaced before lowering."""


class PassDescriptionJson(TypedDict):
    """A pass."""

    name: str
    about: str
    optional: bool
    """True if `--without` can leave it out."""
    options: dict[str, str]
    """Defaults by name."""
    stages: list[str]
    before: dict[str, str]
    """Passes of the same stage that run later, and why."""
    after: dict[str, str]
    """Passes of the same stage that run earlier, and why."""
