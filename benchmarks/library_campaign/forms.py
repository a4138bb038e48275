"""Ops in all the forms that `tests/forms` has, and whether the library takes their programs.

A key is `family/number`. Forms that name a format which no device has are left out, as are ops on a mesh.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import ttstack
from benchmarks.library_campaign.judging import judgements, outcome
from benchmarks.library_campaign.outcome import Outcome
from tests.forms.test_forms import FAMILIES
from ttstack.diagnostics import TTStackError
from ttstack.ops.base import OPS
from ttstack.ttnn_python import Emission

BATCH = 40


@cache
def _forms() -> Mapping[str, Any]:
    found = {f"{f.__name__.rpartition('.')[2]}/{i}": form for f in FAMILIES for i, form in enumerate(f.FORMS)}
    return {key: form for key, form in found.items() if not (OPS[form.op].spans_mesh or _of_f16(form))}


def _of_f16(form: Any) -> bool:
    return any(t.element == "f16" for t in (*form.arguments, *form.returned))


def keys(count: int | None) -> list[str]:
    """One a form."""
    return list(_forms())[:count]


def judged(seed: int, keys: Sequence[str]) -> Iterator[Outcome]:  # noqa: ARG001  as the other campaigns are called
    """What became of the forms with these keys."""
    emitted: dict[str, Emission] = {}
    for key in keys:
        form = _forms()[key]
        try:
            program = ttstack.compile(form.function("f"), dtype="bf16")  # in which tables are looked up
            emission = Emission(program.binary, program.function(), key)
            emission.check()
            emitted[key] = emission
        except TTStackError as why:
            said = why.diagnostic
            yield Outcome(key, form.op, "no call", f"{form}: {'; '.join(said.notes) or said.message}")
    for (key, emission), found in zip(emitted.items(), judgements(list(emitted.values())), strict=True):
        yield outcome(key, _forms()[key].op, emission, found)
