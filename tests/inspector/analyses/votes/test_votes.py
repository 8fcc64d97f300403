"""`votes`: the official figures of the first k answers, beside what k answers give on average."""

import json
from itertools import combinations, product
from shutil import copytree
from statistics import mean

import pytest

import critic_spaces
from inspector import cli
from inspector.analyses.votes.votes import votes
from inspector.cli.command_flags import FORMS
from scoring.data.errors import UsageError
from scoring.formats.reading.boxed_answers import processbench_verdict, vote
from scoring.models.asking import GeneratedAnswer
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import table_of

PATTERNS = [("0", "1", "0"), ("-1", "2", "2"), ("1", None, "0"), ("two", "-1", "two"), ("2", "2", "-1")]


def said(row, run):
    """Three answers, another pattern a case and run; None cannot be read."""
    pattern = PATTERNS[(row + 2 * run) % len(PATTERNS)]
    return [rf"\boxed{{{ballot}}}" if ballot is not None else "Who knows?" for ballot in pattern]


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Cases that nobody judged."""
    return critic_spaces.imported(tmp_path_factory.mktemp("votes"))


@pytest.fixture
def space(bare, tmp_path):
    """The same, for who writes into it."""
    return copytree(bare, tmp_path / "space")


@pytest.fixture(scope="module")
def judged(bare, tmp_path_factory):
    """What `judge` said of them, three times a case, which nobody changes."""
    space = copytree(bare, tmp_path_factory.mktemp("judged") / "space")
    critic_spaces.critic(space, said)
    return space


def document(space, **query):
    return votes.view(load(Query(workspace=str(space), **query)))


def figure(rows, **which):
    (row,) = rows.filter(**which).iter_rows(named=True)
    return row


def verdict(ballots):
    return processbench_verdict(vote(list(ballots)))


def accuracy(space, decide, *, erroneous):
    """The share of cases that `decide(ballots)` decides right, reckoned case by case."""
    cases = load(Query(workspace=str(space))).cases["earliest_error"].to_list()
    hits = [decide(PATTERNS[row % len(PATTERNS)], gold) for row, gold in enumerate(cases) if (gold >= 0) is erroneous]
    return mean(hits)


def test_every_number_of_votes_is_reckoned_by_hand(judged):
    rows = document(judged).rows
    for metric, count in product(("error_acc", "correct_acc"), (1, 2, 3)):
        row = figure(rows, metric=metric, votes=count, subset="all")

        def first(ballots, gold, count=count):
            return verdict(ballots[:count]) == gold

        def share(ballots, gold, count=count):
            return mean(verdict(chosen) == gold for chosen in combinations(ballots, count))

        erroneous = metric == "error_acc"
        assert row["value"] == pytest.approx(accuracy(judged, first, erroneous=erroneous), abs=1e-12)
        assert row["expected"] == pytest.approx(accuracy(judged, share, erroneous=erroneous), abs=1e-12)
        assert row["n"] == 6


def test_all_votes_are_the_figure_that_metrics_has(space, capsys):
    critic_spaces.critic(space, said, runs=2)
    rows = document(space).rows
    assert cli.main(["metrics", "-w", str(space), "--json", "-q"]) == 0
    for one in json.loads(capsys.readouterr().out)["rows"]:
        mine = figure(rows, metric=one["metric"], subset=one["subset"], votes=3)
        assert {name: mine[name] for name in ("value", "low", "high", "n", "sd", "runs")} == {
            name: one[name] for name in ("value", "low", "high", "n", "sd", "runs")
        }
        # Of all votes there is one choice.
        assert mine["expected"] == pytest.approx(one["value"], abs=1e-12)


def test_where_unparsed_answers_are_left_out_nothing_is_expected_but_it_is_said(judged):
    found = document(judged, unparsed="drop")
    assert found.rows["expected"].null_count() == found.rows.height
    assert any("which cases count differs by choice" in note for note in found.provenance["notes"])


def test_cases_with_fewer_answers_and_answers_that_never_came_are_told(space):
    def some(row, run):
        answers = said(row, run)[: 2 if row == 0 else 3]
        return [GeneratedAnswer(None, reason="HTTP 500"), *answers[1:]] if row == 1 else answers

    critic_spaces.critic(space, some)
    notes = document(space).provenance["notes"]
    assert "judge: 1 case has fewer than 3 answers (counted by run)" in notes
    assert "judge: 1 answer never came; it keeps its place and votes with nothing" in notes


def test_many_votes_have_figures_without_what_is_expected(space):
    critic_spaces.critic(space, lambda row, _: [rf"\boxed{{{row % 3 - 1}}}"] * 11)
    found = document(space)
    assert found.rows["votes"].max() == 11
    assert found.rows["expected"].null_count() == found.rows.height
    assert "judge: expected is told of up to 10 answers a case, and there are 11" in found.provenance["notes"]


def test_critics_without_several_votes_are_left_out(space):
    critic_spaces.critic(space, lambda row, _: said(row, 0)[:1], name="one")
    with pytest.raises(UsageError, match="several votes"):
        document(space)
    critic_spaces.critic(space, said)
    critic_spaces.critic(space, lambda *_: ['{"validity": [1, 1, 1], "redundancy": [1, 1, 1]}'] * 2, name="rates",
                         protocol="prmbench")  # fmt: skip
    found = document(space)
    assert set(found.rows["scorer"]) == {"judge"} == set(found.provenance["scorers"])


def test_a_scorer_is_named_as_a_word_or_a_flag(space, capsys):
    critic_spaces.critic(space, said)
    critic_spaces.critic(space, said, name="other")
    for words in (["judge"], ["--scorer", "judge"]):
        assert cli.main(["votes", *words, "-w", str(space), "--json", "-q"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert {row["scorer"] for row in found["rows"]} == {"judge"}
        assert found["provenance"]["command"] == f"prm-inspect votes --workspace {space} --scorer judge --json"


def test_every_form_is_one_document(judged, capsysbinary):
    for form in FORMS:
        assert cli.main(["votes", "-w", str(judged), f"--{form}"]) == 0
        out = capsysbinary.readouterr().out.decode()
        assert out.endswith("\n"), form
        assert "judge" in out, form
        assert ("prm-inspect votes" in out) == (form in {"json", "markdown", "latex"}), form


def test_people_see_a_line_a_number_of_votes_and_every_subset_with_one_of_them(judged, capsys):
    view = document(judged)
    lines = table_of(view, "The first so many")
    assert [line["votes"] for line in lines] == ["1", "2", "3"]
    for line in lines:
        row = figure(view.rows, metric="f1", votes=int(line["votes"]), subset="all")
        assert line["F1"].startswith(f"{100 * row['value']:.1f}")
        assert line["expected F1"] == f"{100 * row['expected']:.1f}"
    assert cli.main(["votes", "-w", str(judged), "--at", "2"]) == 0
    printed = capsys.readouterr().out
    assert "expected F1" in printed
    assert "With 2 votes a case, judge" in printed
    assert cli.main(["votes", "-w", str(judged), "--at", "0"]) == 2
    assert "0 is not a number of votes" in capsys.readouterr().err


def test_without_intervals_all_else_is_there(judged):
    results = load(Query(workspace=str(judged)))
    quick, whole = (votes.view(results, intervals=intervals).rows for intervals in (False, True))
    assert quick["low"].null_count() == quick.height
    assert quick.drop("low", "high").equals(whole.drop("low", "high"))
