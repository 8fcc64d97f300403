import pytest

from inspector.tag_words import batch_words, changes, completed, typed_tags
from scoring.triage.actions import NOTE, TAG, UNTAG, Action
from scoring.triage.said import Triage


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
