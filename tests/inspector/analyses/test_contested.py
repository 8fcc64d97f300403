"""`contested`: the ranking, its words and the command, on small workspaces whose numbers can be told in advance."""

import json
import math
import shutil

import polars as pl
import pytest
from msgspec.structs import replace

import making
import reference
from contested_space import ANSWERS, FIRST, GOLD, SECOND, THIRD, write
from inspector.analyses.contested.contested import CONTESTED, LINES
from inspector.cli import main
from inspector.render.texts.phrases import joined
from inspector.state.contested_gold import BETWEEN, because, because_phrases, ranking_of, rankings
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import contested_view, lines_of, table_of


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return write(tmp_path_factory.mktemp("untouched") / "w", FIRST, SECOND, THIRD, final_answer_correct=ANSWERS)


@pytest.fixture
def query(untouched, tmp_path):
    return Query(workspace=str(shutil.copytree(untouched.workspace, tmp_path / "w")))


def document(query, **changes):
    return contested_view(load(replace(query, **changes)))


def test_a_case_against_which_all_speak_comes_first_and_then_what_only_breaks_rules(query):
    found = document(query)
    assert dict(found.rows.schema) == CONTESTED
    rows = found.rows.to_dicts()
    assert [(row["rank"], row["case"], row["contested_by"]) for row in rows] == [
        (1, "bench/c0", "consensus and rule"),
        (2, "bench/c8", "rule"),
        (3, "bench/c3", "rule"),
    ]
    assert [row["rules"] for row in rows] == [
        "wrong-answer-clean",
        "label-beyond-end,no-error-in-range",
        "wrong-answer-clean",
    ]
    assert rows[0]["because"] == (
        "3 of 3 scorers say step 2; gold says no error, as no scorer does; weight share 1.00, gold's 0.00; "
        "said by a, b, c; the final answer is wrong, yet no step is labelled wrong"
    )
    assert rows[1]["because"] == (
        "steps [7] are labelled wrong and beyond the last step (2); steps are labelled wrong, and none of them is "
        "there; no gold label to hold the scorers against"
    )
    assert rows[2]["because"].startswith(
        "the final answer is wrong, yet no step is labelled wrong; 3 of 3 scorers say no error, as gold does; "
        "weight share 1.00; said by "
    )
    assert rows[1]["reason"] == "the gold labels name no step of the solution"
    assert [row["reason"] for row in (rows[0], rows[2])] == [None, None]
    assert found.provenance["contested"] == {"bench": "1 by consensus, 2 more by a rule alone, of 10 cases"}


def test_the_numbers_by_hand(query):
    """Of the eight other cases with gold a and b have seven right, and c has six of the seven that it saw."""
    row = document(query).rows.row(0, named=True)
    weights = [math.log((7 + 1) / (1 + 1))] * 2 + [math.log((6 + 1) / (1 + 1))]
    assert row["lead"] == pytest.approx(sum(weights))
    assert (row["share"], row["gold_share"]) == (1, 0)
    assert (row["votes"], row["gold_votes"], row["voters"], row["consensus"], row["earliest_error"]) == (3, 0, 3, 2, -1)
    assert row["scorers"] == "a,b,c"
    told = document(query).provenance["consensus_weight"]["bench"]
    assert list(told) == ["a", "b", "c"]
    assert all(weight > 0 for weight in told.values())


def test_a_filter_chooses_what_is_listed_and_changes_no_number(query):
    every = document(query).rows.drop("rank").to_dicts()
    for one in every:
        alone = document(query, where=(f"\"case\" = '{one['case']}'",))
        assert alone.rows.drop("rank").to_dicts() == [one]
        assert alone.rows["rank"].to_list() == [1]
    two = document(query, subsets=("two",))
    assert two.rows.drop("rank").to_dicts() == [one for one in every if one["subset"] == "two"]
    assert two.provenance["contested"] == {"bench": "0 by consensus, 2 more by a rule alone, of 7 cases"}


def test_a_family_has_one_voice_and_that_is_said(tmp_path):
    query = write(tmp_path / "w", FIRST, FIRST, SECOND, families=("f", "f", ""))
    found = document(query)
    assert found.provenance["voices"] == [
        "one voice, as the family f: a, b",
        "no family is declared, so that each has a voice of its own: c",
    ]
    row = found.rows.filter(case="bench/c0").row(0, named=True)
    single = document(write(tmp_path / "x", FIRST, SECOND)).rows.filter(case="bench/c0").row(0, named=True)
    assert row["lead"] == pytest.approx(single["lead"])
    assert (row["votes"], single["votes"]) == (3, 2)


def test_baselines_and_one_number_a_solution_do_not_vote(query):
    plain, beside = document(query), document(query, baselines=True)
    assert beside.rows.equals(plain.rows)
    assert [words for words in beside.provenance["voices"] if "does not vote" in words] == [
        f"{name} does not vote: it looks at nothing" for name in ("coin", "always-clean", "always-first-step")
    ]


def test_chosen_scorers_alone_vote(query):
    rows = document(query, scorers=("a", "c")).rows
    assert rows.filter(case="bench/c0")["scorers"].to_list() == ["a,c"]
    assert rows["voters"].drop_nulls().unique().to_list() == [2]


# -- what cannot be


def test_without_scorers_the_rules_speak_alone(tmp_path, capsys):
    query = write(tmp_path / "w", final_answer_correct=ANSWERS)
    found = document(query)
    assert found.rows["case"].to_list() == ["bench/c8", "bench/c0", "bench/c3"]
    assert set(found.rows["contested_by"]) == {"rule"}
    assert set(found.rows["reason"]) == {"no scorer has a verdict on this benchmark"}
    assert found.rows["because"][1].endswith("labelled wrong; no scorer has a verdict")
    assert found.rows["share"].null_count() == 3
    assert main(["contested", "-w", query.workspace]) == 0
    assert "No scorer has a verdict on this benchmark, and only the rules" in capsys.readouterr().out


def test_one_scorer_is_no_consensus(query, capsys):
    found = document(query, scorers=("a",))
    assert set(found.rows["contested_by"]) == {"rule"}
    assert found.rows["reason"].to_list()[1:] == ["only one scorer has a verdict here that names a step or none"] * 2
    assert found.provenance["voices"][-1] == "bench: only a has verdicts, and one scorer is not a consensus"
    assert main(["contested", "-w", query.workspace, "--scorer", "a"]) == 0
    assert "one scorer is not a consensus" in capsys.readouterr().out


def test_scorers_that_share_no_case_have_no_consensus(tmp_path):
    halves = ((*FIRST[:5], *[None] * 5), (*[None] * 5, *SECOND[5:]))
    found = document(write(tmp_path / "w", *halves))
    assert found.rows["case"].to_list() == ["bench/c8"]
    assert found.provenance["voices"][-1] == "bench: no case has verdicts of 2 scorers"


def test_scorers_that_are_mostly_wrong_have_no_consensus(tmp_path):
    wrong = [2 if gold != 2 else 0 for gold in GOLD]
    found = document(write(tmp_path / "w", wrong, wrong, final_answer_correct=ANSWERS))
    assert found.rows["case"].to_list() == ["bench/c8", "bench/c0", "bench/c3"]
    assert found.rows["reason"][1].startswith("of the scorers with a verdict here none is right more often than wrong")
    assert found.rows["voters"].to_list() == [None, 2, 2]
    assert found.provenance["voices"][-1].startswith("bench: on no case 2 scorers are right more often than wrong")


def test_without_gold_nothing_is_contested(tmp_path, capsys):
    query = write(tmp_path / "w", FIRST, SECOND, gold=(None,) * 10, error_steps=[None] * 10)
    assert document(query).rows.height == 0
    assert main(["contested", "-w", query.workspace]) == 0
    assert "No case has a gold label that names a step or none." in capsys.readouterr().out
    found = document(query)
    assert found.provenance["contested"] == {"bench": "0 by consensus, of 10 cases"}
    assert table_of(found) == [{"": "contested", "by consensus": "0", "by a rule alone": "0", "of cases": "10"}]


def test_without_cases_that_are_shown_there_is_no_row(query, capsys):
    assert document(query, where=("n_steps > 9",)).rows.height == 0
    assert main(["contested", "-w", query.workspace, "--where", "n_steps > 9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--scorer", "nobody"], "nobody"),
        (["--where", "no_such_column = 1"], "no_such_column"),
        (["--subset", "three"], "three"),
        (["--benchmark", "nothing"], "nothing"),
    ],
)
def test_what_does_not_exist_is_a_sentence(query, capsys, words, told):
    assert main(["contested", "-w", query.workspace, *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert told in captured.err
    assert "Traceback" not in captured.err


# -- the command


def test_people_see_a_line_a_case_and_why(query, capsys):
    assert main(["contested", "-w", query.workspace]) == 0
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if "bench/c0" in line)
    assert line.split()[:7] == ["1", "bench/c0", "one", "consensus", "and", "rule", "4.03"]
    assert "3 of 3 scorers say step 2; gold says no error, as no scorer does; weight share 1.00" in line
    found = document(query)
    assert table_of(found) == [{"": "contested", "by consensus": "1", "by a rule alone": "2", "of cases": "10"}]
    weights = table_of(found, "What a verdict weighs")
    assert [line["scorer"] for line in weights] == ["a", "b", "c"]
    assert [float(line["weight"]) for line in weights] == [
        round(weight, 2) for weight in found.provenance["consensus_weight"]["bench"].values()
    ]


def test_every_number_opens_its_cases(query):
    results = load(query)
    links = list(contested_view(results).links())
    assert [link.n for link in links] == [1, 2, 10, 1, 1, 1]
    assert all(results.evaluated.passing(link.where).sum() == link.n for link in links)
    opened = [
        results.cases["case"].filter(pl.Series(results.evaluated.passing(link.where))).to_list() for link in links
    ]
    assert opened[:2] == [["bench/c0"], ["bench/c3", "bench/c8"]]
    assert opened[3:] == [["bench/c0"], ["bench/c8"], ["bench/c3"]]


def test_of_many_cases_people_see_the_first(tmp_path):
    """Every case breaks a rule of construction."""
    n = LINES + 3
    cases = [reference.Case(2, -1) for _ in range(n)]
    making.workspace(tmp_path / "w", cases, [], final_answer_correct=[False] * n)
    found = document(Query(workspace=str(tmp_path / "w")))
    assert found.rows.height == n
    assert len(table_of(found, "The strongest first")) == LINES
    assert "3 more cases are in --csv and --json." in lines_of(found)


def test_scorers_that_a_sentence_has_no_room_for_are_in_the_column(tmp_path):
    names = ("a,b", "c", "d", "e")
    query = write(tmp_path / "w", FIRST, FIRST, FIRST, FIRST, names=names)
    row = document(query).rows.filter(case="bench/c0").row(0, named=True)
    assert row["scorers"] == '"a,b",c,d,e'
    assert row["because"].endswith("; among them a,b, c, d")


def test_a_ranking_knows_where_its_cases_stand(query):
    (ranking,) = rankings(load(query))
    assert ranking.rows == (0, 8, 3)
    assert ranking.by_consensus == 1
    assert [ranking.place(row) for row in (0, 7, 8, 9)] == [0, 7, None, 8]


# -- above a case


def test_the_ranking_of_a_benchmark_is_that_of_all_its_cases_whatever_is_shown(query):
    (whole,) = rankings(load(query))
    found = ranking_of(load(replace(query, where=("n_steps > 9",), scorers=("c",))), "bench", ("a", "b", "c"))
    assert found.rows == whole.rows
    assert found.contested == {0, 8, 3}
    assert [because(found, row) for row in found.rows] == [because(whole, row) for row in found.rows]


def test_where_there_is_little_room_names_go_first_then_shares_and_no_number_is_cut(query):
    (ranking,) = rankings(load(query))
    phrases = because_phrases(ranking, 0)
    rule = "the final answer is wrong, yet no step is labelled wrong"
    told = "3 of 3 scorers say step 2; gold says no error, as no scorer does"
    assert joined(phrases, 0, BETWEEN) == because(ranking, 0)
    assert (
        joined(phrases, 200, BETWEEN)
        == because(ranking, 0)
        == (f"{told}; weight share 1.00, gold's 0.00; said by a, b, c; {rule}")
    )
    assert joined(phrases, 155, BETWEEN) == f"{told}; weight share 1.00, gold's 0.00; {rule}"
    assert joined(phrases, 125, BETWEEN) == f"{told}; {rule}"
    assert joined(phrases, 90, BETWEEN) == f"{told}; wrong-answer-clean"
    assert joined(phrases, 70, BETWEEN) == "3 of 3 say step 2, gold no error; wrong-answer-clean"


def test_what_only_breaks_a_rule_says_the_rule_as_long_as_there_is_room(query):
    (ranking,) = rankings(load(query))
    rule = "the final answer is wrong, yet no step is labelled wrong"
    assert joined(because_phrases(ranking, 3), 200, BETWEEN) == because(ranking, 3)
    assert joined(because_phrases(ranking, 3), 60, BETWEEN) == rule
    assert joined(because_phrases(ranking, 3), 30, BETWEEN) == "wrong-answer-clean"
