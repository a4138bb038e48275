"""What a console renders, with escapes for control characters that texts bring along."""

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from ttstack.escape import printable


class EscapeRendered(RenderHook):
    """Escapes every text, and leaves the sequences that the console itself adds."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return the same, each with its texts escaped."""
        return [_Escaped(renderable) for renderable in renderables]


@dataclass(frozen=True)
class _Escaped:
    rendered: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.rendered, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
