"""The outputs of a head in words."""

import pytest

from scoring.data.readout import Linear, Readout, Vocabulary, one_layer, two_layers
from scoring.runs.head_outputs import outputs_of

TEXTS = {3: " +", 4: " -"}.get


@pytest.mark.parametrize(
    ("readout", "names", "labels", "head", "reward"),
    [
        (Readout(two_layers(8)), ("no", "yes"), ("no", "yes"), "score.0, ReLU, score.2: 2 outputs", "P(yes)"),
        (Readout(two_layers(8)), (), ("score.2[0]", "score.2[1]"), "score.0, ReLU, score.2: 2 outputs",
         "P(score.2[1])"),
        (Readout(one_layer(8), reward=(-1.0, 1.0)), ("w", "r"), ("w", "r"), "score: 2 outputs", "-P(w) + P(r)"),
        (Readout((Linear("v", 8, 1),), "sigmoid", (1.0,)), (), ("v",), "v: 1 output", "sigmoid(v)"),
        (Readout((Linear("v", 8, 1),), "sigmoid", (-1.0,), offset=1.0), (), ("v",), "v: 1 output", "1 - sigmoid(v)"),
        (Readout((Linear("v", 8, 1),), "none", (0.5,)), (), ("v",), "v: 1 output", "0.5 logit of v"),
        (Readout(Vocabulary((3, 4), 8), reward=(1.0, 0.0)), (), ("'+'", "'-'"),
         "rows '+' (3), '-' (4) of lm_head.weight", "P('+')"),
        (Readout(Vocabulary((3,), 8, whole=True), reward=(1.0, 0.0)), (), ("'+'", "all others"),
         "row '+' (3) of lm_head.weight, as log-probabilities among all tokens", "P('+')"),
        (Readout(Vocabulary((), 8, tiled=2), "sigmoid", (1.0,)), (), ("mean of all rows",),
         "all rows of lm_head.weight", "sigmoid(mean of all rows)"),
        (Readout((Linear("h", 8, 3),), reward=(0.0, 0.0, 0.0)), (), ("h[0]", "h[1]", "h[2]"), "h: 3 outputs", "0"),
    ],
)  # fmt: skip
def test_a_head_in_words(readout, names, labels, head, reward):
    found = outputs_of(readout, TEXTS, names)
    assert (found.labels, found.head, found.reward, found.redundancy) == (labels, head, reward, "")
    assert found.transform == ("" if readout.transform == "none" else readout.transform)


def test_redundancy_has_a_formula_of_its_own():
    readout = Readout((Linear("h", 8, 3),), reward=(0.0, 1.0, 1.0), redundancy=(0.0, 1.0, 0.0))
    found = outputs_of(readout, TEXTS, ("wrong", "neutral", "right"))
    assert (found.reward, found.redundancy) == ("P(neutral) + P(right)", "P(neutral)")
