import pytest

from inspector.screens.tag_words import batch_words, changes, completed, offered_tags, typed_tags
from scoring.formats.benchmarks.benchmark_registry import taxonomies
from scoring.workspace.triage.actions import NOTE, TAG, UNTAG, Action
from scoring.workspace.triage.history import Triage


@pytest.mark.parametrize(
    ("text", "add", "remove"),
    [
        ("odd", ("odd",), ()),
        (" odd,easy  -new ", ("odd", "easy"), ("new",)),
        ("odd -odd", (), ("odd",)),
        ("-odd odd", ("odd",), ()),
        ("well-known --x", ("well-known",), ("x",)),
        ("- , --", (), ()),
        ("安\tb\x1b[2J", ("安", "b␛[2J"), ()),
    ],
)
def test_words_become_tags(text, add, remove):
    assert typed_tags(text) == (add, remove)


@pytest.mark.parametrize(
    ("text", "whole"),
    [("ge", "geometry"), ("a -ge", "a -geometry"), ("x", None), ("geometry", None), ("a ", None), ("", None)],
)
def test_the_last_word_is_completed(text, whole):
    assert completed(text, ["geometry", "gears"]) == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("unsound", "premise_unsoundness"),
        ("-uns", "-premise_unsoundness"),
        ("pmu", "premise_unsoundness"),
        ("a GEO", "a geometry"),
        ("xyz", None),
    ],
)
def test_a_tag_is_found_by_a_part_of_its_name_or_its_letters(text, whole):
    assert completed(text, ["geometry", "premise_unsoundness"]) == whole


def test_a_digit_stands_for_a_numbered_tag_unless_it_is_one():
    assert typed_tags("2 -1 7 x", ["odd", "easy"]) == (("easy", "7", "x"), ("odd",))
    assert typed_tags("2", ["2", "easy"]) == (("2",), ())


def test_tags_in_use_are_offered_before_error_types_and_none_twice():
    offered = offered_tags(["odd", "Premise-Unsoundness", "b\x1b[2J"], [*taxonomies()["socratic"], "odd"])
    assert offered[:2] == ["odd", "Premise-Unsoundness"]
    assert "premise_unsoundness" not in offered
    assert len(offered) == 2 + 19


def test_types_of_several_words_are_tags_that_can_be_typed_and_what_acts_is_none():
    assert offered_tags(["misread"], ["sign flipped", "\x1b[2J", "misread", "sign, flipped"]) == [
        "misread",
        "sign_flipped",
    ]


def test_only_what_changes_something_is_left():
    triage = Triage({"b/1": ("x",), "b/2": ("x", "y")})
    add, remove = changes(triage, ["b/1", "b/2", "b/3"], ["x", "y"], ["y", "z"])
    assert add == [("x", ["b/3"]), ("y", ["b/1", "b/3"])]
    assert remove == [("y", ["b/2"])]


def test_a_batch_in_words():
    def action(kind, cases, value):
        return Action(1, "ann", "gpu", 1, kind, cases, value, 1, "")

    assert batch_words([action(TAG, ("b/1", "b/2"), "x"), action(UNTAG, ("b/2",), "y")]) == "x, -y on 2 cases"
    assert batch_words([action(NOTE, ("b/1",), "hm")]) == "the note on b/1"
    assert batch_words([action(NOTE, ("b/1",), "")]) == "taking the note away on b/1"
