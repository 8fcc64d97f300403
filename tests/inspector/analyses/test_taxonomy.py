"""`taxonomy`: notes in categories, from journals to views, and changed from the shell."""

import csv
import io
import json
import shutil

import numpy as np
import polars as pl
import pytest

import making
import taxonomy_spaces
from inspector.analyses.taxonomy import BY_SCORER, NOBODY, NOTE_ROWS, SATURATION_ROWS, TAXONOMY, UNCOUNTED, UNSORTED
from inspector.cli import main
from inspector.cli.command_flags import FORMS
from inspector.state.triage.categories import category_name, merge, put, rename, typed_category
from inspector.state.triage.category_cases import NOT_TRIED, judged
from inspector.state.triage.gathered_notes import gathered_notes, saturation_words
from reference import Case
from refusals import sentence_of
from scoring.data.errors import UsageError
from scoring.metrics.first_error import FAILURES
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.triage.actions import NOTE, SORT
from scoring.workspace.triage.journal import Author, Journal
from thoroughness import together
from views import lines_of, table_of, taxonomy_view

CASES = [f"bench/c{number}" for number in range(8)]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    rewards = [Case(3, number % 4 - 1, (0.9, 0.2, 0.9)) for number in range(8)]
    return making.workspace(tmp_path_factory.mktemp("untouched"), rewards, [(making.scorer("prm"), rewards)]).root


@pytest.fixture
def root(untouched, tmp_path, monkeypatch):
    monkeypatch.setenv("PRM_INSPECT_USER", "ann")
    return shutil.copytree(untouched, tmp_path, dirs_exist_ok=True)


def journal(root, who, machine="gpu"):
    return Journal(root / "triage", Author(who, machine))


def write(who, case, text, category=""):
    who.do([(NOTE, [case], text), *([(SORT, [case], category)] if category else [])])


@pytest.fixture
def noted(root):
    """Ann: two signs, a unit, one in none; Bob: a sign, on a case that Ann noted too."""
    ann, bob = journal(root, "ann"), journal(root, "bob")
    write(ann, CASES[5], "dropped a minus", "signs")
    write(ann, CASES[1], "metres and feet", "units")
    write(bob, CASES[5], "minus", "signs")
    write(ann, CASES[2], "sign again", "signs")
    write(ann, CASES[3], "odd")
    return root


def selected(root, **query):
    return load(Query(workspace=str(root), **query))


def rows_of(capsys, *words):
    assert main(["taxonomy", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_categories_count_notes_and_cases_and_show_the_first_note(noted):
    document = taxonomy_view(selected(noted))
    assert dict(document.rows.schema) == TAXONOMY
    signs, units, none = document.rows.rows(named=True)
    assert (signs["category"], signs["notes"], signs["cases"], signs["people"]) == ("signs", 3, 2, ["ann", "bob"])
    assert (signs["share"], signs["example"], signs["example_case"]) == (0.75, "dropped a minus", CASES[5])
    assert (units["category"], units["notes"], units["share"]) == ("units", 1, 0.25)
    assert (none["category"], none["notes"], none["share"], none["reason"]) == (None, 1, None, UNSORTED)
    facts = document.provenance
    assert facts["command"] == f"prm-inspect taxonomy --workspace {noted}"
    assert (facts["sorted_notes"], facts["unsorted_notes"], facts["categories"]) == (4, 1, 2)
    assert facts["new_in_last_20"] is None
    # One of four sorted notes is alone in its category.
    assert facts["good_turing"] == 0.25
    assert facts["coverage"] == "notes on 4 of 8 cases"
    assert "threshold" not in facts


def test_notes_in_no_category_that_are_alike_are_suggested(noted):
    assert "No two notes in no category are alike." in taxonomy_view(selected(noted), "alike").empty
    ann = journal(noted, "ann")
    write(ann, CASES[6], "misread the table")
    write(ann, CASES[7], "the table is misread")
    # What is in a category already needs no suggestion.
    write(ann, CASES[4], "misread table", "reading")
    view = taxonomy_view(selected(noted), "alike")
    (row,) = view.rows.rows(named=True)
    assert row["notes"] == 2
    assert set(row["words"]) == {"misread", "table", "the"}
    assert row["cases"] == [CASES[6], CASES[7]]
    ((cells, *_),) = [block.rows for section in view.sections for block in section.blocks if hasattr(block, "rows")]
    results = selected(noted)
    opened = results.cases["case"].gather(results.evaluated.passing(cells[2].link.where).nonzero()[0]).to_list()
    assert opened == row["cases"]


def test_notes_are_listed_in_the_order_written_with_who_fails(noted):
    document = taxonomy_view(selected(noted), "notes")
    assert dict(document.rows.schema) == NOTE_ROWS
    assert document.rows["note"].to_list() == ["dropped a minus", "metres and feet", "minus", "sign again", "odd"]
    assert document.rows["who"].to_list() == ["ann", "ann", "bob", "ann", "ann"]
    assert document.rows["category"].to_list() == ["signs", "units", "signs", "signs", None]
    # The one scorer names step 1: right of c2 (gold 1) alone.
    assert document.rows["wrong"].to_list() == [["prm"], ["prm"], ["prm"], [], ["prm"]]
    assert "threshold" in document.provenance
    lines = table_of(document, "Notes")
    assert [line["category"] for line in lines] == ["signs", "units", "signs", "signs", "(in none)"]
    assert [line["wrong"] for line in lines] == ["prm", "prm", "prm", "", "prm"]


def test_the_curve_says_which_notes_were_new(noted):
    document = taxonomy_view(selected(noted), "saturation")
    assert dict(document.rows.schema) == SATURATION_ROWS
    assert document.rows["new"].to_list() == [True, True, False, False]
    assert document.rows["categories"].to_list() == [1, 2, 2, 2]


def test_one_persons_notes_alone(noted):
    document = taxonomy_view(selected(noted), who="bob")
    assert document.rows.select("category", "notes", "share").rows() == [("signs", 1, 1.0)]
    assert "--who bob" in document.provenance["command"]
    with pytest.raises(UsageError, match="no person matches 'cy'"):
        taxonomy_view(selected(noted), who="cy")


def test_saturation_says_when_it_is_too_early(noted):
    assert saturation_words(gathered_notes(selected(noted))) == (
        "too few to speak of saturation; 2 categories in 4 sorted notes; 1 note in none"
    )


def test_the_last_twenty_notes_tell_of_saturation(tmp_path):
    making.workspace(tmp_path, [Case(1, -1)] * 30, [])
    ann = journal(tmp_path, "ann")
    for number in range(30):
        write(ann, f"bench/c{number}", "x", "rare" if number == 12 else ("a", "b")[number % 2])
    assert saturation_words(gathered_notes(selected(tmp_path))).startswith(
        "last 20 notes: 1 new category; 3 categories in 30 sorted notes; about 3% of further notes"
    )


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """A workspace of two benchmarks, three scorers with gaps, and 80 notes of two people."""
    query = taxonomy_spaces.write(tmp_path_factory.mktemp("space"))
    results = load(query)
    rng = np.random.default_rng(3)
    ann, bob = (Journal(results.loaded.workspace.root / "triage", Author(who, "gpu")) for who in ("ann", "bob"))
    for number, place in enumerate(rng.choice(results.evaluated.height, 80)):
        who = (ann, bob)[number % 2]
        write(who, results.cases["case"][int(place)], f"note {number}", ("", "signs", "units", "premise")[number % 4])
    return query


@pytest.mark.parametrize("by", [(BY_SCORER,), ("pattern",), ("pattern", BY_SCORER), (), ("one.outcome",)])
def test_counts_are_those_of_a_slow_count(space, by):
    results = load(Query(workspace=space.workspace, by=by))
    notes = taxonomy_view(load(space), "notes").rows
    rows = taxonomy_view(results).rows
    frame = results.evaluated.table(results.evaluated.columns)
    for row in rows.rows(named=True):
        of = notes.filter(pl.col("category").eq_missing(pl.lit(row["category"], pl.String)))
        cases = frame.filter(pl.col("case").is_in(of["case"].unique().to_list()))
        size = cases.height
        for name in by:
            if name != BY_SCORER:
                cases = cases.filter(pl.col(name).fill_null("") == row[name])
        assert row["cases"] == cases.height
        if BY_SCORER in by:
            # What has no verdict counts as wrong or not at all, by the protocol of its benchmark.
            outcomes = list(cases.select("benchmark", f"{row['scorer']}.outcome").iter_rows())
            wrong = sum(outcome in FAILURES[results.unparsed(benchmark)] for benchmark, outcome in outcomes)
            right = sum(outcome in {"exact", "clean"} for _, outcome in outcomes)
            assert (row["wrong"], row["tried"]) == (wrong, wrong + right)
            assert row["share"] == (wrong / row["tried"] if row["tried"] else None)
            assert row["reason"] == (None if row["tried"] else NOT_TRIED)
        elif by:
            assert row["share"] == row["cases"] / size


@pytest.mark.parametrize("column", ["pattern", "steps", "subset", "benchmark", "two.outcome", "tags"])
def test_groups_add_up_to_the_cases_of_their_category(space, column):
    whole = taxonomy_view(load(space)).rows
    rows = taxonomy_view(load(Query(workspace=space.workspace, by=(column,)))).rows
    sums = rows.group_by("category").agg(pl.col("cases").sum(), pl.col("share").sum())
    for category, cases, share in sums.iter_rows():
        of = whole.filter(pl.col("category").eq_missing(pl.lit(category, pl.String)))
        assert (cases, share) == (of["cases"].item(), pytest.approx(1))


def test_notes_add_up(space):
    whole = taxonomy_view(load(space)).rows
    assert whole["notes"].sum() == taxonomy_view(load(space), "notes").rows.height
    assert whole["share"].sum() == pytest.approx(1)
    assert (
        taxonomy_view(load(space), "saturation").rows.height
        == whole.filter(pl.col("category").is_not_null())["notes"].sum()
    )


@pytest.mark.parametrize("benchmark", ["socratic", "bench"])
def test_counts_for_a_screen_are_those_of_the_command(space, benchmark):
    results = load(Query(workspace=space.workspace, benchmarks=(benchmark,), by=(BY_SCORER,)))
    rows, unparsed = taxonomy_view(results).rows, results.unparsed(benchmark)
    for category in ("signs", "units", "premise", ""):
        cases = gathered_notes(results).rows_of(category)
        counts = {one.scorer.name: judged(one, cases, unparsed) for one in results.evaluations}
        of = rows.filter(pl.col("category").eq_missing(pl.lit(category or None, pl.String)))
        assert counts == {row["scorer"]: (row["tried"], row["wrong"]) for row in of.rows(named=True)}


def test_conditions_choose_the_notes(noted):
    document = taxonomy_view(selected(noted, where=("\"prm.outcome\" <> 'exact'",)))
    assert document.rows.select("category", "notes").rows() == [("signs", 2), ("units", 1), (None, 1)]
    assert "threshold" in document.provenance


def test_notes_on_cases_that_are_gone_are_kept_and_counted(noted):
    write(journal(noted, "ann"), "gone/1", "where is it", "units")
    whole = taxonomy_view(selected(noted))
    assert whole.rows.filter(category="units")["notes"].item() == 2
    assert "1 note is on cases that are in no benchmark any more" in whole.provenance["notes"]
    listed = taxonomy_view(selected(noted), "notes").rows.filter(case="gone/1").row(0, named=True)
    assert (listed["benchmark"], listed["note"], listed["wrong"]) == (None, "where is it", [])
    counts = taxonomy_view(selected(noted, by=("subset",))).rows
    assert counts.filter(category="units")["cases"].sum() == 1
    part = taxonomy_view(selected(noted, benchmarks=("bench",)))
    assert part.rows.filter(category="units")["notes"].item() == 1
    assert "1 note on cases of no benchmark looked at is left out" in part.provenance["notes"]


def test_no_notes_is_no_error(root, capsys):
    assert main(["taxonomy", "-w", str(root), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["rows"] == []
    assert "Nobody has noted anything on these cases" in err
    for view in ("--notes", "--saturation", "--by=scorer"):
        assert main(["taxonomy", "-w", str(root), view]) == 0
        assert capsys.readouterr().err == f"{NOBODY}\n"


def test_without_scorers_categories_are_there_and_none_is_wrong(tmp_path):
    making.workspace(tmp_path, [Case(1, -1)] * 2, [])
    write(journal(tmp_path, "ann"), "bench/c0", "x", "odd")
    assert taxonomy_view(selected(tmp_path)).rows["category"].to_list() == ["odd"]
    assert taxonomy_view(selected(tmp_path), "notes").rows["wrong"].to_list() == [[]]
    counts = taxonomy_view(selected(tmp_path, by=(BY_SCORER,)))
    assert counts.rows.is_empty()
    assert counts.empty == UNCOUNTED


def test_notes_in_no_category_tell_of_no_saturation(root):
    write(journal(root, "ann"), CASES[0], "x")
    view = taxonomy_view(selected(root), "saturation")
    assert (view.rows.height, view.empty) == (0, "No note is in a category yet, of 1.")


# -- changing


def test_merging_moves_ones_own_notes_and_says_whose_stay(noted, capsys):
    assert main(["taxonomy", "-w", str(noted), "--merge", "signs", "units"]) == 0
    out, err = capsys.readouterr()
    assert "2 notes put into units; 1 note of bob stays in signs: a category is its author's word. u in the app" in err
    assert "units" in out
    assert journal(noted, "ann").triage.categories[CASES[5]] == {"ann": "units", "bob": "signs"}
    again = journal(noted, "ann", Author.me().machine)
    again.undo()
    assert again.triage.categories[CASES[5]] == {"ann": "signs", "bob": "signs"}
    assert again.triage.categories[CASES[2]] == {"ann": "signs"}


def test_renaming_gives_a_name_that_nobody_has(noted, capsys):
    assert main(["taxonomy", "-w", str(noted), "--rename", "unit", "  wrong   units "]) == 0
    assert journal(noted, "ann").triage.categories[CASES[1]] == {"ann": "wrong units"}
    assert main(["taxonomy", "-w", str(noted), "--rename", "wrong units", "signs"]) == 2
    assert "there is a category signs already. Merge the two" in capsys.readouterr().err
    assert main(["taxonomy", "-w", str(noted), "--rename", "signs", " \u200b"]) == 2
    assert "a category needs a name" in capsys.readouterr().err


def test_putting_takes_a_choice_of_cases(noted, capsys):
    where = ("-w", str(noted), "--where", "note LIKE '%sign%'")
    found = rows_of(capsys, *where, "--put", "minus")
    assert [(row["category"], row["notes"]) for row in found["rows"]] == [("minus", 1)]
    assert "--put" not in found["provenance"]["command"]
    assert main(["taxonomy", *where, "--put", "minus"]) == 0
    assert "They are in minus already." in capsys.readouterr().err
    assert main(["taxonomy", *where, "--put", ""]) == 0
    assert CASES[2] not in journal(noted, "ann").triage.categories
    assert main(["taxonomy", "-w", str(noted), "--put", "minus"]) == 2
    assert "--put would put all of your notes there. Say which" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--merge", "nothing", "units"), "no category matches 'nothing'. There are: signs, units."),
        (("--merge", "signs", "new"), "no category matches 'new'"),
        (("--merge", "units", "units"), "units cannot be merged into itself"),
        (("--put", "x", "--where", "note LIKE 'nobody%'"), "none of these notes is ann's"),
        (("--merge", "signs", "units", "--who", "bob"), "--who shows one person's notes"),
        (("--by", "pattern", "--notes"), "--by groups categories, and --notes lists notes"),
        (("--by", "nothing"), "there is no column 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(noted, capsys, words, said):
    before = (noted / "triage" / "ann-gpu.jsonl").read_bytes()
    assert main(["taxonomy", "-w", str(noted), *words]) == 2
    err = capsys.readouterr().err
    assert said in sentence_of(err)
    assert list((noted / "triage").glob("ann*")) == [noted / "triage" / "ann-gpu.jsonl"]
    assert (noted / "triage" / "ann-gpu.jsonl").read_bytes() == before


def test_who_wrote_nothing_can_change_nothing(noted, monkeypatch, capsys):
    monkeypatch.setenv("PRM_INSPECT_USER", "cy")
    assert main(["taxonomy", "-w", str(noted), "--merge", "signs", "units"]) == 2
    assert "none of these notes is cy's, and a category is its author's word" in capsys.readouterr().err


def test_without_a_workspace_nobody_has_noted_anything_on_the_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["taxonomy", "--benchmark", "demo"]) == 0
    assert "Nobody has noted anything on these cases" in capsys.readouterr().err


def test_names_are_made_harmless_and_found_by_what_they_look_like(noted):
    assert category_name(" a\tb\x1b[31m \u202ec ") == "a b␛[31m �c"
    hostile = "si\u202egns"
    assert typed_category("si�gns", [hostile]) == hostile
    assert typed_category("signs", [hostile]) == "signs"
    assert typed_category("x", ["\u200b"]) == "x"
    found = gathered_notes(selected(noted))
    assert rename(found, "ann", "units", "units").changes == []
    assert put(found.notes, "bob", "signs").changes == []
    with pytest.raises(UsageError):
        merge(found, "bob", "units", "signs")


@pytest.mark.parametrize(("form", "view"), together([*FORMS, "html"], ["", "--notes", "--saturation", "--by=scorer"]))
def test_every_view_in_every_form(noted, capsys, form, view):
    words = [word for word in ("taxonomy", "-w", str(noted), view, f"--{form}") if word]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "signs" in out
    assert err == ""
    if form == "csv":
        assert len({len(row) for row in csv.reader(io.StringIO(out))}) == 1


def test_people_see_a_line_a_category(noted, capsys):
    view = taxonomy_view(selected(noted))
    assert [[*line.values()][:4] for line in table_of(view)] == [
        ["signs", "3", "2", "75.0"],
        ["units", "1", "1", "25.0"],
        ["(in none)", "1", "1", "–"],
    ]
    assert table_of(view)[0]["first note"] == "dropped a minus"
    assert any(line.startswith("Saturation: too few to speak of saturation") for line in lines_of(view))
    assert main(["taxonomy", "-w", str(noted)]) == 0
    assert "(in none)" in capsys.readouterr().out
    by_scorer = table_of(taxonomy_view(selected(noted, by=(BY_SCORER,))))
    assert [(line["category"], line["wrong"], line["of"], line["wrong, in percent"]) for line in by_scorer] == [
        ("signs", "1", "2", "50.0 ~"),
        ("units", "1", "1", "100.0 ~"),
        ("(in none)", "1", "1", "100.0 ~"),
    ]


@pytest.mark.parametrize("by", [(), (BY_SCORER,), ("pattern",), ("pattern", BY_SCORER), ("one.outcome",)])
def test_every_number_opens_its_cases(space, by):
    results = load(Query(workspace=space.workspace, by=by))
    links = list(taxonomy_view(results).links())
    assert len(links) > 3
    for link in links:
        assert results.evaluated.passing(link.where).sum() == link.n > 0


def test_every_note_opens_its_case_but_for_those_that_are_gone(noted):
    write(journal(noted, "ann"), "gone/1", "where is it", "units")
    results = selected(noted)
    for page in ("notes", "saturation"):
        view = taxonomy_view(results, page)
        links = list(view.links())
        assert len(links) == view.rows.height - 1
        assert all(results.evaluated.passing(link.where).sum() == link.n == 1 for link in links)
    units = next(line for line in table_of(taxonomy_view(results)) if line["category"] == "units")
    assert (units["notes"], units["cases"]) == ("2", "1 and 1 gone")
