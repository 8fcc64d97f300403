"""What can be chosen of a family has the same words everywhere, and says what it means."""

import pytest

from scoring.models.prms.prm_catalogue import ADAPTERS, family
from scoring.runs.prm_check.encoding import encoding_checks


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_option_says_in_a_line_what_each_of_its_values_means(name):
    options, meanings = family(name).OPTIONS, getattr(family(name), "MEANINGS", {})
    assert list(meanings) == list(options)
    for option, values in options.items():
        assert "\n" not in meanings[option]
        assert len(meanings[option]) <= 240
        assert [value for value in values if value not in meanings[option]] == []


def test_an_option_of_one_name_has_one_set_of_values():
    found = {}
    for name in ADAPTERS:
        for option, values in family(name).OPTIONS.items():
            found.setdefault(option, []).append({*values} - {"published"})
    # What others have sent or written differs by family.
    alike = [sets for option, sets in found.items() if option not in {"system", "layout"}]
    assert [sets for sets in alike if any(one != sets[0] for one in sets)] == []


@pytest.mark.parametrize("name", [name for name in ADAPTERS if family(name).OPTIONS])
def test_the_contract_holds_whatever_is_chosen(tmp_path, name):
    pytest.importorskip("torch")
    pytest.importorskip("tokenizers")
    import every_family

    folder, other = every_family.write(tmp_path, name), every_family.reference(tmp_path, name)
    for option, values in family(name).OPTIONS.items():
        for value in values[1:]:
            found = list(encoding_checks(every_family.loaded(folder, other, name, **{option: value}), []))
            assert [one for one in found if one.status == "failed"] == [], (option, value)
            assert len(found) >= 5


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_checkpoint_is_listed_once(name):
    checkpoints = getattr(family(name), "CHECKPOINTS", ())
    assert len(set(checkpoints)) == len(checkpoints)
