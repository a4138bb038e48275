"""A system: chips, the links between them, the host."""

from collections.abc import Iterable, Iterator

from pydantic import Field

from ttstack.system_desc.base import Desc, Fault, Line
from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.quantities import Count, Grid
from ttstack.system_desc.sources import SourcedDesc


class LinkDesc(Desc):
    """Ethernet channels between two chips; each carries both directions."""

    from_chip: Count = Field(ge=0, description="First chip of the link, index into chips.")
    to_chip: Count = Field(ge=0, description="Second chip of the link, index into chips.")
    channels: Count = Field(ge=1, description="Ethernet links between the two chips, count.")


class HostDesc(Desc):
    """The computer that the chips are plugged into."""

    target_triple: Line = Field(default="x86_64-pc-linux-gnu", min_length=1, description="LLVM target triple; text.")


class SystemDesc(SourcedDesc):
    """Everything that the compiler, the cost model and the runtime know about the device."""

    name: Line = Field(min_length=1, description="Name of the board or system; text.")
    chips: tuple[ChipDesc, ...] = Field(
        min_length=1, description="The chips, in row-major order of the mesh; sections."
    )
    mesh_shape: Grid = Field(default=(1, 1), description="Size of the mesh in chips, rows and columns.")
    links: tuple[LinkDesc, ...] = Field(default=(), description="Ethernet links between chips; sections.")
    host: HostDesc = Field(default=HostDesc(), description="The host; a section.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Return the rules: the mesh has all chips, and links connect two of them with resources that both have."""
        links = (part for i, link in enumerate(self.links) for part in self._link_faults(i, link))
        return (*super().relations(), self._mesh_faults(), links, self._channel_faults())

    def _mesh_faults(self) -> Iterator[Fault]:
        rows, cols = self.mesh_shape
        if rows * cols != len(self.chips):
            yield ("mesh_shape",), f"{rows}x{cols} is not the number of chips, {len(self.chips)}"

    def _link_faults(self, index: int, link: LinkDesc) -> Iterator[Fault]:
        for end in ("from_chip", "to_chip"):
            chip: int = getattr(link, end)
            if chip >= len(self.chips):
                yield ("links", index, end), f"there is no chip {chip}; the system has {len(self.chips)}"
        if link.from_chip == link.to_chip:
            yield ("links", index, "to_chip"), f"chip {link.to_chip} is linked to itself"

    def _channel_faults(self) -> Iterator[Fault]:
        """Return the links of a chip have no more channels together than the chip."""
        for chip, desc in enumerate(self.chips):
            available = 0 if desc.ethernet is None else desc.ethernet.num_links
            ends = [i for i, link in enumerate(self.links) if chip in (link.from_chip, link.to_chip)]
            used = sum(self.links[i].channels for i in ends)
            if used > available:
                why = f"{used} channels end at chip {chip}, which has {available} Ethernet links"
                yield ("links", ends[-1], "channels"), why

    @property
    def num_chips(self) -> int:
        """Number of chips."""
        return len(self.chips)

    @property
    def worker_grid(self) -> tuple[int, int]:
        """The largest grid of workers, rows and columns, that every chip has."""
        return min(chip.grid[0] for chip in self.chips), min(chip.grid[1] for chip in self.chips)

    def target(self, *, spans_mesh: bool) -> ChipDesc:
        """Return the chip to compile for: the first, with the workers that all chips have if all run the program."""
        first = self.chips[0]
        if not spans_mesh or first.grid == self.worker_grid:
            return first
        return first.model_copy(update={"grid": self.worker_grid})

    def unsourced(self) -> tuple[str, ...]:
        """Return the paths of all figures without a citation, with those of chips.

        A single chip needs no `mesh_shape`.
        """
        own = [path for path in super().unsourced() if path != "mesh_shape" or self.num_chips > 1]
        chips = (f"chips[{i}].{path}" for i, chip in enumerate(self.chips) for path in chip.unsourced())
        return (*own, *chips)
