"""From a `.pt2` file to the exported program that torch makes of what was read and checked here."""

from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
from torch._export.serde import schema
from torch._export.serde.serialize import ExportedProgramDeserializer
from torch.export import ExportedProgram

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.alone import alone
from ttstack.frontends.torch.archive.allowed import MisfitError
from ttstack.frontends.torch.archive.container import EXPORT, open_archive
from ttstack.frontends.torch.archive.program import read_program
from ttstack.frontends.torch.archive.weights import read_constants, read_weights


def load_archive(path: Path) -> ExportedProgram:
    """The exported program in a `.pt2` file; its weights are parts of the file, its example inputs are left out.

    Nothing in it is executed: no pickle is read, and what torch would evaluate, import or call is refused.

    Raises:
        SourceError: the file is no such archive, is damaged, or holds what this PyTorch or ttstack does not read.
        UnsupportedOpError: it has control flow, or ops that neither ttstack nor PyTorch itself defines.
    """
    with open_archive(path) as archive:
        try:
            described = read_program(archive)
            program = _deserialize(path, described, read_weights(archive), read_constants(archive))
        except MisfitError as e:
            raise SourceError(f"'{path}' is no program that can be read", notes=(str(e),), hint=EXPORT) from e
        except RecursionError as e:
            raise SourceError(f"'{path}' is nested too deeply", hint=EXPORT) from e
        archive.wait_for_checks()
        return program


def _deserialize(
    path: Path, program: schema.ExportedProgram, weights: dict[str, torch.Tensor], constants: dict[str, Any]
) -> ExportedProgram:
    try:
        with alone():
            return ExportedProgramDeserializer().deserialize(program, weights, constants)
    except Exception as e:
        reason = shorten(str(e) or type(e).__name__, 160, placeholder=" ...")
        raise SourceError(f"PyTorch cannot read '{path}': {reason}", hint=EXPORT) from e
