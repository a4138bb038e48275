"""Outcome of an embedding table in a compilation for Tensor-Train form."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class EmbeddingTableReport:
    """One table. Figures are None if the decision did not need them; bytes exclude padding."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

    table: str
    rows: int
    columns: int
    element: str
    lookups: int
    """Ops that read rows of it."""
    bytes_before: int
    replaced: bool = False
    reason: str = ""
    row_factors: tuple[int, ...] | None = None
    column_factors: tuple[int, ...] | None = None
    ranks: tuple[int, ...] | None = None
    """Ranks between the cores."""
    bytes_after: int | None = None
    device_bytes: int | None = None
    """Bytes of the cores in rows and tiles of the device's formats, each once, padding included."""
    cores: tuple[str, ...] | None = None
    """Memory and memory layout of each core, as `l1/replicated`."""
    rel_error: float | None = None
    """Relative Frobenius error: of the stored cores if the table was decomposed, otherwise the minimum possible."""
    worst_row: float | None = None
    """Largest error of a row, relative to the root mean square of the rows' norms."""
    ns_before: float | None = None
    """Predicted time of all its lookups in one run, in nanoseconds, in the dense table."""
    ns_after: float | None = None
    """Nanoseconds in Tensor-Train form."""

    def known_fields(self) -> dict[str, Any]:
        """Return all fields that are not None, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @staticmethod
    def of(known: object) -> "EmbeddingTableReport":
        """The inverse of `known`; lists are taken for tuples.

        Raises:
            ValueError: a field is missing or unknown, or has a value of another type.
        """
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(EmbeddingTableReport).validate_python(known)
        except ValidationError as error:
            raise ValueError(f"a record of a table is damaged: {error.error_count()} fields") from error
