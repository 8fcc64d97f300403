"""Cases and what scorers gave them, for tests of the rows that other programs read."""

from hypothesis import strategies as st

from scoring.data.schema import CASES
from scoring.evaluation.reward_exports import RewardSource, ScorerOutput
from scoring.evaluation.verdicts import Rule

HOSTILE = (
    "",
    " ",
    "\x00",
    "\x1b[2J\x1b]0;x\x07",
    "\u202e\u2066",
    "\u2028\u2029\x85\x0b\x0c\x1c",
    "\r\n",
    "\r",
    "\\n",
    "\U0001d54f\U0001f468\u200d\U0001f469",
    "<extra_0>",
    " ки",
    "<|im_end|>",
    "[red]x[/]",
    "\\[ \\boxed{1} \\]",
    '"}\n{"id": "x"}',
    "\ufeff",
    "\ufffd",
)


def case(**changes):
    """One row of a cases frame: three steps, of which the second is wrong and nothing is known of the third."""
    sound = {
        "case": "bench/sums-4",
        "key": "00",
        "benchmark": "bench",
        "id": "sums-4",
        "subset": "sums",
        "generator": "a-model",
        "n_steps": 3,
        "earliest_error": 1,
        "final_answer_correct": False,
        "problem": "What is 4 + 1?",
        "steps": ["Take 4.", "Add 2.", "So 6."],
    }
    return {**dict.fromkeys(CASES), **sound, **changes}


def labelled(**changes):
    """The same with a label for every step, an error type and an original."""
    known = {
        "id": "slip_sums-4",
        "subset": "slip",
        "error_steps": [1, 2],
        "error_type": "slip",
        "reason": "4 + 1 is no 6.",
        "original_problem": "What is 4 + 1?",
        "original_steps": ["Take 4.", "Add 1.", "So 5."],
        "modified_steps": [1, 2],
        "question": "4 + 1 = ?",
    }
    return case(**{**known, **changes})


def decided(threshold=0.5, comparison="<", scorer="a-prm", **more):
    return RewardSource(scorer, Rule(threshold, comparison, "chosen"), **more)


def given(*rewards, **more):
    return ScorerOutput(list(rewards) or None, **more)


def texts():
    """Texts that a file may really hold: anything but half characters, and often what is hard to keep."""
    # A lone surrogate is not text; importers replace it.
    plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    hostile = st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3).map("".join)
    return st.one_of(plain, hostile, st.tuples(plain, hostile).map("".join))
