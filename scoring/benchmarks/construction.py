"""The rules by which the benchmarks were made, held against the cases: what breaks one deserves a look.

ProcessBench's authors discarded solutions with a wrong final answer in which annotators found no error (paper, section
3); in PRMBench's and Socratic-PRMBench's layout the wrong steps are among those that were modified.
"""

import polars as pl

from scoring.reading.findings import Finding


def broken_rules(cases: pl.DataFrame) -> list[Finding]:
    """A warning for each rule that a case breaks. `cases` has the columns of `scoring.schema.CASES`.

    Null labels break nothing. Steps are named 0-based, as in the frame.
    """
    return [*_wrong_answers_without_error(cases), *_errors_in_unmodified_steps(cases)]


def _wrong_answers_without_error(cases: pl.DataFrame) -> list[Finding]:
    broken = cases.filter(~pl.col("final_answer_correct") & (pl.col("earliest_error") == -1))
    message = "the final answer is wrong, yet no step is labelled wrong"
    return [
        Finding("warning", "wrong-answer-clean", message, source, line, case)
        for source, line, case in broken.select("source", "line", "id").iter_rows()
    ]


def _errors_in_unmodified_steps(cases: pl.DataFrame) -> list[Finding]:
    outside = pl.col("error_steps").list.set_difference("modified_steps").list.sort()
    broken = cases.select("source", "line", "id", outside.alias("steps")).filter(pl.col("steps").list.len() > 0)
    return [
        Finding("warning", "unmodified-error", f"steps {steps} are labelled wrong, not modified", source, line, case)
        for source, line, case, steps in broken.iter_rows()
    ]
