"""Every family of the table fulfils the contract that `prm-inspect prms check` looks for."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("tokenizers")

import every_family  # needs torch
from scoring.models.prms.prm_catalogue import ADAPTERS
from scoring.runs.prm_check.adapter_checks import checks

WITHOUT = {"golden tokens", "golden rewards"}
SKIPPED = {
    "minos": {"range"},
    # A log-ratio has no bounds, and its steps end within tokens that what follows them decides.
    "implicit": {"range", "prefix consistency of tokens", "prefix consistency of rewards"},
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_contract_holds(tmp_path, name):
    prm = every_family.opened(tmp_path, name)
    found = {one.check: one for one in checks(prm, name, [], limit=3, chosen=False)}
    assert [one for one in found.values() if one.status == "failed"] == []
    skipped = {check for check, one in found.items() if one.status == "skipped"}
    assert skipped - WITHOUT == SKIPPED.get(name, set())
    assert len(found) == 14
