"""`contested --audit` and `--planted`: ranks, sentences, rulings and commands, where some labels are wrong."""

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

import making
from contested_space import leaning, relabelled, write_leaning
from inspector.analyses import Params
from inspector.analyses.contested.audit_pages import AUDITED, DIFFER, LINES, PLANTED
from inspector.analyses.contested.contested import contested
from inspector.cli import main
from inspector.render.blocks import Note
from scoring.evaluation.single_case import verdict_of
from scoring.formats.benchmarks.case_format import Imported
from scoring.metrics.planted_labels import METRICS_OF_PLANTED, RANKED_BY
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.journal import Author, Journal
from scoring.workspace.workspace import Workspace
from views import lines_of, table_of

TRUTH = leaning(100, 4, seed=21, skill=0.9)
MISTAKEN = {at: (TRUTH[0][at].gold + 2) % (TRUTH[0][at].n_steps + 1) - 1 for at in (5, 30, 61, 88)}
"""By case the label that it has instead of the true one."""
LEFT = {0: "the gold labels name no step of the solution", 1: "fewer than 2 scorers have a verdict here"}


@pytest.fixture(scope="module")
def query(tmp_path_factory):
    tables = relabelled(TRUTH, {**MISTAKEN, 0: None})
    for rows in tables[1:]:
        rows[1] = replace(rows[1], rewards=None)
    return write_leaning(tmp_path_factory.mktemp("audit") / "w", tables, generator=[f"m{at % 3}" for at in range(100)])


def page(query, name, *, intervals=True, **changes):
    return contested.view(load(replace(query, **changes)), Params(name), intervals=intervals)


@pytest.fixture(scope="module")
def audit(query):
    return page(query, "audit")


def test_every_shown_label_has_a_rank_or_a_reason_and_wrong_ones_stand_first(audit):
    view = audit
    assert dict(view.rows.schema) == AUDITED
    rows = view.rows.to_dicts()
    assert {row["case"] for row in rows} == {f"bench/c{at}" for at in range(100)}
    ranked = [row for row in rows if row["rank"] is not None]
    assert [row["rank"] for row in ranked] == list(range(1, 99))
    assert sorted(row["baseline_rank"] for row in ranked) == list(range(1, 99))
    assert [row["suspicion"] for row in ranked] == sorted((row["suspicion"] for row in ranked), reverse=True)
    assert {row["case"] for row in ranked[:8]} >= {f"bench/c{at}" for at in MISTAKEN}
    assert all(row["flagged"] == (row["suspicion"] > 0.5) for row in ranked)
    for row in ranked:
        assert row["suggested"] != row["earliest_error"]
        assert row["suspicion"] == pytest.approx(
            row["suggested_probability"] / (row["suggested_probability"] + row["gold_probability"])
        )
        assert len(row["against"].split(",")) == row["voters"] - row["gold_votes"] or not row["against"]
    assert [(row["case"], row["rank"], row["suspicion"]) for row in rows[98:]] == [
        ("bench/c0", None, None),
        ("bench/c1", None, None),
    ]
    assert all(row["reason"].startswith(LEFT[at]) for at, row in enumerate(rows[98:]))
    at = int(ranked[0]["case"].removeprefix("bench/c"))
    assert (ranked[0]["earliest_error"], ranked[0]["suggested"]) == (MISTAKEN[at], TRUTH[0][at].gold)
    flagged = sum(row["flagged"] for row in ranked)
    assert view.provenance["flagged"] == {"bench": f"{flagged} of 98 cases; 2 cases not audited"}
    assert table_of(view, "Suspected gold labels")[0] == {
        "": "another label is likelier",
        "flagged": str(flagged),
        "of audited": "98",
        "not audited": "2",
    }
    assert len(table_of(view, "The most suspicious first")) == LINES
    assert "58 more cases are in --csv and --json." in lines_of(view)
    assert list(view.provenance["weights"]["bench"]) == ["a", "b", "c", "d"]


def test_who_denies_a_label_is_told_from_the_verdicts(query, audit):
    results = load(query)
    row = audit.rows.row(0, named=True)
    at = results.cases["case"].to_list().index(row["case"])
    verdicts = {name: verdict_of(results.evaluation(name), at) for name in "abcd"}
    against = [name for name, verdict in verdicts.items() if verdict != row["earliest_error"]]
    assert row["against"] == ",".join(against)
    assert row["votes"] == sum(verdict == row["suggested"] for verdict in verdicts.values())
    remark = table_of(audit, "The most suspicious first")[0]
    assert remark["against"] == f"{len(against)} of 4"


def test_a_filter_chooses_what_is_listed_and_changes_no_probability(query, audit):
    every = audit.rows
    some = page(query, "audit", where=("generator = 'm1'",)).rows
    assert 25 < some.height < 40
    kept = every.filter(every["case"].is_in(some["case"].to_list()))
    assert some.drop("rank", "baseline_rank").equals(kept.drop("rank", "baseline_rank"))
    assert some["rank"].drop_nulls().to_list() == list(range(1, some["rank"].count() + 1))
    assert sorted(some["baseline_rank"].drop_nulls()) == list(range(1, some["rank"].count() + 1))


def test_neither_the_order_of_rows_nor_another_benchmark_changes_anything(tmp_path):
    order = np.random.default_rng(4).permutation(60).tolist()
    tables = leaning(60, 3, seed=5, skill=0.8)
    first = write_leaning(tmp_path / "first", tables)
    mixed = [[rows[at] for at in order] for rows in tables]
    second = write_leaning(tmp_path / "second", mixed, id=[f"c{at}" for at in order])
    found = making.full_frame(tables[0][:6], "related", problem_id=["p"] * 6)
    related = Imported("related", "made.jsonl", "made", "0-based", found.height, found, ())
    Workspace.open(tmp_path / "second").add([related])
    for name in ("audit", "planted"):
        one, other = (page(query, name).rows.filter(pl.col("benchmark") == "bench") for query in (first, second))
        assert one.height
        assert one.equals(other)


def test_where_no_shown_case_is_audited_the_reason_stands_alone(query):
    view = page(query, "audit", where=("\"case\" = 'bench/c0'",))
    assert view.rows["reason"].to_list() == [LEFT[0]]
    assert view.provenance["flagged"] == {"bench": "0 of 0 cases; 1 case not audited"}
    assert table_of(view, "Suspected gold labels")[0]["not audited"] == "1"


def test_the_first_answer_plants_nothing(query, audit):
    view = page(query, "audit", intervals=False)
    assert view.rows.equals(audit.rows)
    assert [line[""] for line in table_of(view, "What it finds of planted errors")] == ["measuring"]
    assert page(query, "planted", intervals=False).rows.height == 0


def test_the_measurement_is_a_table_of_its_own(query):
    view = page(query, "planted")
    assert dict(view.rows.schema) == PLANTED
    # Three rankings, two differences, and chance.
    assert view.rows.height == len(METRICS_OF_PLANTED) * (len(RANKED_BY) + 2 + 1)
    assert set(view.rows["planted"]) == {5}
    assert set(view.rows["cases"]) == {98}
    by_place = {(row["ranking"], row["other"], row["metric"], row["kind"]): row for row in view.rows.to_dicts()}
    assert by_place["chance", None, "recall_at_planted", None]["value"] == pytest.approx(5 / 98)
    row = by_place["audit", None, "recall_at_planted", None]
    assert row["low"] <= row["value"] <= row["high"]
    lines = table_of(view, "What it finds of 5 errors planted among 98 labels, 20 times")
    assert [line[""].strip() for line in lines][:3] == ["precision at 50", "recall at 5", "moved by one step"]
    assert lines[0]["at best"] == "10.0"
    assert lines[1]["audit"].startswith(f"{100 * row['value']:.1f}")
    over = table_of(view, "The audit compared with the others")
    assert len(over) == len(METRICS_OF_PLANTED)


# -- what people ruled


def test_rulings_stand_beside_and_are_held_against_the_suspicion(tmp_path):
    query = write_leaning(tmp_path / "w", relabelled(TRUTH, MISTAKEN))
    before = page(query, "audit", intervals=False).rows
    flagged, rest = (before.filter(pl.col("flagged") == which)["case"].to_list() for which in (True, False))
    ann, bob = (Journal(tmp_path / "w" / "triage", Author(who, "gpu")) for who in ("ann", "bob"))
    ann.rule(flagged[:3], "gold wrong")
    ann.rule(flagged[3:4], "model wrong")
    ann.rule(flagged[4:5], "unsure")
    ann.rule(rest[:4], "model wrong")
    ann.rule(rest[4:5], "gold wrong")
    bob.rule(rest[4:5], "both defensible")
    bob.rule(flagged[:1], "gold wrong")
    view = page(query, "audit")
    by_case = dict(view.rows.select("case", "ruling").iter_rows())
    assert [by_case[case] for case in flagged[:5]] == ["gold wrong"] * 3 + ["model wrong", "unsure"]
    assert by_case[rest[4]] == DIFFER
    assert view.provenance["rulings"] == {
        "bench": {
            "flagged": {"gold wrong": 3, "model wrong": 1, "unsure": 1},
            "not flagged": {"model wrong": 4, "people differ": 1},
        }
    }
    lines = table_of(view, "What people ruled on them")
    assert [line["gold wrong, of decided"].partition(" ")[0] for line in lines] == ["75.0", "0.0"]
    assert [line[DIFFER] for line in lines] == ["0", "1"]
    links = [link for link in view.links() if ": " in link.words]
    results = load(query)
    assert [link.n for link in links] == [1, 3, 1, 4, 1]
    assert all(results.evaluated.passing(link.where).sum() == link.n for link in links)
    adjudicated = page(query, "audit", labels="adjudicated")
    assert adjudicated.rows["ruling"].null_count() == adjudicated.rows.height


# -- what cannot be


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        (TRUTH[:1], "only a has verdicts, and one scorer cannot tell whose mistake it is"),
        (relabelled(TRUTH, dict.fromkeys(range(100), -1)), "no case is labelled with an error"),
        (relabelled(TRUTH, dict.fromkeys(range(100))), "no case has a gold label that names a step or none"),
        ([rows[:12] for rows in TRUTH], "fewer than 20 calibrate nothing"),
        ([], "no scorer has a verdict on this benchmark"),
    ],
)
def test_what_cannot_be_audited_is_a_sentence(tables, sentence, tmp_path, capsys):
    query = write_leaning(tmp_path / "w", tables) if tables else Query(workspace=str(tmp_path / "w"))
    if not tables:
        making.workspace(tmp_path / "w", [replace(case, rewards=None) for case in TRUTH[0]], [])
    for name in ("audit", "planted"):
        view = page(query, name)
        assert view.rows.height == 0
        assert sentence in view.empty
        assert all(isinstance(block, Note) for block in view.blocks())
        assert main(["contested", f"--{name}", "-w", query.workspace]) == 0
        assert sentence in capsys.readouterr().err


def test_without_cases_that_are_shown_there_is_no_row(query):
    view = page(query, "audit", where=("n_steps > 99",))
    assert (view.rows.height, view.empty) == (0, "No case is shown, so that there is no label to audit.")


def test_that_no_error_is_suggested_without_an_example_is_said(tmp_path):
    tables = relabelled(TRUTH, {at: max(case.gold, 0) for at, case in enumerate(TRUTH[0])})
    view = page(write_leaning(tmp_path / "w", tables), "audit", intervals=False)
    sentence = "no case is labelled clean: nothing says what rewards are worth where no step is wrong"
    assert f"bench: {sentence}" in view.provenance["notes"]
    assert f"N{sentence[1:]}." in lines_of(view)


# -- the command


def test_another_seed_plants_other_labels_and_says_so(query):
    first, second, again = (page(query, "planted", seed=seed) for seed in (0, 1, 1))
    assert not first.rows.equals(second.rows)
    assert second.rows.equals(again.rows)
    assert second.provenance["seed"] == 1
