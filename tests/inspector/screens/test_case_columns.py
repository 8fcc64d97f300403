import making
from inspector.render.charts.glyphs import Glyphs
from inspector.screens.case_columns import SHOWN_LABELS, case_columns, empty_keys, usual_keys
from inspector.screens.facet_groups import facet_groups
from inspector.state.case_list.listed import arranged
from inspector.state.filtering.facets import FACETS, TITLES
from inspector.state.filtering.filter_words import filter_words
from inspector.state.opening import inspect
from reference import Case
from scoring.evaluation.triage_columns import SAID as TRIAGE
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.filters import Facet, Filter

CASES = [Case(1, -1)] * 3
NEW = {
    "error_category": ["slips", "gaps", None],
    "origin": ["a book", "a book", "a test"],
    "language": ["en", "zh", "en"],
    "subset_group": ["science", "logic", "logic"],
}


def start(root, **columns):
    making.workspace(root, CASES, [], **columns)
    return inspect(load(Query(workspace=str(root))))


def test_labels_that_tell_cases_apart_have_columns_and_facets(tmp_path):
    now = start(tmp_path, **NEW)
    names = [column.name for column in case_columns(now, Glyphs())]
    assert names == ["id", "n_steps", "earliest_error", "error_category", "subset_group", "origin", "language"]
    groups = {group.title: [value.label for value in group.values] for group in facet_groups(now)}
    assert groups == {
        "group of subsets": ["logic", "science"],
        "error category": ["gaps", "slips", "(none)"],
        "taken from": ["a book", "a test"],
        "language": ["en", "zh"],
    }
    some = now.selected(chosen=Filter((Facet("language", ("zh",)),)))
    assert (some.shown.tolist(), filter_words(some)) == ([1], "filter language = zh")


def test_labels_that_are_all_alike_have_none(tmp_path):
    now = start(tmp_path, language=["en"] * 3, generator=["m"] * 3)
    assert [column.name for column in case_columns(now, Glyphs())] == ["id", "n_steps", "earliest_error"]
    assert facet_groups(now) == []


def test_a_column_without_any_value_among_the_rows_listed_is_hidden_unless_it_was_chosen(tmp_path):
    cases = [Case(2, 0, (0.2, 0.9)), Case(2, 1, (0.9, 0.1)), Case(2, -1, (0.9, 0.9))]
    making.workspace(tmp_path, cases, [(making.scorer("m"), cases)], origin=["a", "b", ""])
    now = inspect(load(Query(workspace=str(tmp_path))))
    assert empty_keys(now) == ()
    clean = now.selected(chosen=Filter(where=("earliest_error = -1",)))
    assert empty_keys(clean) == ("reward_at_gold", "origin")
    names = [key for key in usual_keys(clean) if key not in empty_keys(clean)]
    assert [column.name for column in case_columns(clean, Glyphs(), names)] == names
    chosen = arranged(clean, ("id", "origin"))
    assert [column.name for column in case_columns(chosen, Glyphs())] == ["id", "origin"]
    assert empty_keys(now.selected(chosen=Filter(where=("n_steps > 9",)))) == ()


def test_labels_are_shortened_by_what_they_share_and_as_wide_as_they_are_at_most(tmp_path):
    names = ["writers-large-chat", "writers-large-base", "writers-tiny"]
    column = case_columns(start(tmp_path, generator=names), Glyphs())[-1]
    assert (column.title, column.width, column.most) == ("generator", 14, 18)
    texts = ["".join(text for text, _ in column.parts(name, 10, right=False, null="-")).strip() for name in names]
    assert texts == ["large-chat", "large-base", "tiny"]


def test_no_more_labels_than_there_is_room_for(tmp_path):
    now = start(tmp_path, **NEW, generator=["a", "b", "c"], error_type=["x", "y", None])
    columns = [column.name for column in case_columns(now, Glyphs())]
    assert columns[3:] == ["error_type", "generator", "error_category", "subset_group"]
    assert len(columns[3:]) == SHOWN_LABELS


def test_every_facet_has_a_title():
    assert TITLES.keys() - {"benchmark", "n_steps", "adjudication", *TRIAGE} == set(FACETS)


def test_what_another_facet_says_of_every_case_comes_once(tmp_path):
    alike = {"subset": ["circular", "deception", "deception"], "error_type": ["circular", "deception", "deception"]}
    now = start(tmp_path / "alike", **alike)
    assert [group.title for group in facet_groups(now)] == ["subset"]
    # A link may have put it into the filter.
    kept = now.selected(chosen=Filter((Facet("error_type", ("circular",)),)))
    assert [group.title for group in facet_groups(kept)] == ["subset", "error type"]
    other = start(tmp_path / "other", **alike | {"error_type": ["circular", "deception", None]})
    assert [group.title for group in facet_groups(other)] == ["subset", "error type"]
