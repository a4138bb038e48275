"""The table of ops says which are exact loop nests: cases that are drawn for each agree, and there are enough of them."""

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from ttstack_docs.exactness import REASONS, on_tiles, why_no_nest

from tests.every import for_every
from tests.ops.case import Case
from tests.ops.strategies import cases
from ttstack.ops import OPS

SAID = {
    name: on_tiles(spec)
    for name, spec in OPS.items()
    if spec.executable and spec.family != "generic" and not spec.functions
}
"""What the table says of every op that the device has and that cases are drawn of."""

SEARCH = settings(
    phases=[Phase.generate], database=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def _there_is(mnemonic: str, *, exact: bool, among: int) -> bool:
    def fits(case: Case) -> bool:
        return (case.op.nest is not None) is exact

    try:
        find(cases(mnemonic), fits, settings=settings(SEARCH, max_examples=among))
    except NoSuchExample:
        return False
    return True


@for_every("mnemonic", SAID)
def test_the_table_says_where_an_op_is_exact(mnemonic: str):
    said = SAID[mnemonic]
    if said != "estimate":
        assert _there_is(mnemonic, exact=True, among=100)
    if said != "nest or estimate":
        assert not _there_is(mnemonic, exact=said == "estimate", among=8)


def test_at_least_115_ops_are_exact():
    assert sum(said != "estimate" for said in SAID.values()) >= 115


def test_every_estimate_has_a_reason_and_every_reason_an_estimate():
    estimates = [spec for spec in OPS.values() if spec.executable and on_tiles(spec) == "estimate"]
    reasons = {spec.mnemonic: why_no_nest(spec) for spec in estimates}
    left = {name for name, reason in reasons.items() if not reason}
    assert not left, "write down in REASONS of docs/_ext/ttstack_docs/exactness.py why no nest says what each does"
    assert set(REASONS) <= {name for name, reason in reasons.items() if reason == REASONS.get(name)}
