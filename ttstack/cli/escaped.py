"""Console output with escaped control characters."""

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from ttstack.escape import printable


class EscapeRendered(RenderHook):
    """Escapes every text, but not the console's own sequences."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return the renderables with escaped texts."""
        return [_Escaped(renderable) for renderable in renderables]


@dataclass(frozen=True)
class _Escaped:
    rendered: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.rendered, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
