"""The templates of pages and notebooks, and the files that become part of them."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """Return a template of that name with these values, all of whose texts are escaped."""
    return _environment().get_template(f"{template}.html.j2").render(**values)


@cache
def asset(name: str) -> str:
    """Return the text of a script or a style sheet."""
    return files("ttstack.report.html").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("ttstack.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    return environment
