"""Figures under adjudicated labels, from a journal to what every command says of them."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import example
import making
import papers
import reference
from inspector.analyses.card.protocol_card import protocol_card
from inspector.analyses.stats import stats
from inspector.cli import main
from inspector.screens.common_cases import banner
from inspector.state.label_words import changed_words, other_labels
from inspector.widgets.key_table.key_words import KeyWords
from refusals import sentence_of
from scoring.evaluation import derived
from scoring.evaluation.evaluation import evaluate
from scoring.evaluation.gold import Gold
from scoring.evaluation.verdicts import OUTCOMES, Rule
from scoring.metrics.first_error_family import FIRST_ERRORS
from scoring.metrics.metrics_by_subset import MetricsBySubset
from scoring.selection.labels import labels_words
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.actions import RATE, RULE, RULINGS
from scoring.workspace.triage.adjudicated import adjudicate
from scoring.workspace.triage.annotations import Annotation
from scoring.workspace.triage.journal import Author, Journal
from thoroughness import up_to
from views import metrics_view, show_view, words_of

GOLD, IMPORT = "gold wrong", "import problem"


def journal(root, who="ann"):
    return Journal(Path(root) / "triage", Author(who, "gpu"))


def say(root, case, ruling, who="ann", **ratings):
    """A ruling and ratings by step (`s1=-1`) on a case of the example."""
    rated = [(RATE, [f"bench/{case}"], f"{name[1:]} {rating}") for name, rating in ratings.items()]
    journal(root, who).do([(RULE, [f"bench/{case}"], ruling), *rated])


@pytest.fixture
def root(tmp_path):
    example.write(tmp_path / "w")
    return tmp_path / "w"


@pytest.fixture(scope="module")
def triaged(tmp_path_factory):
    """Two cases with another label, one without, one of which people differ, one that is gone. It is only read."""
    root = tmp_path_factory.mktemp("triaged") / "w"
    example.write(root)
    say(root, "late-one", GOLD, s0=1, s2=-1)
    say(root, "alarm-one", GOLD, s1=-1)
    say(root, "clean-two", IMPORT, who="bob")
    say(root, "missed-one", GOLD, s0=-1)
    say(root, "missed-one", "model wrong", who="bob")
    say(root, "away", GOLD, s0=-1)
    return root


def selected(root, labels="adjudicated", **asked):
    return load(Query(workspace=str(root), labels=labels, **asked))


def files(root):
    return {path: path.read_bytes() for path in Path(root).rglob("*") if path.is_file()}


def value(rows, **which):
    (row,) = rows.filter(**which).rows(named=True)
    return row["value"], row["n"]


WORDS = (
    "adjudicated: 2 of 9 cases changed and 1 without one (import problem), by ann and bob; "
    "1 undecided and as they were (1 people differ on the ruling); 1 of the ruled cases not here"
)


def test_outcomes_are_those_of_the_adjudicated_labels(triaged):
    own, found = (selected(triaged, labels) for labels in ("original", "adjudicated"))
    outcomes = {
        case: (before, after)
        for case, before, after in zip(
            own.cases["id"], own.evaluated.column("alpha.outcome"), found.evaluated.column("alpha.outcome"), strict=True
        )
        if before != after
    }
    assert outcomes == {
        "late-one": ("late", "exact"),
        "alarm-one": ("false_alarm", "exact"),
        "clean-two": ("clean", "no_gold"),
    }
    assert found.evaluated.column("adjudication").drop_nulls().value_counts().sort("adjudication").rows() == [
        ("changed", 2),
        ("import problem", 1),
        ("people differ on the ruling", 1),
    ]
    assert "adjudication" not in own.evaluated.columns


def test_figures_are_those_reckoned_by_hand(triaged):
    rows = metrics_view(selected(triaged)).rows
    # Of the erroneous sums exact-one, late-one and alarm-one are right and early-one is not; no clean one is left.
    assert value(rows, scorer="alpha", subset="sums", metric="error_acc") == (3 / 4, 4)
    assert value(rows, scorer="alpha", subset="sums", metric="correct_acc") == (None, 0)
    rows = metrics_view(selected(triaged, "original")).rows
    assert value(rows, scorer="alpha", subset="sums", metric="error_acc") == (1 / 3, 3)
    assert value(rows, scorer="alpha", subset="sums", metric="correct_acc") == (1 / 2, 2)


def test_without_the_flag_nothing_is_said_or_changed(triaged, tmp_path):
    example.write(tmp_path / "plain")
    found, plain = selected(triaged, "original"), selected(tmp_path / "plain", "original")
    assert metrics_view(found).rows.equals(metrics_view(plain).rows)
    facts, others = (metrics_view(one).provenance for one in (found, plain))
    assert {name: facts[name] for name in facts if name != "command"} == {
        name: others[name] for name in others if name != "command"
    }
    assert "labels" not in facts
    assert found.problems == plain.problems == ()


@pytest.mark.parametrize(
    "words",
    [
        ["metrics"],
        ["board"],
        ["breakdown", "--rows", "subset"],
        ["bias"],
        ["compare"],
        ["contested"],
        ["thresholds"],
        ["cases"],
        ["stats"],
        ["card", "alpha"],
        ["check", "alpha", "--baseline", "beta"],
        ["show", "late-one"],
    ],
    ids=lambda words: words[0],
)
def test_every_command_says_whose_labels_they_are_and_leaves_the_files_as_they_are(triaged, capsys, words):
    before = files(triaged)
    assert main([*words, "-w", str(triaged), "--labels", "adjudicated", "--json"]) in {0, 2}
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["provenance"]["labels"] == WORDS
    assert f"Labels are {WORDS}." in err
    assert "--labels adjudicated" in found["provenance"]["command"]
    again = shlex.split(found["provenance"]["command"])[1:]
    assert main(again) in {0, 2}
    assert capsys.readouterr().out == out
    assert files(triaged) == before


def test_a_case_says_what_the_benchmark_says_of_it(triaged, capsys):
    assert main(["show", "late-one", "-w", str(triaged), "--labels", "adjudicated"]) == 0
    assert "changed by ann, the benchmark says: step 0" in capsys.readouterr().out
    assert main(["show", "late-one", "-w", str(triaged)]) == 0
    assert "changed by" not in capsys.readouterr().out
    results = selected(triaged)
    found = changed_words(results.labels.adjudicated, "bench/clean-two")
    assert found == "taken away as an import problem by bob, the benchmark says: no wrong step"
    document = show_view(results, results.cases["id"].to_list().index("exact-one"))
    assert "label" not in document.provenance


def test_the_protocol_card_counts_them_and_leads_to_the_cases(triaged):
    facts = protocol_card(selected(triaged), "alpha", "bench")
    assert facts.of("gold", "labels").value.startswith("adjudicated by ann, bob; ")
    changed = facts.of("gold", "labels here: changed")
    assert (changed.value, changed.n) == ("2 cases", 2)
    kept = selected(triaged, where=changed.where)
    assert kept.cases["id"].gather(kept.shown).to_list() == ["late-one", "alarm-one"]
    plain = protocol_card(selected(triaged, "original"), "alpha", "bench")
    assert plain.of("gold", "labels").value.startswith("as the benchmark gives them")


def test_the_line_on_the_board_warns_of_them(triaged):
    why = other_labels(selected(triaged).labels.adjudicated)
    assert why == "3 gold labels adjudicated here"
    (phrase,) = banner([], KeyWords(), labels=why)
    assert phrase.forms[0] == f"Not comparable with figures of the benchmark's own labels: {why}"
    assert banner([], KeyWords(), labels=other_labels(selected(triaged, "original").labels.adjudicated)) == []


def test_the_page_of_the_board_warns_of_them_in_the_same_words(triaged, capsys):
    labels = other_labels(selected(triaged).labels.adjudicated)
    for flags, times in ((["--labels", "adjudicated"], 1), ([], 0)):
        assert main(["board", "-w", str(triaged), *flags]) == 0
        page = capsys.readouterr().out
        assert page.count(f"Not comparable with figures of the benchmark's own labels: {labels}.") == times


def test_printed_figures_are_not_held_against_them(tmp_path, capsys):
    papers.processbench(tmp_path / "w", papers.gsm8k())
    words = ["paper", "processbench", "5", "-w", str(tmp_path / "w"), "--check"]
    assert main([*words, "--labels", "adjudicated"]) == 0
    assert "Checked 3 of 6" in capsys.readouterr().err
    case = load(Query(workspace=str(tmp_path / "w"))).cases["case"][0]
    journal(tmp_path / "w").do([(RULE, [case], GOLD), (RATE, [case], "0 1")])
    assert main([*words, "--labels", "adjudicated"]) == 0
    why = "1 gold label adjudicated here"
    assert f"not checked: {why}" in capsys.readouterr().err
    assert main(words) == 0
    assert "Checked 3 of 6" in capsys.readouterr().err
    assert main(["board", "--published", "-w", str(tmp_path / "w"), "--labels", "adjudicated", "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["provenance"]["notes"]
    told = f"published figures are of the benchmark's own labels, and {why}: not comparable"
    assert told in notes
    results = load(Query(workspace=str(tmp_path / "w"), labels="adjudicated"))
    view = stats.view(results)
    assert view.provenance["notes"] == [told]
    assert told[1:] in words_of(view, (200, 40))


def test_what_is_kept_of_one_label_set_is_never_read_under_the_other(root, monkeypatch):
    monkeypatch.setattr(derived, "WORTH", 0)
    own = selected(root, "original")
    for one in own.loaded.unkept:
        one.keep()
    kept = files(root / "derived")
    assert kept
    say(root, "late-one", GOLD, s2=-1)
    found = selected(root)
    assert found.loaded.unkept == ()
    assert found.evaluation("alpha").codes.tolist() != own.evaluation("alpha").codes.tolist()
    assert files(root / "derived") == kept
    again = selected(root, "original")
    assert again.loaded.unkept == ()
    assert again.evaluated.table(again.evaluated.columns).equals(
        own.evaluated.table(own.evaluated.columns).with_columns(
            again.evaluated.table(again.evaluated.columns).select("ruling")
        )
    )


def test_without_rulings_the_labels_are_the_original_ones_and_this_is_said(root, capsys):
    assert main(["metrics", "-w", str(root), "--labels", "adjudicated"]) == 0
    told = "Labels are adjudicated: no ruling here changes any, so that they are the original ones."
    assert told in capsys.readouterr().err
    assert main(["metrics", "--benchmark", "demo", "-w", str(root), "--labels", "adjudicated", "-q"]) == 0


def test_both_are_only_for_metrics(root, capsys):
    assert main(["board", "-w", str(root), "--labels", "both"]) == 2
    out, err = capsys.readouterr()
    assert (out, sentence_of(err)) == ("", "Wrong usage: --labels both is for metrics. Choose one of the two.")


SAID = st.lists(
    st.tuples(
        st.sampled_from([one.id for one in example.EXAMPLES]),
        st.sampled_from(["ann", "bob"]),
        st.sampled_from([one for one in RULINGS if one not in {GOLD, IMPORT}]),
        st.integers(0, 2),
        st.sampled_from([-1, 0, 1]),
    ),
    max_size=6,
)


@up_to(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=SAID)
def test_where_nobody_says_that_the_gold_is_wrong_all_figures_are_the_same(root, said):
    for case, who, ruling, step, rating in said:
        say(root, case, ruling, who=who, **{f"s{step}": rating})
    own, found = (selected(root, labels) for labels in ("original", "adjudicated"))
    assert found.cases.equals(own.cases)
    assert metrics_view(found).rows.equals(metrics_view(own).rows)
    assert other_labels(found.labels.adjudicated) == ""


@up_to(25)
@given(cases=making.benches(min_size=1), data=st.data())
def test_figures_are_those_of_cases_that_had_these_labels_all_along(cases, data):
    """The slow way: the labels are written into the cases by hand, and the cases are evaluated."""
    frame = making.frame(cases)
    words, labels = {}, []
    for number, case in enumerate(cases):
        name, label = frame["case"][number], (case.gold, case.error_steps)
        said = data.draw(st.sampled_from(["", GOLD, IMPORT]))
        ratings = {}
        if said == IMPORT:
            label = (None, None)
        elif said == GOLD and case.n_steps:
            wrong = data.draw(st.none() | st.integers(0, case.n_steps - 1))
            ratings = dict.fromkeys(range(case.n_steps), 1) | ({} if wrong is None else {wrong: -1})
            steps = () if wrong is None else (wrong,)
            every = case.error_steps is not None and any(one.error_steps for one in cases)
            earliest = -1 if wrong is None else wrong
            if every or earliest != case.gold:
                label = (earliest, steps if every or not steps else None)
        words[name] = [Annotation(name, "ann", said or None, ratings)]
        labels.append(label)
    laid = adjudicate(words, frame).over(frame)
    assert laid.select("earliest_error", "error_steps").rows() == [
        (gold, None if steps is None else list(steps)) for gold, steps in labels
    ]
    by_hand = [
        reference.Case(case.n_steps, gold, case.rewards, case.refused, case.subset, steps)
        for case, (gold, steps) in zip(cases, labels, strict=True)
    ]
    found = evaluate(Gold(laid), making.scorer(), making.rewards(cases), Rule(0.5, "<", "chosen"))
    assert found.codes.tolist() == making.evaluation(by_hand).codes.tolist()
    for case, code in zip(by_hand, found.codes, strict=True):
        if case.gold is not None:
            assert OUTCOMES[code] == reference.outcome(case, 0.5, "<")
    assert MetricsBySubset.of(FIRST_ERRORS, found, np.ones(len(cases), dtype=np.bool_), "wrong").score == pytest.approx(
        reference.metrics(by_hand, 0.5, "<")["average", "f1"]
    )


def test_words_of_one_person_and_of_none(root):
    cases = selected(root, "original").cases
    said = {"bench/exact-one": {1: -1}, "bench/early-one": {}}
    words = {case: [Annotation(case, "ann", GOLD, rated)] for case, rated in said.items()}
    found = adjudicate(words, cases)
    assert labels_words(found, 9) == (
        "adjudicated: no ruling here changes any, so that they are the original ones; "
        "1 undecided and as they were (1 no step is rated); 1 ruled wrong and then rated as the gold says"
    )
    assert other_labels(found) == ""


def test_a_label_that_was_given_to_other_steps_is_none_after_the_next_import(tmp_path):
    """A benchmark is imported anew, and one case has another step before the one that was rated."""
    rows = [
        {"id": f"gsm8k-{number}", "generator": "amy", "problem": f"p{number}", "steps": ["a", "b", "c"], "label": -1}
        | {"final_answer_correct": True}
        for number in range(2)
    ]
    source, root = tmp_path / "gsm8k.json", tmp_path / "w"

    def imported():
        source.write_text(json.dumps(rows))
        assert main(["import", str(source), "-w", str(root)]) == 0
        return load(Query(workspace=str(root), labels="adjudicated"))

    first = imported()
    for case, key in first.cases.select("case", "key").iter_rows():
        journal(root).do([(RULE, [case], GOLD), (RATE, [case], "1 -1")], key[:12])
    assert load(first.query).cases["earliest_error"].to_list() == [1, 1]
    rows[0]["steps"] = ["new", "a", "b", "c"]
    again = imported()
    assert again.cases["earliest_error"].to_list() == [-1, 1]
    assert "1 undecided and as they were (1 said of another text of the case)" in " ".join(again.problems)
