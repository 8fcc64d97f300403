import numpy as np
import pytest

import making
from inspector.render.texts.sentences import GLYPHS, WORDS, outcome_sentence, steps_word
from reference import Case
from scoring.evaluation.verdicts import OUTCOMES


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        (
            Case(7, 1, (0.9, 0.81, 0.9, 0.9, 0.9, 0.9, 0.1)),
            "predicted step 6, gold step 1: five steps late (reward 0.81 at the gold step)",
        ),
        (Case(3, 1, (0.9, 0.2, 0.9)), "predicted step 1, gold step 1: exactly right (reward 0.20 at the gold step)"),
        (Case(3, 1, (0.2, 0.6, 0.9)), "predicted step 0, gold step 1: one step early (reward 0.60 at the gold step)"),
        (Case(3, 2, (0.2, 0.6, 0.9)), "predicted step 0, gold step 2: two steps early (reward 0.90 at the gold step)"),
        (Case(2, 0, (0.9, 0.9)), "predicted no error, gold step 0: missed (reward 0.90 at the gold step)"),
        (Case(2, -1, (0.9, 0.7)), "predicted no error, and there is none: clean"),
        (Case(2, -1, (0.9, 0.3)), "predicted step 1, gold no error: false alarm (lowest reward 0.30)"),
        (Case(2, None, (0.9, 0.3)), "predicted step 1; the gold labels name no step"),
        (Case(2, 4, (0.9, 0.3)), "predicted step 1; gold step 4 is beyond the last step"),
        (Case(2, 2, (0.9, 0.9)), "predicted no error; gold step 2 is beyond the last step"),
        (Case(2, 0, refused="over length"), "refused: over length"),
        (Case(2, 0, (0.1,)), "refused: 1 rewards for 2 steps"),
        (Case(2, 0), "not scored yet"),
    ],
)
def test_one_sentence_says_what_happened(case, sentence):
    assert outcome_sentence(making.evaluation([case]), 0) == sentence


def test_every_outcome_has_a_word_and_a_glyph_of_its_own():
    assert list(GLYPHS) == list(WORDS) == list(OUTCOMES)
    assert len(set(GLYPHS.values())) == len(OUTCOMES)
    assert all(len(glyph) == 1 and glyph.isascii() for glyph in GLYPHS.values())
    assert WORDS["false_alarm"] == "false alarm"


@pytest.mark.parametrize(
    ("count", "words"), [(1, "one step"), (2, "two steps"), (12, "twelve steps"), (13, "13 steps"), (0, "no steps")]
)
def test_counts_in_words(count, words):
    assert steps_word(count) == words


def test_a_dev_case_is_said_to_be_left_out():
    found = making.evaluation([Case(1, 0, (0.1,))]).without(np.array([True]))
    assert outcome_sentence(found, 0) == "left out of the report: the threshold of scorer was tuned on this case"
