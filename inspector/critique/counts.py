"""A critic's kept answers counted: how many came, and how many of these could not be read, by kind."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl
from msgspec import Struct, field

from inspector.selection import Selection
from inspector.sentences import counted
from scoring.cache import VoteParts, rows_about
from scoring.critics.parsing import fault_of
from scoring.plan import FAILED, REFUSED

OTHER = "for other reasons"
_READ = ("key", "case", "vote", "run", "ballot", "verdict", "rewards", "reason")


class AnswerCounts(Struct, frozen=True):
    """A critic's answers, votes and runs one by one.

    `answers` came and `lacking` did not. By the kind of their fault, the most frequent first: `unparsed` are those that
    came and say nothing, `misfit` those whose numbers do not fit the steps, so that only their signs count.
    """

    answers: int = 0
    lacking: int = 0
    unparsed: Mapping[str, int] = field(default_factory=dict)
    misfit: Mapping[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """What there is to say of them; "" where all came and could be read."""
        told, answers = [], counted(self.answers, "answer")
        if self.unparsed:
            told.append(f"{sum(self.unparsed.values()):,} of {answers} unparsed: {listed(self.unparsed)}")
        if self.misfit:
            count = sum(self.misfit.values())
            fitting = f"{count:,} of {answers} {'does' if count == 1 else 'do'} not fit the steps"
            told.append(f"{fitting} ({listed(self.misfit)}): official figures of steps count their signs")
        return "; ".join([*told, *([f"{counted(self.lacking, 'answer')} did not come"] if self.lacking else [])])


def listed(kinds: Mapping[str, int]) -> str:
    """Kinds of faults in words: `7 no box, 5 cut at the token limit`."""
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())


def answer_counts(folder: Path, cases: pl.DataFrame) -> AnswerCounts:
    """The answers in a critic's folder to these cases (columns `case` and `key`)."""
    return counts_of(rows_about(cases, VoteParts(folder).read(_READ)[0]))


def counts_of(here: pl.DataFrame) -> AnswerCounts:
    """The same of these answers, one a row (columns `verdict`, `rewards` and `reason`)."""
    reasons = here["reason"].fill_null("")
    silent = reasons.str.starts_with(FAILED) | reasons.str.starts_with(REFUSED)
    rated = here["rewards"].is_not_null()
    unparsed = _kinds(here.filter(~silent & here["verdict"].is_null() & ~rated))
    return AnswerCounts(
        here.height - int(silent.sum()), int(silent.sum()), unparsed, _kinds(here.filter(rated & (reasons != "")))
    )


def _kinds(rows: pl.DataFrame) -> dict[str, int]:
    return dict(Counter(str(fault_of(reason or "") or OTHER) for reason in rows["reason"]).most_common())


def unparsed_notes(selection: Selection) -> Iterator[str]:
    """A sentence for every chosen critic some of whose answers to the shown cases could not be read or did not come."""
    shown = selection.cases.filter(pl.Series(selection.mask))
    for one in selection.chosen_evaluations:
        if one.scorer.kind == "critic" and one.scorer.name in selection.folders:
            words = answer_counts(selection.folders[one.scorer.name], shown).words
            if words:
                yield f"{one.scorer.name}: {words}"
