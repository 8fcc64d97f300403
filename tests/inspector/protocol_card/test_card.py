from dataclasses import replace

import polars as pl
import pytest

import example
import judged
from inspector.loading import load
from inspector.protocol_card.card import card
from inspector.protocol_card.difference import LACKING, differences, told
from inspector.protocol_card.document import CARD, card_document
from inspector.protocol_card.fact import GROUPS
from inspector.protocol_card.settings import UNTOLD
from inspector.request import Request
from inspector.selection import select
from scoring.errors import UsageError


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return example.write(tmp_path_factory.mktemp("small") / "w").workspace


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    root = tmp_path_factory.mktemp("kinds") / "w"
    judged.workspace(root)
    return str(root)


def values(found):
    return {fact.name: fact.value for fact in found.facts}


def test_the_facts_of_a_small_workspace(small):
    selection = load(Request(workspace=small))
    alpha = values(card(selection, "alpha", "bench"))
    assert alpha["threshold"] == "0.5"
    assert alpha["threshold source"] == "default"
    assert alpha["boundary"] == "< (its own)"
    assert alpha["shown"] == alpha["in the denominators"] == "9 cases"
    assert (alpha["erroneous"], alpha["clean"]) == ("6", "3")
    assert alpha["subsets"] == "2: sums 5, words 4"
    assert alpha["coverage"] == "9 of 9 with a verdict"
    assert alpha["label base in the file"] == "0-based"
    assert (alpha["resamples"], alpha["seed"]) == ("1,000", "0")
    assert alpha["weights"] == "not said"
    beta = values(card(selection, "beta", "bench"))
    assert beta["refused"] == "1: 1 over length"
    assert beta["never scored"] == "1"
    assert beta["in the denominators"] == "8 cases"


def test_every_counting_fact_leaves_exactly_its_cases(small, kinds):
    counted = 0
    for root in (small, kinds):
        for unparsed in ("wrong", "drop"):
            selection = load(Request(workspace=root, unparsed=unparsed))
            benchmark = selection.cases["benchmark"][0]
            only = f"benchmark = '{benchmark}'"
            for one in selection.evaluations:
                for fact in card(selection, one.scorer.name, benchmark).facts:
                    if fact.where is None:
                        continue
                    request = replace(selection.request, where=(only, *fact.where))
                    assert select(replace(selection, request=request)).shown.size == fact.n, (one.scorer.name, fact)
                    counted += 1
    assert counted > 30


def test_facts_stand_in_the_order_of_their_groups(kinds):
    selection = load(Request(workspace=kinds))
    for one in selection.evaluations:
        found = card(selection, one.scorer.name, selection.cases["benchmark"][0])
        places = [GROUPS.index(fact.group) for fact in found.facts]
        assert places == sorted(places)


def test_what_to_beware_of(small):
    assert any(
        "of 9 cases 1 left out of the denominators" in one
        for one in card(load(Request(workspace=small)), "beta", "bench").warnings
    )
    tuned = load(Request(workspace=small, thresholds=(("alpha", "best"),)))
    assert any("so that the figure is optimistic" in one for one in card(tuned, "alpha", "bench").warnings)
    narrow = load(Request(workspace=small, where=("\"alpha.outcome\" = 'exact'",)))
    assert any("the figure speaks of itself" in one for one in card(narrow, "alpha", "bench").warnings)


def test_two_cards_differ_in_what_differs(small):
    selection = load(Request(workspace=small))
    pairs = {pair.name: pair for pair in differences(*(card(selection, name, "bench") for name in ("alpha", "beta")))}
    assert (pairs["range"].value, pairs["range"].other) == ("0 to 1", "-1 to 1")
    assert (pairs["refused"].value, pairs["refused"].other) == (LACKING, "1: 1 over length")
    assert pairs["seed"].same
    assert not pairs["fingerprint"].same
    named = {pair.name for pair in told(tuple(pairs.values()))}
    assert {"threshold", "range", "coverage"} <= named
    assert {"name", "fingerprint", "seed"}.isdisjoint(named)


def test_the_document_of_one_card_and_of_two(small):
    selection = load(Request(workspace=small))
    one = card_document(selection, "alpha")
    assert one.rows.columns == list(CARD)
    assert one.rows["other"].null_count() == one.rows.height
    two = card_document(selection, "alpha", "beta")
    assert set(two.rows["same"]) == {True, False, None}
    unsaid = (pl.col("value") == UNTOLD) & (pl.col("other_value") == UNTOLD)
    assert two.rows.filter(unsaid).height == two.rows["same"].null_count()
    assert two.provenance["not_recorded"] == ""
    assert two.provenance["command"].startswith("prm-inspect card alpha beta --workspace")
    assert "beta lacks 1 case that alpha has (bench/early-one)" in two.provenance["not_comparable"]["bench"][0]
    assert two.provenance["common_cases"]["bench"]
    with pytest.raises(UsageError, match="differs from itself in nothing"):
        card_document(selection, "alpha", "alpha")
    with pytest.raises(UsageError, match="there is no case"):
        card_document(load(Request(workspace=small, where=("n_steps > 99",))), "alpha")
