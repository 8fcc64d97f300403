"""`agreement`: people's rulings, ratings, tags and categories, from journals to views."""

import json
import shutil

import polars as pl
import pytest
from msgspec.structs import replace

import making
from inspector.analyses.agreement.agreement import AGREEMENT, CONFUSIONS, agreement
from inspector.cli import main
from inspector.state.triage.disagreements import DISAGREEMENTS, disagreements, statements_by_person
from reference import Case
from scoring.data.errors import UsageError
from scoring.metrics.annotator_agreement import NOTHING_SHARED, ONE_VALUE
from scoring.selection.labels import Labels
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.actions import RATE, RULE, RULINGS, SORT
from scoring.workspace.triage.annotations import words_of
from scoring.workspace.triage.journal import Author, Journal
from thoroughness import together
from views import agreement_view, lines_of, table_of

MODEL, GOLD, BOTH, *_ = RULINGS
CASES = [f"bench/c{number}" for number in range(8)]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    rewards = [Case(3, number % 4 - 1, (0.9, 0.2, 0.9)) for number in range(8)]
    return making.workspace(tmp_path_factory.mktemp("untouched"), rewards, [(making.scorer("prm"), rewards)]).root


@pytest.fixture
def root(untouched, tmp_path):
    return shutil.copytree(untouched, tmp_path, dirs_exist_ok=True)


def journal(root, who, machine="gpu"):
    return Journal(root / "triage", Author(who, machine))


@pytest.fixture
def two(root):
    """Ann and Bob, who differ on the rulings of c1 and c2, on step 1 of c1, and on a tag of c3."""
    ann, bob = journal(root, "ann"), journal(root, "bob")
    for who, rulings in ((ann, [MODEL, MODEL, GOLD, GOLD, BOTH]), (bob, [MODEL, GOLD, BOTH, GOLD, BOTH])):
        for case, ruling in zip(CASES, rulings, strict=False):
            who.rule([case], ruling)
    ann.do([(RATE, [CASES[1]], "0 1"), (RATE, [CASES[1]], "1 -1"), (SORT, [CASES[0]], "units")])
    bob.do([(RATE, [CASES[1]], "0 1"), (RATE, [CASES[1]], "1 0")])
    ann.tag([CASES[3]], ["odd"])
    ann.rule([CASES[7]], MODEL)
    return root


def selected(root, **query):
    return load(Query(workspace=str(root), **query))


def confusion_view(results):
    return agreement_view(results, "confusion")


def disagreements_view(results):
    return agreement_view(results, "disagreements")


def figure(rows, **which):
    (row,) = rows.filter(**which).rows(named=True)
    return row


def test_figures_are_those_reckoned_by_hand(two):
    rows = agreement_view(selected(two)).rows
    assert dict(rows.schema) == AGREEMENT
    observed = figure(rows, about="ruling", scope="pair", metric="observed")
    assert (observed["person_a"], observed["person_b"]) == ("ann", "bob")
    assert (observed["value"], observed["n"], observed["cases"], observed["small"]) == (0.6, 5, 5, True)
    # Ann says the three rulings 2, 2, 1 times and Bob 1, 2, 2 times: 8 of 25 by chance.
    assert figure(rows, about="ruling", metric="kappa")["value"] == pytest.approx((0.6 - 8 / 25) / (1 - 8 / 25))
    # Ten answers, 3 + 4 + 3 of each: 33 of their 45 pairs differ; of the five pairs of one case, two.
    assert figure(rows, about="ruling", metric="alpha")["value"] == pytest.approx(1 - (2 / 5) / (33 / 45))
    rating = figure(rows, about="rating", scope="pair", metric="observed")
    assert (rating["value"], rating["n"], rating["cases"]) == (0.5, 2, 1)
    tag = figure(rows, about="tag", tag="odd", scope="pair", metric="observed")
    assert (tag["value"], tag["n"]) == (0.8, 5)


def test_what_is_undefined_is_null_and_says_why(two):
    rows = agreement_view(selected(two)).rows
    for metric in ("observed", "kappa", "alpha"):
        found = rows.filter(about="category", metric=metric)
        assert found["value"].to_list() == [None] * found.height
        assert set(found["reason"]) == {NOTHING_SHARED}
        assert set(found["n"]) == {0}
    alike = agreement_view(selected(two, where=("id IN ('c0', 'c7')",))).rows
    assert figure(alike, about="ruling", metric="observed", scope="all")["value"] == 1
    assert figure(alike, about="ruling", metric="kappa")["reason"] == ONE_VALUE
    assert figure(alike, about="ruling", metric="alpha")["value"] is None
    defined = rows.filter(pl.col("value").is_not_null())
    assert defined["reason"].null_count() == defined.height


def test_no_case_of_both_is_no_error(root, capsys):
    journal(root, "ann").rule(CASES[:2], MODEL)
    journal(root, "bob").rule(CASES[2:4], MODEL)
    assert main(["agreement", "-w", str(root), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {(row["n"], row["value"], row["reason"]) for row in rows} == {(0, None, NOTHING_SHARED)}
    assert disagreements_view(selected(root)).rows.is_empty()


def test_three_people_have_three_pairs_and_one_alpha(two):
    journal(two, "cy").rule(CASES, GOLD)
    rows = agreement_view(selected(two)).rows.filter(about="ruling")
    pairs = rows.filter(metric="kappa").select("person_a", "person_b").rows()
    assert pairs == [("ann", "bob"), ("ann", "cy"), ("bob", "cy")]
    assert figure(rows, metric="alpha")["n"] == 6
    assert rows.filter(scope="all")["person_a"].null_count() == 2


def test_conditions_choose_the_cases(two):
    shown = selected(two, where=("\"prm.outcome\" <> 'exact'",))
    expected = len(set(CASES[:5]) & set(shown.cases["case"].gather(shown.shown)))
    document = agreement_view(shown)
    assert 0 < figure(document.rows, about="ruling", metric="kappa")["n"] == expected < 5
    assert "threshold" in document.provenance
    assert "threshold" not in agreement_view(selected(two)).provenance


def test_confusions_add_up_to_the_common_cases(two):
    rows = confusion_view(selected(two)).rows
    assert dict(rows.schema) == CONFUSIONS
    counts = {(row["said_a"], row["said_b"]): row["n"] for row in rows.filter(about="ruling").rows(named=True)}
    assert counts == {(MODEL, MODEL): 1, (MODEL, GOLD): 1, (GOLD, BOTH): 1, (GOLD, GOLD): 1, (BOTH, BOTH): 1}
    tags = rows.filter(about="tag").select("tag", "said_a", "said_b", "n").rows()
    assert tags == [("odd", "no", "no", 4), ("odd", "yes", "no", 1)]


def test_cases_on_which_people_differ_most_come_first(two):
    rows = disagreements_view(selected(two)).rows
    assert dict(rows.schema) == DISAGREEMENTS
    assert rows["case"].to_list() == ["bench/c1", "bench/c2", "bench/c3"]
    first, second, third = rows.rows(named=True)
    assert (first["kinds"], first["things"], first["people"]) == (["ruling", "rating"], 2, ["ann", "bob"])
    assert first["ruling"] == f"ann: {MODEL}, bob: {GOLD}"
    assert first["rating"] == "step 1 (ann: -1, bob: 0)"
    assert first["tag"] is first["category"] is None
    assert second["ruling"] == f"ann: {GOLD}, bob: {BOTH}"
    assert third["tag"] == "odd (ann: yes, bob: no)"
    for who in ("ann", "bob"):
        journal(two, who).tag([CASES[2]], [who])
    chosen = selected(two)
    found = disagreements(chosen, statements_by_person(chosen))
    # Two kinds each; three things come before two.
    assert found["case"].to_list()[:2] == ["bench/c2", "bench/c1"]
    assert found["things"].to_list()[:2] == [3, 2]
    journal(two, "cy").rule([CASES[1]], BOTH)
    assert disagreements_view(selected(two)).rows["case"].to_list()[:2] == ["bench/c1", "bench/c2"]


def test_equals_keep_the_order_shown(two):
    for who, ruling in (("ann", MODEL), ("bob", GOLD)):
        for case in CASES[5:7]:
            journal(two, who).rule([case], ruling)
    found = disagreements_view(selected(two, sort="case:desc")).rows["case"].to_list()
    assert found == ["bench/c1", "bench/c6", "bench/c5", "bench/c3", "bench/c2"]


def test_cases_that_are_gone_are_counted(two):
    journal(two, "ann").rule(["gone/1", "gone/2"], MODEL)
    document = agreement_view(selected(two))
    assert document.provenance["notes"][-1] == "2 cases that people spoke of are in no benchmark looked at"
    assert figure(document.rows, about="ruling", metric="kappa")["n"] == 5


def test_what_was_said_of_another_text_is_no_answer(two):
    before = statements_by_person(selected(two)).statements
    keys = dict(selected(two).cases.select("case", "key").iter_rows())
    said = [(RULE, [CASES[6]], GOLD), (RATE, [CASES[6]], "0 -1")]
    journal(two, "bob").do(said, "0123456789ab")
    assert statements_by_person(selected(two)).statements.equals(before)
    journal(two, "bob").do(said, keys[CASES[6]][:12])
    assert (
        statements_by_person(selected(two)).statements.filter(case=CASES[6]).height
        == before.filter(case=CASES[6]).height + 3
    )


def test_what_was_said_last_of_another_text_brings_back_no_word_before_it(two):
    """Nobody noted the text of bob's first ruling and rating of that case, so those count until they say another."""
    of_bob = {"case": CASES[1], "who": "bob"}
    before = statements_by_person(selected(two)).statements.filter(**of_bob)
    assert {"ruling", "rating"} <= set(before["about"])
    journal(two, "bob").do([(RULE, [CASES[1]], BOTH), (RATE, [CASES[1]], "1 1")], "0123456789ab")
    now = statements_by_person(selected(two)).statements.filter(**of_bob)
    assert now.equals(before.filter((pl.col("about") != "ruling") & (pl.col("step").fill_null(0) != 1)))
    words = {one.who: one for one in words_of(CASES[1], journal(two, "bob").of_case(CASES[1]))}["bob"]
    key = dict(selected(two).cases.select("case", "key").iter_rows())[CASES[1]]
    assert words.of(key).ruling is None
    assert 1 not in words.of(key).ratings


def test_merged_in_any_order_and_undone_it_is_the_same(two):
    before = agreement_view(selected(two)).rows
    other = journal(two, "bob", "laptop")
    other.rule([CASES[0]], BOTH)
    assert not agreement_view(selected(two)).rows.equals(before)
    other.undo()
    assert agreement_view(selected(two)).rows.equals(before)
    folder = two / "triage"
    (folder / "ann-gpu.jsonl").rename(folder / "zoe.jsonl")
    assert agreement_view(selected(two)).rows.equals(before)


def test_the_seed_is_in_the_command_and_moves_intervals_alone(two):
    one, other = (agreement_view(selected(two, seed=seed)) for seed in (0, 7))
    assert "--seed 7" in other.provenance["command"]
    assert one.rows.drop("low", "high", "note").equals(other.rows.drop("low", "high", "note"))
    assert not one.rows.equals(other.rows)


def test_people_see_a_line_for_whom_and_what(two, capsys):
    view = agreement_view(selected(two))
    lines = table_of(view)
    assert [(line["about"], line["people"]) for line in lines] == [
        (about, who) for about in ("ruling", "rating", "tag odd", "category") for who in ("ann and bob", "all")
    ]
    first, *_, last = lines
    assert first["same, in percent"].startswith("60.0 (")
    assert first["kappa, of all: alpha"].startswith("0.41 (")
    assert (last["same, in percent"], last["kappa, of all: alpha"]) == ("–", "–")
    assert [line["kappa, of all: alpha"].endswith("~") for line in lines] == [True] * 6 + [False] * 2
    told = lines_of(view)
    assert sum(NOTHING_SHARED in line for line in told) == 2
    # What several lines are about stands once.
    assert [line.split()[0] for line in told if " all " in line] == ["all"] * 4
    assert main(["agreement", "-w", str(two), "-v"]) == 0
    told = capsys.readouterr()
    assert "ann and bob" in told.out
    assert "fewer than 20 cases" in told.out
    assert "two people or more speak of 5 of 8 cases" in told.err


def test_every_number_opens_the_cases_that_it_is_of(two):
    chosen = selected(two)
    for page in ("", "confusion", "disagreements"):
        links = list(agreement_view(chosen, page).links())
        assert links
        for link in links:
            assert chosen.evaluated.passing(link.where).sum() == link.n > 0
    # Ratings are of steps: beside them stands of how many cases.
    rating = next(line for line in table_of(agreement_view(chosen)) if line["about"] == "rating")
    assert (rating["steps"], rating["cases"]) == ("2", "1")


def test_who_says_what_is_a_table_a_kind(two):
    view = confusion_view(selected(two))
    assert table_of(view, "Rulings") == [
        {"first": "ann", "second": "bob", "says": MODEL, MODEL: "1", GOLD: "1", BOTH: ""},
        {"first": "ann", "second": "bob", "says": GOLD, MODEL: "", GOLD: "1", BOTH: "1"},
        {"first": "ann", "second": "bob", "says": BOTH, MODEL: "", GOLD: "", BOTH: "1"},
    ]
    assert [(line["tag"], line["says"], line["no"]) for line in table_of(view, "Tags")] == [
        ("odd", "no", "4"),
        ("odd", "yes", "1"),
    ]
    assert not any("Categories" in line for line in lines_of(view))


def test_without_intervals_values_stay(two):
    whole = agreement_view(selected(two)).rows
    bare = agreement.view(selected(two), intervals=False).rows
    assert whole["low"].is_not_null().any()
    assert bare["low"].is_null().all()
    assert bare.drop("low", "high", "note").equals(whole.drop("low", "high", "note"))


def test_nothing_to_talk_about_is_said(root, capsys):
    for who in ("ann", "bob"):
        journal(root, who).rule(CASES[:3], MODEL)
    assert main(["agreement", "--disagreements", "-w", str(root)]) == 0
    assert "People differ on none of these cases." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("view", "spoken"),
    together(
        [(), ("--confusion",), ("--disagreements",)],
        [((), "nobody has"), (("an[red]\x1b[1mn",), "only an[red]")],
    ),
)
def test_fewer_than_two_people_are_one_sentence(root, capsys, view, spoken):
    who, told = spoken
    for one in who:
        journal(root, one).rule(CASES, MODEL)
    assert main(["agreement", *view, "-w", str(root)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert "Copy the others' journals" in err
    assert "\x1b" not in err
    assert len(err.splitlines()) == 1


def test_one_person_at_two_machines_is_one_person(root, capsys):
    for machine in ("gpu", "laptop"):
        journal(root, "ann", machine).rule(CASES, MODEL)
    assert main(["agreement", "-w", str(root)]) == 2
    assert "only ann has" in capsys.readouterr().err


def test_without_a_workspace_nobody_has_said_anything_of_the_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["agreement", "--benchmark", "demo"]) == 2
    assert "nobody has ruled on, rated, tagged or sorted" in capsys.readouterr().err


def test_without_a_folder_it_says_so(root):
    with pytest.raises(UsageError, match="no workspace folder"):
        agreement_view(replace(selected(root), labels=Labels()))


def test_hostile_names_and_texts_are_only_names_and_texts(root, capsys):
    texts = ["=1+1", "[red]x[/]", "\x1b[31337mx", 'a,b\n"c"', "数学" * 40, "null", "yes"]
    for who in texts[:4]:
        one = journal(root, who)
        for case, text in zip(CASES, texts, strict=False):
            one.do([(SORT, [case], text)])
            one.tag([case], [text])
    rows = agreement_view(selected(root)).rows
    found = rows.filter(about="category", metric="kappa")
    assert found["value"].to_list() == [pytest.approx(1)] * 6
    assert set(rows["tag"].drop_nulls()) == set(texts)
    assert main(["agreement", "-w", str(root), "--csv"]) == 0
    told = capsys.readouterr().out
    assert ",'=1+1," in told
    assert ",=1+1," not in told
    assert main(["agreement", "-w", str(root)]) == 0
    assert "\x1b[31337m" not in capsys.readouterr().out
