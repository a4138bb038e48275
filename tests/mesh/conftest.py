"""The two-chip and the eight-chip system."""

from dataclasses import dataclass

import numpy as np
import pytest

import ttstack
from tests.mesh.text import Text


@dataclass(frozen=True)
class System:
    """A preset and the shape of its mesh."""

    preset: str
    mesh: tuple[int, int]

    @property
    def devices(self) -> int:
        return self.mesh[0] * self.mesh[1]

    def text(self, dtype: str = "f32") -> Text:
        return Text(self.mesh, dtype=dtype)

    def compile(self, text: str) -> ttstack.Program:
        return ttstack.compile(text, system_desc=self.preset)


SYSTEMS = (System("wormhole_n300", (1, 2)), System("wormhole_t3000", (2, 4)))


@pytest.fixture(params=SYSTEMS, ids=lambda s: s.preset)
def system(request: pytest.FixtureRequest) -> System:
    return request.param


def run(program: ttstack.Program, *arrays: np.ndarray) -> list[np.ndarray]:
    return list(program.run(dict(zip(program.inputs(), arrays, strict=True))).outputs.values())


def run_alone(text: str, *arrays: np.ndarray) -> list[np.ndarray]:
    """On one chip."""
    return run(ttstack.compile(text, system_desc="wormhole"), *arrays)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)
