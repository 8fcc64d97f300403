"""What is told of the program's own families in words: for lists and explanations, and nothing is computed from it.

Cuts and lengths are those of model cards, of the authors' code, and of the toolkits and papers of the benchmarks.
"""

from msgspec import Struct

PRMBENCH, PROCESSBENCH, GRBEN = "PRMBench", "ProcessBench", "GR-Ben"


class FamilySummary(Struct, frozen=True):
    """One family.

    `reads` is what is read and where, in 40 characters. `outputs` is what each output of its head means, in order;
    () where they are tokens. `length` says how long texts were in training or are in published use, in tokens.
    `thresholds` is who cuts where. `bounds` is what is to be known of the range.
    """

    reads: str
    outputs: tuple[str, ...] = ()
    length: str = ""
    thresholds: tuple[tuple[str, str], ...] = ()
    bounds: str = ""


ABOUT: dict[str, FamilySummary] = {
    "qwen": FamilySummary(
        "P(right) at <extra_0> behind each step",
        ("wrong", "right"),
        "4,096 in the config of the 7B",
        (
            ("authors", "none, the model cards print scores alone"),
            (PROCESSBENCH, "wrong iff < 0.5, the model's own class decision"),
            (PRMBENCH, "wrong iff <= 0.5"),
            (GRBEN, "wrong iff < 0.5"),
        ),
    ),
    "rlhflow": FamilySummary(
        "P(+) before each sign in a chat of steps",
        length="8,192 in training",
        thresholds=(
            ("authors", "none, they take the mean over steps"),
            (PROCESSBENCH, "wrong iff the model's one-token answer does not begin with +"),
            (PRMBENCH, "wrong iff <= 0.5, of the share of + in the whole vocabulary"),
        ),
    ),
    "skywork": FamilySummary(
        "P(right) at the newline behind each step",
        ("right",),
        thresholds=(
            ("authors", "none"),
            (PROCESSBENCH, "one cut, tuned for F1 on its GSM8K part and not published: --protocol processbench"),
            (PRMBENCH, "wrong iff the reward falls by 0.05 or more from the step before: --rule 'diff<='"),
        ),
    ),
    "pure": FamilySummary(
        "P(right) - P(wrong) behind each step",
        ("wrong", "right"),
        thresholds=(("authors", "right iff > 0"), (PRMBENCH, "wrong iff <= 0")),
    ),
    "versa": FamilySummary(
        "P(+) at four newlines behind each step",
        length="750 in training, 650 that of its base models",
        thresholds=(("authors", "none, they take the least, mean or last step"), (GRBEN, "tuned on a dev set")),
    ),
    "scan": FamilySummary(
        "P(right) at the blank line behind a step",
        ("right",),
        "8,192 in training",
        (("authors", "0.5 in training"), (PROCESSBENCH, "the authors sweep 0 to 0.95 in steps of 0.05")),
    ),
    "token_classifier": FamilySummary(
        "P(right) at the separator behind a step",
        ("wrong", "right"),
        "1,024 is the trainer's default",
        (("authors", "the likelier label"), (PROCESSBENCH, "the likelier label, in Hugging Face's script")),
    ),
    "math_shepherd": FamilySummary(
        "P(+) at the token ' ки' behind each step",
        thresholds=(
            ("authors", "none, the rewards rerank answers"),
            (PROCESSBENCH, "wrong iff < 0.5, the model's own choice"),
            (PRMBENCH, "wrong iff <= 0.5"),
        ),
    ),
    "llemma": FamilySummary(
        "P(right) at the blank line behind a step",
        thresholds=(("authors", "none"), (PRMBENCH, "wrong iff <= 0.5"), (GRBEN, "tuned on a dev set")),
    ),
    "minos": FamilySummary(
        "the logit at token ' и' behind each step",
        ("right",),
        length="512 in training",
        thresholds=((PRMBENCH, "wrong iff <= 0, the logit's sign"),),
        bounds="a logit has no bounds: this is what is drawn",
    ),
    "reasoneval": FamilySummary(
        "validity and redundancy at a step's end",
        ("wrong", "neutral", "right"),
        thresholds=(
            ("authors", "wrong iff validity <= 0.5"),
            (PRMBENCH, "wrong iff validity <= 0.5, redundant iff redundancy > 0.15"),
        ),
    ),
    "universal": FamilySummary(
        "P(right) of all so far, one pass a step",
        ("right",),
        length="32k by its card",
        thresholds=(("authors", "none, the card prints scores alone"), (GRBEN, "tuned on a dev set")),
    ),
    "implicit": FamilySummary(
        "log-ratio of the tokens to a reference",
        thresholds=(
            ("authors", "wrong iff sigmoid(r) < t, t tuned on each set"),
            (PROCESSBENCH, "t = 0.5005 in the authors' script, as tuned on gsm8k with beta 0.005"),
        ),
        bounds="a log-ratio has no bounds: this is what is drawn",
    ),
    "pathfinder": FamilySummary(
        "P(<+>) of 2 errors, then of the step",
        thresholds=(
            ("authors", "-1 where either error's sign is <->, else P(correct), without a cut"),
            (PROCESSBENCH, "wrong iff either error's sign is <->, in the authors' script"),
            (PRMBENCH, "wrong iff either is < 0.5 among all tokens, in the authors' code"),
        ),
    ),
    "reasonflux": FamilySummary(
        "one number for all so far, a pass a step",
        ("right",),
        length="2,048 in the authors' example",
        thresholds=(("authors", "none"),),
    ),
}
"""Name of the adapter -> what is told of it."""
