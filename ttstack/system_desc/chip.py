"""One chip."""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from ttstack.system_desc.base import Fault, Frozen, replace_figure
from ttstack.system_desc.calibration import CalibrationDesc
from ttstack.system_desc.compute import MatrixUnitDesc, PackerDesc, RiscvDesc, UnpackerDesc, VectorUnitDesc
from ttstack.system_desc.interconnect import EthernetDesc, NocDesc, PcieDesc
from ttstack.system_desc.memory import DramDesc, L1Desc
from ttstack.system_desc.movement import MovementDesc
from ttstack.system_desc.quantities import Count, Grid
from ttstack.system_desc.releases import NEWEST, Release
from ttstack.system_desc.revisions import RevisionDesc, revision_faults
from ttstack.system_desc.sources import SourcedDesc, has_field
from ttstack.system_desc.timing import AttentionDesc, ClockDesc, GatherDesc, LaunchDesc, PipelineDesc, RowsDesc
from ttstack.system_desc.unpriced import Unpriced

Arch = Literal["wormhole_b0", "blackhole"]
DataType = Literal[
    "f32",
    "f16",
    "bf16",
    "bfp_f8",
    "bfp_bf8",
    "bfp_f4",
    "bfp_bf4",
    "bfp_f2",
    "bfp_bf2",
    "u32",
    "u16",
    "u8",
    "si32",
]


MeasuredFigure = int | float | tuple[int | tuple[int, int], ...]
"""A number, a grid, or a list of indices or coordinates."""


class ChipDesc(SourcedDesc):
    """One chip: a grid of worker cores, its memories, and every figure that its timing depends on."""

    arch: Arch = Field(description="Architecture; text.")
    ttnn: Release = Field(default=NEWEST, description="Release of ttnn whose kernels the figures describe; text.")
    grid: Grid = Field(description="Worker cores that programs may use, rows and columns.")
    tensix_grid: Annotated[Grid, Unpriced.DESCRIBES] = Field(
        description="Tensix tiles on the die before harvesting, rows and columns."
    )
    coord_translation_offsets: Annotated[Grid | None, Unpriced.DESCRIBES] = Field(
        default=None, description="Origin of translated worker coordinates, rows and columns."
    )
    dst_tiles: Count = Field(ge=1, description="Capacity of Dst in tiles of a 16-bit format, count.")
    num_cbs: Annotated[Count, Unpriced.DESCRIBES] = Field(ge=1, description="Circular buffers per core, count.")
    supported_data_types: tuple[DataType, ...] = Field(min_length=1, description="Supported element types; text.")
    supported_tile_sizes: Annotated[tuple[Grid, ...], Unpriced.DESCRIBES] = Field(
        min_length=1, description="Supported tile sizes, elements high and wide."
    )
    clock: ClockDesc = Field(description="AI clock; a section.")
    l1: L1Desc = Field(description="L1 of each worker core; a section.")
    dram: DramDesc = Field(description="DRAM of the chip; a section.")
    matrix: MatrixUnitDesc = Field(description="Matrix unit (FPU) of each core; a section.")
    vector: VectorUnitDesc = Field(description="Vector unit (SFPU) of each core; a section.")
    unpack: UnpackerDesc = Field(description="Unpackers of each core; a section.")
    pack: PackerDesc = Field(description="Packers of each core; a section.")
    riscv: RiscvDesc = Field(description="RISC-V cores of each Tensix; a section.")
    noc: NocDesc = Field(description="Networks on chip; a section.")
    launch: LaunchDesc = Field(description="Times of program launches; a section.")
    pipeline: PipelineDesc = Field(description="Overlap of the stages of a kernel; a section.")
    rows: RowsDesc = Field(description="Kernels that process whole rows; a section.")
    gather: GatherDesc = Field(description="Indirect reads; a section.")
    movement: MovementDesc = Field(description="Kernels that only move data; a section.")
    attention: AttentionDesc = Field(description="Flash attention's inner loop; a section.")
    calibration: Annotated[dict[str, CalibrationDesc], Frozen, Unpriced.JUDGES] = Field(
        default={},
        description="Errors of predictions for each class of measurements, cross-validated by shape; a section.",
    )
    source_errors: Annotated[dict[str, CalibrationDesc], Frozen, Unpriced.JUDGES] = Field(
        default={},
        description=(
            "Errors of predictions for each class of measurements, cross-validated by source. Reports "
            "state these; a section."
        ),
    )
    measured_figures: Annotated[dict[str, MeasuredFigure], Frozen, Unpriced.JUDGES] = Field(
        default={},
        description="Figures during the measurement of `calibration`, if different from this file; a section.",
    )
    revisions: Annotated[tuple[RevisionDesc, ...], Unpriced.DESCRIBES] = Field(
        default=(), description="Figures for other releases of ttnn; sections."
    )
    ethernet: EthernetDesc | None = Field(default=None, description="Links to other chips, or null; a section.")
    pcie: PcieDesc | None = Field(default=None, description="Link to the host, or null; a section.")

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Workers fit the die and the network, DRAM the network, and kernels the L1."""
        routers, workers = self._inside("dram.routers", "noc.grid"), self._inside("dram.bank_workers", "tensix_grid")
        return (
            *super().relations(),
            self._grid_faults(),
            self._lines_faults("rows", 0),
            self._lines_faults("columns", 1),
            routers,
            workers,
            self._ring_faults(),
            self._revision_faults(),
            self._measured_faults(),
        )

    def _grid_faults(self) -> Iterator[Fault]:
        (rows, cols), (die_rows, die_cols) = self.grid, self.tensix_grid
        if rows > die_rows or cols > die_cols:
            yield ("grid",), f"{rows}x{cols} workers do not fit tensix_grid, {die_rows}x{die_cols}"

    def _lines_faults(self, which: Literal["rows", "columns"], axis: int) -> Iterator[Fault]:
        """Return each row or column of Tensix tiles is on one of routers, and no two on the same."""
        lines: tuple[int, ...] = getattr(self.noc, f"worker_{which}")
        if len(lines) != self.tensix_grid[axis]:
            yield ("noc", f"worker_{which}"), f"{len(lines)} {which} for the {self.tensix_grid[axis]} of tensix_grid"
        if len(set(lines)) < len(lines):
            yield ("noc", f"worker_{which}"), f"two {which} of workers are on one of routers"
        if max(lines) >= self.noc.grid[axis]:
            yield ("noc", "grid"), f"{self.noc.grid[0]}x{self.noc.grid[1]} routers do not hold all workers"

    def _inside(self, path: str, grid: str) -> Iterator[Fault]:
        """Yield faults of coordinates (x, y) outside of a grid of rows and columns."""
        rows, cols = attrgetter(grid)(self)
        if any(x >= cols or y >= rows for x, y in attrgetter(path)(self)):
            yield tuple(path.split(".")), f"lie outside of {grid}, {rows}x{cols}"

    def _revision_faults(self) -> Iterator[Fault]:
        yield from revision_faults(self, self.ttnn, self.revisions)

    def _measured_faults(self) -> Iterator[Fault]:
        """Return the chip with the figures that were measured is one that there can be."""
        unknown = [path for path in self.measured_figures if not has_field(self, path)]
        for path in unknown:
            yield ("measured_figures", path), "names no field"
        if self.measured_figures and not unknown:
            measured = self.model_copy(update={"measured_figures": {}, "calibration": {}, "source_errors": {}})
            for path, value in self.measured_figures.items():
                measured = replace_figure(measured, path.split("."), value)
            try:
                ChipDesc.model_validate(measured.model_dump(warnings=False))
            except ValidationError as error:
                yield ("measured_figures",), f"are not those of a chip: {error.errors()[0]['msg']}"

    def _ring_faults(self) -> Iterator[Fault]:
        """Yield faults of the kernel buffer, which is below the program's addresses and has an op's kernels."""
        ring = self.launch.config_ring_bytes
        if self.launch.kernel_text_bytes > ring:
            yield ("launch", "kernel_text_bytes"), f"exceeds config_ring_bytes {ring}"
        if ring > self.l1.unreserved_base:
            yield ("launch", "config_ring_bytes"), f"exceeds l1.unreserved_base {self.l1.unreserved_base}"

    @property
    def num_cores(self) -> int:
        """Worker cores that programs may use."""
        return self.grid[0] * self.grid[1]

    @property
    def clock_hz(self) -> float:
        """Nominal clock in hertz."""
        return self.clock.nominal_hz

    def cycles_to_ns(self, cycles: float) -> float:
        """Return the nanoseconds that `cycles` take at the nominal clock."""
        return cycles * 1e9 / self.clock.nominal_hz

    def cycles_at_rate(self, nbytes: float, bytes_per_second: float) -> float:
        """Return the cycles at the nominal clock in which `nbytes` move at a rate."""
        return nbytes / bytes_per_second * self.clock_hz

    @property
    def l1_base(self) -> int:
        """First address of a core's L1 that programs may use."""
        return self.l1.unreserved_base

    @property
    def l1_end(self) -> int:
        """Return the end of the L1 addresses that programs may use."""
        return self.l1.size_bytes - self.l1.reserved_top_bytes

    @property
    def l1_usable_bytes(self) -> int:
        """Bytes of one core's L1 that programs may use."""
        return self.l1_end - self.l1_base

    @property
    def dram_banks(self) -> int:
        """Banks over which interleaved buffers are spread."""
        return self.dram.num_channels

    @property
    def dram_base(self) -> int:
        """First address of each DRAM bank that programs may use."""
        return self.dram.unreserved_base

    @property
    def dram_end(self) -> int:
        """Return the end of the addresses in each DRAM bank that programs may use."""
        return self.dram.unreserved_end

    @property
    def dram_usable_bytes_per_bank(self) -> int:
        """Bytes of each DRAM bank that programs may use."""
        return self.dram_end - self.dram_base
