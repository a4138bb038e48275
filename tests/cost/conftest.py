import pytest

from ttstack.system_desc import ChipDesc, load


@pytest.fixture(scope="session")
def chip() -> ChipDesc:
    return load("wormhole").chips[0]
