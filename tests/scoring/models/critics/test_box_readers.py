import pytest

from scoring.formats.reading.boxed_answers import read_grben, read_loosely, read_processbench
from scoring.formats.reading.critic_answers import ParseNote, Reading


@pytest.mark.parametrize(
    ("text", "ballot", "verdict", "reason"),
    [
        (r"So \boxed{2}.", "2", 2, None),
        (r"\boxed{-1}", "-1", -1, None),
        # Never converted from 1-based, and what is not there is a verdict all the same.
        (r"\boxed{5}", "5", 5, None),
        (r"\boxed{99}", "99", 99, None),
        (r"\boxed{-7}", "-7", -2, None),
        (r"\boxed{ 03 }", "03", 3, None),
        (r"\boxed{+3}", "+3", 3, None),
        (r"\boxed{0}, no, \boxed{1}", "1", 1, None),
        # These vote, and are no verdict if they win.
        (r"\boxed{}", "", None, "empty box"),
        (r"\boxed{\text{2}}", r"\text{2", None, r"box without a number (\text{2)"),
        (r"\boxed{2.0}", "2.0", None, "box without a number (2.0)"),
        (r"\boxed{paragraph_2}", "paragraph_2", None, "box without a number (paragraph_2)"),
        (r"\boxed{1} or \boxed{none}", "none", None, "box without a number (none)"),
        (r"\boxed {2}", None, None, "no box"),
        (r"\boxed{2", None, None, "no box"),
        ("2", None, None, "no box"),
        ("", None, None, "empty answer"),
        (" \n", None, None, "empty answer"),
        ("<think>hm</think>\n", None, None, "empty answer (reasoning alone)"),
        ("<think>\n</think>\n", None, None, "empty answer"),
        ("<think>hm", None, None, "reasoning never ended"),
    ],
)
def test_processbench(text, ballot, verdict, reason):
    assert read_processbench(text, 4) == Reading(ballot=ballot, verdict=verdict, reason=reason)


@pytest.mark.parametrize(
    ("text", "verdict", "notes"),
    [
        (r"<think>\boxed{1}</think>\boxed{2}", 2, ()),
        (r"<think>\boxed{1}</think>So the second.", 1, (ParseNote.BOX_IN_REASONING,)),
        (r"\boxed{1}</think>", 1, (ParseNote.BOX_IN_REASONING,)),
        (r"<think>maybe \boxed{1}, or", 1, (ParseNote.BOX_IN_OPEN_REASONING,)),
    ],
)
def test_processbench_reads_reasoning_too_and_says_so(text, verdict, notes):
    assert read_processbench(text, 4) == Reading(ballot=str(verdict), verdict=verdict, notes=notes)


@pytest.mark.parametrize(
    ("text", "ballot", "verdict", "reason"),
    [
        (r"So \boxed{2}.", "2", 1, None),
        (r"\boxed {2}", "2", 1, None),
        (r"\boxed{ 03 }", "03", 2, None),
        (r"\boxed{-1}", "-1", -1, None),
        (r"\boxed{0}", "0", -2, None),
        (r"\boxed{-5}", "-5", -2, None),
        (r"\boxed{99}", "99", 98, None),
        # A box that holds no number is passed over.
        (r"\boxed{2} or \boxed{none}", "2", 1, None),
        (r"\boxed{+2}", None, None, "box without a number (+2)"),
        (r"\boxed{2.0}", None, None, "box without a number (2.0)"),
        (r"\boxed{\text{2}}", None, None, r"box without a number (\text{2)"),
        (r"\boxed{}", None, None, "empty box"),
        (rf"\boxed{{{'9' * 5000}}}", None, None, f"box without a number ({'9' * 40}…)"),
        (r"\boxed{2", None, None, "no box"),
        ("2", None, None, "no box"),
        ("", None, None, "empty answer"),
        # The reasoning is not read.
        (r"<think>\boxed{1}</think>\boxed{2}", "2", 1, None),
        (r"<think>\boxed{1}</think>So the second.", None, None, "no box"),
        (r"<think>\boxed{1}</think>", None, None, "empty answer (reasoning alone)"),
        (r"<think>\boxed{1}", None, None, "reasoning never ended"),
    ],
)
def test_grben(text, ballot, verdict, reason):
    assert read_grben(text, 4) == Reading(ballot=ballot, verdict=verdict, reason=reason)


@pytest.mark.parametrize(
    ("box", "number"),
    [
        (r"\text{paragraph 2}", 2),
        ("paragraph_2", 2),
        ("2nd", 2),
        ("-1.", -1),
        # A dash is a minus, whichever of them is written, but not where it joins a number to a word.
        *((f"{dash}1", -1) for dash in "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"),
        ("- 1", -1),
        ("none (\u22121)", -1),
        ("\u7b54\u6848\u662f-1", -1),
        ("paragraph-1", 1),
        ("Step\u20132", 2),
        # Ranges, decimals and large numbers with commas are several numbers, or none.
        ("2-3", None),
        ("2\u20133", None),
        ("1.5", None),
        (".5", None),
        ("1,000", None),
        ("none", None),
    ],
)
def test_loosely_one_whole_number_is_read_whatever_stands_around_it(box, number):
    reason = None if number is not None else f"box without a number ({box})"
    ballot = None if number is None else str(number)
    assert read_loosely(f"So \\boxed{{{box}}}.", 4) == Reading(ballot=ballot, verdict=number, reason=reason)
