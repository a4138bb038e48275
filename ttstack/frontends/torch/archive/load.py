"""Loading of a `.pt2` file: checked content becomes torch's exported program."""

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
    """Return the exported program in a `.pt2` file, with weights mapped from the file and without example inputs.

    Nothing in it is executed: pickles are not read, and content that torch would evaluate, import or call is rejected.

    Raises:
        SourceError: the file is not such an archive, is damaged, or has content that this PyTorch or ttstack does not
        support.
        UnsupportedOpError: it has control flow, or ops that neither ttstack nor PyTorch defines.
    """
    with open_archive(path) as archive:
        try:
            described = read_program(archive)
            program = _deserialize(path, described, read_weights(archive), read_constants(archive))
        except MisfitError as e:
            raise SourceError(f"'{path}' is not a program that can be read", notes=(str(e),), hint=EXPORT) from e
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
