"""`triage`: what people said of cases, and the history of one, from journals to views."""

import csv
import io
import json
import shutil

import polars as pl
import pytest

import making
from inspector.analyses.triage import LISTED
from inspector.cli import main
from inspector.cli.command_flags import FORMS
from inspector.state.triage.annotations import ANNOTATIONS, gone_words
from inspector.state.triage.history import HISTORY, case_named, history_lines
from reference import Case
from refusals import sentence_of
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.actions import DEFER, RATE, RULE, RULINGS, SKIP, SORT
from scoring.workspace.triage.journal import Author, Journal
from thoroughness import together
from views import lines_of, table_of, triage_view, words_of

MODEL, GOLD, *_ = RULINGS
CASES = [f"bench/c{number}" for number in range(6)]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    rewards = [Case(3, number % 4 - 1, (0.9, 0.2, 0.9), subset="ab"[number % 2]) for number in range(6)]
    return making.workspace(tmp_path_factory.mktemp("untouched"), rewards, [(making.scorer("prm"), rewards)]).root


@pytest.fixture
def root(untouched, tmp_path):
    return shutil.copytree(untouched, tmp_path, dirs_exist_ok=True)


def journal(root, who="ann", machine="gpu", clock=None):
    times = iter(f"2026-01-31T12:{minute:02}:00.000Z" for minute in range(60))
    return Journal(root / "triage", Author(who, machine), clock or (lambda: next(times)))


@pytest.fixture
def two(root):
    """Ann rules on c0 and c1, rates, tags, notes and sorts c1; Bob rules on c1, takes a tag off it and tags c3."""
    ann, bob = journal(root), journal(root, "bob")
    ann.begin("as listed", CASES)
    ann.rule([CASES[0]], MODEL)
    ann.rule([CASES[1]], GOLD)
    ann.do([(RATE, [CASES[1]], "2 0"), (RATE, [CASES[1]], "0 1"), (RATE, [CASES[1]], "1 -1")])
    ann.tag([CASES[1]], ["odd", "base"])
    ann.note([CASES[1]], "carries\nthe one")
    ann.do([(SORT, [CASES[1]], "carrying"), (SKIP, [CASES[2]], "")])
    bob.rule([CASES[1]], MODEL)
    bob.tag([CASES[1]], [], ["odd"])
    bob.tag([CASES[3]], ["odd"])
    return root


def selected(root, **query):
    return load(Query(workspace=str(root), **query))


def rows_of(document):
    return {(row["case"], row["who"]): row for row in document.rows.rows(named=True)}


def run(capsys, *words):
    code = main([*map(str, words)])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_a_row_is_what_one_person_says_of_one_case(two):
    document = triage_view(selected(two))
    assert dict(document.rows.schema) == ANNOTATIONS
    rows = rows_of(document)
    assert [*rows] == [(CASES[0], "ann"), (CASES[1], "ann"), (CASES[1], "bob"), (CASES[3], "bob")]
    assert rows[CASES[1], "ann"] == {
        "case": CASES[1],
        "benchmark": "bench",
        "subset": "b",
        "who": "ann",
        "ruling": GOLD,
        "rated_steps": [0, 1, 2],
        "ratings": [1, -1, 0],
        "tags": ["base", "odd"],
        "without_tags": [],
        "note": "carries\nthe one",
        "category": "carrying",
        "last": "2026-01-31T12:06:00.000Z",
        "outdated": False,
    }
    bob = rows[CASES[1], "bob"]
    assert (bob["ruling"], bob["tags"], bob["without_tags"], bob["note"]) == (MODEL, [], ["odd"], None)


def test_what_was_said_of_another_text_is_listed_and_told(two, capsys):
    assert "outdated" not in run(capsys, "triage", "-w", two)[1]
    key = dict(selected(two).cases.select("case", "key").iter_rows())[CASES[3]]
    journal(two).do([(RULE, [CASES[2]], GOLD), (RATE, [CASES[2]], "0 -1")], "0123456789ab")
    journal(two).do([(RULE, [CASES[3]], GOLD), (RATE, [CASES[3]], "0 -1")], key[:12])
    document = triage_view(selected(two))
    rows = rows_of(document)
    assert [case for case, row in rows.items() if row["outdated"]] == [(CASES[2], "ann")]
    assert (rows[CASES[2], "ann"]["ruling"], rows[CASES[2], "ann"]["ratings"]) == (GOLD, [-1])
    assert document.provenance["outdated"] == 1
    out = run(capsys, "triage", "-w", two)[1]
    assert "another text" in out
    assert "1 case was ruled on or rated when its problem or steps were others (outdated)" in " ".join(out.split())


def test_what_was_undone_or_taken_away_is_not_listed(two):
    bob = journal(two, "bob")
    bob.undo()
    assert (CASES[3], "bob") not in rows_of(triage_view(selected(two)))
    journal(two).rule([CASES[0]], "")
    assert (CASES[0], "ann") not in rows_of(triage_view(selected(two)))


def test_one_person_alone(two):
    document = triage_view(selected(two), who="an")
    assert {who for _, who in rows_of(document)} == {"ann"}
    assert document.provenance["people"] == ["ann"]
    assert " --who ann " in document.provenance["command"]
    assert document.provenance["queues"] == {"ann": "2 of 6 ruled, 1 skipped, 3 to come (as listed)"}


def test_conditions_and_subsets_choose_cases(two):
    cases = {case for case, _ in rows_of(triage_view(selected(two, subsets=("b",))))}
    assert cases == {CASES[1], CASES[3]}
    chosen = selected(two, where=("\"prm.outcome\" = 'exact'",))
    document = triage_view(chosen)
    assert {case for case, _ in rows_of(document)} == set(chosen.cases["case"].gather(chosen.shown)) & {
        *(CASES[0], CASES[1], CASES[3])
    }
    assert "threshold" in document.provenance
    assert "threshold" not in triage_view(selected(two)).provenance
    assert "1 case that the query leaves out" in triage_view(selected(two, subsets=("b",))).provenance["coverage"]


def test_figures_of_the_summary(two):
    facts = triage_view(selected(two)).provenance
    assert facts["rulings"] == {"ann": {MODEL: 1, GOLD: 1}, "bob": {MODEL: 1}}
    assert facts["tags"] == {"odd": 2, "base": 1}
    assert facts["coverage"] == "people speak of 3 of 6 cases, and 2 of them are ruled on"


def test_people_see_rulings_queues_and_tags(two):
    view = triage_view(selected(two))
    rulings = table_of(view, "Rulings")
    assert rulings == [
        {"who": "ann", MODEL: "1", GOLD: "1", "cases": "2"},
        {"who": "bob", MODEL: "1", GOLD: "", "cases": "1"},
    ]
    assert "queue of ann  2 of 6 ruled, 1 skipped, 3 to come (as listed)" in lines_of(view)
    assert table_of(view, "Tags") == [{"tag": "odd", "cases": "2"}, {"tag": "base", "cases": "1"}]
    assert "put aside" not in " ".join(lines_of(view))
    journal(two).begin("again", [CASES[5]])
    said = " ".join(" ".join(lines_of(triage_view(selected(two)))).split())
    assert "queue of ann 0 of 1 ruled, 1 to come (again)" in said
    assert "put aside by ann 2 of 6 ruled, 1 skipped, 3 to come (as listed)" in said


def test_many_tags_are_cut_and_counted(two):
    journal(two).tag([CASES[4]], [f"t{number}" for number in range(LISTED)])
    view = triage_view(selected(two))
    assert len(table_of(view, "Tags")) == LISTED
    assert "And 2 more tags." in lines_of(view)


def test_every_number_opens_its_cases(two):
    results = selected(two)
    view = triage_view(results)
    opened = {}
    for link in view.links():
        opened[link.words] = set(results.cases["case"].filter(pl.Series(results.evaluated.passing(link.where))))
    assert all(results.evaluated.passing(link.where).sum() == link.n for link in view.links())
    assert opened == {
        **{CASES[at]: {CASES[at]} for at in (0, 1, 3)},
        f"ann ruled: {MODEL}": {CASES[0]},
        f"ann ruled: {GOLD}": {CASES[1]},
        "ann ruled": {CASES[0], CASES[1]},
        f"bob ruled: {MODEL}": {CASES[1]},
        "bob ruled": {CASES[1]},
        "tagged odd": {CASES[1], CASES[3]},
        "tagged base": {CASES[1]},
    }


def test_people_see_ratings_tags_and_minutes_in_short(two, capsys):
    ann, bob = table_of(triage_view(selected(two)), "By case")[1:3]
    assert (ann["ratings"], ann["tags"], ann["last"]) == ("0:+1 1:-1 2:0", "base odd", "2026-01-31 12:06")
    assert (bob["ratings"], bob["tags"]) == ("", "-odd")
    code, out, _ = run(capsys, "triage", "-w", two)
    assert code == 0
    assert "carrying" in out
    assert run(capsys, "triage", "-w", two, "-q")[2] == ""


# -- cases that are gone


@pytest.fixture
def lost(two):
    """Three cases that are in no benchmark: two of bench, one of a benchmark that was never here."""
    journal(two, "cy").rule(["bench/old", "other/1"], GOLD)
    journal(two).note(["bench/older"], "hm")
    return two


def test_cases_that_are_gone_are_kept_counted_and_listed(lost, capsys):
    document = triage_view(selected(lost))
    assert document.provenance["gone"] == 3
    assert not {"bench/old", "bench/older", "other/1"} & {case for case, _ in rows_of(document)}
    found = triage_view(selected(lost), gone=True)
    assert [*rows_of(found)] == [("bench/old", "cy"), ("bench/older", "ann"), ("other/1", "cy")]
    assert rows_of(found)["other/1", "cy"]["benchmark"] == "other"
    assert found.provenance["coverage"].startswith("people speak of 3 cases that are gone, and 2 of them are ruled on")
    assert gone_words(3) in run(capsys, "triage", "-w", lost)[1]
    assert gone_words(3) not in words_of(found)
    # They are in no benchmark here, so that none can be opened.
    assert list(found.links()) == []
    assert [*rows_of(triage_view(selected(lost, benchmarks=("bench",)), gone=True))] == [
        ("bench/old", "cy"),
        ("bench/older", "ann"),
    ]


def test_a_case_of_another_benchmark_is_not_gone(lost, capsys):
    journal(lost).tag(["demo/algebra-012"], ["odd"])
    assert triage_view(selected(lost)).provenance["gone"] == 3
    making_other = selected(lost, benchmarks=("demo",))
    assert triage_view(making_other).provenance["gone"] == 0
    assert [*rows_of(triage_view(making_other))] == [("demo/algebra-012", "ann")]


# -- one case


def test_the_history_says_who_did_what_and_what_was_undone(two):
    ann = journal(two)
    ann.rule([CASES[1]], "unsure")
    ann.undo()
    ann.do([(DEFER, [CASES[1]], "")])
    ann.do([(RATE, [CASES[1]], "2 ")])
    document = triage_view(selected(two), case=CASES[1])
    assert dict(document.rows.schema) == HISTORY
    rows = document.rows.rows(named=True)
    assert [row["words"] for row in rows if row["who"] == "ann"] == [
        "began a queue with it: as listed (with 5 other cases)",
        f"ruled: {GOLD}",
        "rated step 2 0",
        "rated step 0 +1",
        "rated step 1 -1",
        "put on the tag odd",
        "put on the tag base",
        "noted: carries\nthe one",
        "put the note into the category carrying",
        "ruled: unsure",
        "undid 15: ruled: unsure",
        "put it off",
        "took the rating of step 2 away",
    ]
    assert [row["n"] for row in rows] == sorted(row["n"] for row in rows)
    assert [row["words"] for row in rows if row["holds"] is False] == ["ruled: unsure"]
    (undo,) = [row for row in rows if row["action"] == "undo"]
    assert (undo["of"], undo["holds"], undo["cases"]) == (15, None, None)
    assert document.provenance["coverage"] == "15 actions; 1 of them is undone"
    lines = list(history_lines(document.rows))
    assert lines[0] == (" 1  2026-01-31 12:00:00  ann@gpu", "began a queue with it: as listed (with 5 other cases)")
    assert [text for _, text in lines if text.endswith("(undone)")] == ["ruled: unsure (undone)"]


def test_a_terminal_gets_a_line_an_action(two, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    code, out, err = run(capsys, "triage", "-w", two, "c3", "-v")
    title, case, _, heads, *lines = out.splitlines()
    assert (code, title, case) == (0, "What was done to a case", CASES[3])
    assert heads.split() == ["n", "time", "who", "what", "was", "done"]
    assert len(lines) == 2
    assert lines[1].endswith("bob@gpu  put on the tag odd")
    assert "coverage: 2 actions" in err.splitlines()


def test_an_undo_that_concerns_other_cases_is_not_of_this_one(two):
    bob = journal(two, "bob")
    bob.undo()
    words = triage_view(selected(two), case=CASES[1]).rows["words"].to_list()
    assert not any(text.startswith("undid") for text in words)
    assert triage_view(selected(two), case=CASES[3]).rows["words"].to_list()[-1].startswith("undid")


def test_a_case_is_named_by_its_identity_its_id_or_a_part_even_if_it_is_gone(lost):
    chosen = selected(lost)
    assert case_named(chosen, CASES[2]) == case_named(chosen, "c2") == CASES[2]
    assert case_named(chosen, "bench/older") == case_named(chosen, "older") == "bench/older"
    assert case_named(chosen, "bench/old") == "bench/old"
    facts = triage_view(chosen, case="bench/old").provenance
    assert facts["gone"] is True


def test_a_case_that_nobody_touched_has_an_empty_history(two, capsys):
    code, _, err = run(capsys, "triage", "-w", two, "c5", "--where", "n_steps > 0", "--json")
    assert code == 0
    # It was in Ann's queue, which is something.
    assert "Nobody" not in err
    journal(two).undo()
    code, out, err = run(capsys, "triage", "-w", two, "demo/algebra-012", "--benchmark", "demo", "--json")
    assert (code, json.loads(out)["rows"]) == (0, [])
    assert "Nobody has done anything to demo/algebra-012." in err


# -- what cannot be


def test_nobody_has_said_anything(root, capsys):
    code, out, err = run(capsys, "triage", "-w", root, "--json")
    assert (code, json.loads(out)["rows"]) == (0, [])
    assert "Nobody has said anything of these cases." in err
    journal(root).rule([CASES[0]], MODEL)
    assert (
        "ann has said nothing of these cases."
        in run(capsys, "triage", "-w", root, "--who", "ann", "--subset", "b", "--json")[2]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--who", "zoe"), "no person matches 'zoe'. There are: ann, bob."),
        (("--who", "b", "c0"), "the history of a case is that of all people."),
        (("c0", "--gone"), "the history of a case is that of all people."),
        (("nowhere",), "no case matches 'nowhere'"),
        (("-o", "nowhere/x.csv"), "there is no folder nowhere"),
        (("--where", "oops = 1"), "oops"),
    ],
)
def test_what_cannot_be_is_one_sentence(two, capsys, words, said):
    code, out, err = run(capsys, "triage", "-w", two, *words)
    assert (code, out) == (2, "")
    assert said in sentence_of(err)


def test_without_a_workspace_what_is_said_of_the_demo_is_kept_among_the_users_data(
    capsys, tmp_path, monkeypatch, data_home
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    assert not data_home.exists()
    code, out, _ = run(capsys, "triage", "--benchmark", "demo", "--csv")
    assert (code, len(out.splitlines())) == (0, 1)
    assert not data_home.exists()
    results = load(Query(benchmarks=("demo",)))
    case = results.cases["case"][3]
    results.labels.journal.rule([case], "gold wrong")
    (kept,) = data_home.rglob("*.jsonl")
    assert kept.parent == data_home / "prm-inspect" / "triage"
    code, out, _ = run(capsys, "triage", "--benchmark", "demo", "--csv")
    assert code == 0
    assert [row["case"] for row in csv.DictReader(io.StringIO(out))] == [case]


# -- files


@pytest.mark.parametrize(("words", "form"), together([(), ("--gone",), ("c1",), ("--who", "ann")], [*FORMS, "html"]))
def test_every_form_is_one_document_and_its_command_makes_it_again(lost, capsys, form, words):
    code, out, _ = run(capsys, "triage", "-w", lost, *words, f"--{form}")
    assert code == 0
    assert out
    assert run(capsys, "triage", "-w", lost, *words, f"--{form}")[1] == out


def test_texts_of_people_stand_as_they_are_but_for_formulas_in_csv(two, capsys):
    journal(two, "=cmd|x").note([CASES[4]], "=1+1\x1b[2J")
    code, out, _ = run(capsys, "triage", "-w", two, "--csv")
    assert code == 0
    assert "'=cmd|x" in out
    assert "'=1+1\x1b[2J" in out
    assert "'=1+1" not in run(capsys, "triage", "-w", two, "--csv", "--raw")[1]
    _, out, err = run(capsys, "triage", "-w", two)
    assert "\x1b[2J" not in out + err
    row = json.loads(run(capsys, "triage", "-w", two, "--who", "cmd", "--jsonl")[1])
    assert row["note"] == "=1+1\x1b[2J"
