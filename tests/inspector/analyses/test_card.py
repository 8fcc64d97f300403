"""The protocol card: its facts, the cases that they count, and two cards beside each other."""

import polars as pl
import pytest
from msgspec.structs import replace

import checked_pairs
import example
import judged
import making
from inspector.analyses.card.card import CARD, LACKING, card, fact_pairs
from inspector.analyses.card.protocol_card import GROUPS, protocol_card
from inspector.analyses.compare.compare import compare
from inspector.state.opening import inspect
from scoring.data.errors import UsageError
from scoring.data.scorer import NOT_SAID
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.selection.result_set import select
from scoring.workspace.filtering.filters import Facet, Filter
from views import card_view, compare_view, page_view, words_of


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
    results = load(Query(workspace=small))
    alpha = values(protocol_card(results, "alpha", "bench"))
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
    beta = values(protocol_card(results, "beta", "bench"))
    assert beta["refused"] == "1: 1 over length"
    assert beta["never scored"] == "1"
    assert beta["in the denominators"] == "8 cases"


def test_every_counting_fact_leaves_exactly_its_cases(small, kinds):
    counted = 0
    for root in (small, kinds):
        for unparsed in ("wrong", "drop"):
            results = load(Query(workspace=root, unparsed=unparsed))
            benchmark = results.cases["benchmark"][0]
            only = f"benchmark = '{benchmark}'"
            for one in results.evaluations:
                for fact in protocol_card(results, one.scorer.name, benchmark).facts:
                    if fact.where is None:
                        continue
                    query = replace(results.query, where=(only, *fact.where))
                    assert select(replace(results, query=query)).shown.size == fact.n, (one.scorer.name, fact)
                    counted += 1
    assert counted > 30


def test_facts_stand_in_the_order_of_their_groups(kinds):
    results = load(Query(workspace=kinds))
    for one in results.evaluations:
        found = protocol_card(results, one.scorer.name, results.cases["benchmark"][0])
        places = [GROUPS.index(fact.group) for fact in found.facts]
        assert places == sorted(places)


def test_what_to_beware_of(small):
    assert any(
        "of 9 cases 1 left out of the denominators" in one
        for one in protocol_card(load(Query(workspace=small)), "beta", "bench").warnings
    )
    tuned = load(Query(workspace=small, thresholds=(("alpha", "best"),)))
    assert any("so that the figure is optimistic" in one for one in protocol_card(tuned, "alpha", "bench").warnings)
    narrow = load(Query(workspace=small, where=("\"alpha.outcome\" = 'exact'",)))
    assert any("the figure speaks of itself" in one for one in protocol_card(narrow, "alpha", "bench").warnings)


def test_two_cards_differ_in_what_differs(small):
    results = load(Query(workspace=small))
    cards = [protocol_card(results, name, "bench") for name in ("alpha", "beta")]
    pairs = {pair.name: pair for pair in fact_pairs(*cards)}
    assert pairs["range"].values == ("0 to 1", "-1 to 1")
    assert pairs["refused"].values == (LACKING, "1: 1 over length")
    assert pairs["seed"].same
    assert {name for name in ("fingerprint", "threshold", "range", "coverage") if pairs[name].same is False} == {
        "fingerprint",
        "threshold",
        "range",
        "coverage",
    }
    assert list(pairs) == [row["fact"] for row in card_view(results, "alpha", "beta").rows.iter_rows(named=True)]


def test_the_rows_of_one_card_and_of_two(small):
    results = load(Query(workspace=small))
    one = card_view(results, "alpha")
    assert one.rows.columns == list(CARD)
    assert one.rows["other"].null_count() == one.rows.height
    two = card_view(results, "alpha", "beta")
    assert set(two.rows["same"]) == {True, False, None}
    unsaid = (pl.col("value") == NOT_SAID) & (pl.col("other_value") == NOT_SAID)
    assert two.rows.filter(unsaid).height == two.rows["same"].null_count()
    assert two.provenance["not_recorded"] == ""
    assert two.provenance["command"].startswith("prm-inspect card alpha beta --workspace")
    assert "beta lacks 1 case that alpha has (bench/early-one)" in two.provenance["not_comparable"]["bench"][0]
    assert two.provenance["common_cases"]["bench"]


@pytest.mark.parametrize(
    ("names", "where", "sentence"),
    [
        (("alpha", "alpha"), (), "differs from itself in nothing"),
        (("alpha",), ("n_steps > 99",), "there is no case to make a card of"),
        ((), (), "card needs a scorer, or two: prm-inspect card SCORER .OTHER.. There are: alpha, beta"),
        (("alpha", "beta", "alpha"), (), "card is about 2 scorers at most"),
    ],
)
def test_what_is_no_card_says_why(small, names, where, sentence):
    with pytest.raises(UsageError, match=sentence):
        card_view(load(Query(workspace=small, where=where)), *names)


# -- as people see it


def test_a_figure_has_its_interval_only_where_resamples_were_asked_for(small):
    state = inspect(load(Query(workspace=small)))
    quick, whole = (page_view(card, state, "", ("alpha",), intervals=asked) for asked in (False, True))
    assert quick.rows.equals(whole.rows)
    assert "alpha 45.0 ~" in words_of(quick)
    assert "alpha 45.0 (0.0 to 75.0) ~" in words_of(whole)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_what_is_long_takes_several_lines_and_loses_nothing(small, width):
    results = load(Query(workspace=small))
    for names in (("alpha",), ("alpha", "beta")):
        view = card_view(results, *names)
        lines = words_of(view, (width, 40))
        whole = "".join(lines.split())
        for row in view.rows.iter_rows(named=True):
            if row["same"] is False:
                # What differs stands in two columns, whose lines alternate.
                assert set(f"{row['value']} {row['other_value']}".split()) <= set(lines.split()), row
            elif row["value"] != NOT_SAID:
                assert "".join(row["value"].split()) in whole, row


def test_an_undefined_figure_is_not_called_comparable(kinds):
    words = words_of(card_view(load(Query(workspace=kinds)), "number", "critic"))
    assert "There are no two figures to compare" in words
    assert "Nothing makes" not in words


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    return str(checked_pairs.write(tmp_path_factory.mktemp("pairs"))[0].root)


def test_two_figures_that_may_be_compared_are_said_to_be_so(pairs):
    words = words_of(card_view(load(Query(workspace=pairs)), "old", "worse"))
    assert "Nothing makes these two figures incomparable" in words


# -- conditions on outcomes

CHOSEN = "chosen by what"


@pytest.mark.parametrize("analysis", [card, compare])
@pytest.mark.parametrize(
    "filtered",
    [
        Filter((Facet("worse.outcome", ("exact",)),)),
        Filter(where=("\"worse.outcome\" = 'exact'",)),
        Filter(where=('"old.margin" > 0', "n_steps = 3")),
    ],
)
def test_a_condition_on_an_outcome_that_is_left_out_is_not_warned_of(pairs, analysis, filtered):
    plain = inspect(load(Query(workspace=pairs)))
    looked = plain.selected(chosen=filtered)
    assert looked.shown.size < plain.shown.size
    before, there = (
        page_view(analysis, one, "pair" if analysis is compare else "", ("worse", "old")) for one in (plain, looked)
    )
    # The figures are made without it, and so are the sentences.
    assert CHOSEN not in words_of(there)
    of_the_filter = pl.col("fact") == "filter" if analysis is card else pl.lit(value=False)
    assert before.rows.filter(~of_the_filter).equals(there.rows.filter(~of_the_filter))


def test_one_that_figures_are_made_under_is(pairs):
    where = ("\"worse.outcome\" = 'exact'",)
    results = load(Query(workspace=pairs, where=where, scorers=("worse", "old")))
    assert CHOSEN in words_of(card_view(results, "worse"))
    assert CHOSEN not in words_of(card_view(results, "old"))
    for view in (card_view(results, "worse", "old"), compare_view(results)):
        assert f"the cases are {CHOSEN} worse made of them" in words_of(view)


def test_the_outcomes_of_a_scorer_of_a_longer_name_are_not_its_own(tmp_path):
    cases = checked_pairs.plain()
    scored = checked_pairs.right(cases, checked_pairs.old)
    named = [(making.scorer(name), scored) for name in ("gpt", "gpt.1", "other")]
    making.workspace(tmp_path, cases, named)
    where = ("\"gpt.1.outcome\" = 'exact'", 'n_steps > 0 OR "case" <> \'"gpt.outcome"\'')
    results = load(Query(workspace=str(tmp_path), where=where, scorers=("gpt", "other")))
    assert CHOSEN not in words_of(card_view(results, "gpt", "other"))
    assert CHOSEN not in words_of(compare_view(results))
    assert f"{CHOSEN} gpt.1 made of them" in words_of(card_view(results, "gpt.1", "other"))
