"""A critic's answers to a case as they were kept, and how many came of all that were asked for."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
from msgspec import Struct, field
from msgspec.structs import asdict

from inspector.render.texts.sentences import counted
from scoring.data.readout import FAILED
from scoring.data.schema import VOTES
from scoring.data.scorer import Scorer
from scoring.formats.reading.critic_answers import fault_of
from scoring.runs.generative.generative_catalogue import is_talk
from scoring.runs.plan import REFUSED
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import VoteParts
from scoring.workspace.rows_of_cases import rows_about

LISTED = ("run", "vote", "ballot", "verdict", "rewards", "redundancy", "reason", "finish_reason",
          "tokens_in", "tokens_out", "seed", "reader")  # fmt: skip
"""What is told of an answer beside its texts, by column of VOTES."""
TEXTS = ("answer", "reasoning")


def kept_answers(results: ResultSet, scorer: str, row: int) -> pl.DataFrame:
    """Return the answers of a scorer to the case in this row, all runs, as VOTES; no row of one that answers nothing.

    Critics answer, and PRMs that generate.
    """
    folder = results.loaded.folders.get(scorer)
    parts = () if folder is None else tuple(path.name for path in VoteParts(folder).parts())
    if folder is None or not parts:
        return pl.DataFrame(schema=VOTES)
    keyed = results.loaded.keyed(results.evaluation(scorer).scorer)
    return _read(folder, keyed["key"][row], keyed["case"][row], parts)


@lru_cache(maxsize=16)
def _read(folder: Path, key: str, case: str, _parts: tuple[str, ...]) -> pl.DataFrame:
    """Read once while the parts are the same: a screen asks again with every key."""
    return VoteParts(folder).answers(key, case)


def reading_words(answer: Mapping[str, Any]) -> str:
    """Return what one answer was read as, or why it was not."""
    reason, verdict = answer["reason"], answer["verdict"]
    if answer["answer"] is None:
        return str(reason or "no answer is kept")
    if answer["rewards"] is not None:
        rated = f"rates {counted(len(answer['rewards']), 'step')}"
        return f"{rated}: {reason}" if reason else rated
    if verdict is None:
        return f"unparsed: {reason}" if reason else "unparsed"
    return {-1: "no error", -2: "names no step"}.get(verdict, f"step {verdict}")


def measures(answer: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> str:
    """Return how long an answer is and how it ended, in words; "" where that is not known.

    A server that answers several times at once tells the tokens of all together, on the first: those are of none.
    """
    mates = [vote for vote in answers if vote["run"] == answer["run"] and vote["finish_reason"] is not None]
    alone = all(vote["tokens_out"] is not None for vote in mates)
    parts = [counted(answer["tokens_out"], "token")] if answer["tokens_out"] and alone else []
    end = answer["finish_reason"]
    return ", ".join([*parts, *([f"ended: {end}"] if end and end != "stop" else [])])


def described(answers: pl.DataFrame, scorer: Scorer, *, texts: bool) -> list[dict[str, Any]]:
    """Return the answers as objects for a document, with texts where asked for; those of a talk also call for call."""
    from inspector.state.answer_blocks import judged_places, told_talk

    names = (*LISTED, *(TEXTS if texts else ()))
    talks = texts and is_talk(scorer)
    documents = []
    for answer in answers.iter_rows(named=True):
        document = {"said": reading_words(answer), **{name: answer[name] for name in names}}
        talk = told_talk(scorer, answer["answer"] or "", judged_places(answer["logprobs"])) if talks else None
        documents.append(document if talk is None else {**document, "talk": [asdict(call) for call in talk]})
    return documents


# -- a critic's kept answers counted: how many came, and how many of these could not be read, by kind


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
        sentences, answers = [], counted(self.answers, "answer")
        if self.unparsed:
            sentences.append(f"{sum(self.unparsed.values()):,} of {answers} unparsed: {listed(self.unparsed)}")
        if self.misfit:
            count = sum(self.misfit.values())
            fitting = f"{count:,} of {answers} {'does' if count == 1 else 'do'} not fit the steps"
            sentences.append(f"{fitting} ({listed(self.misfit)}): official figures of steps count their signs")
        return "; ".join([*sentences, *([f"{counted(self.lacking, 'answer')} did not come"] if self.lacking else [])])


def listed(kinds: Mapping[str, int]) -> str:
    """Return kinds of faults in words: `7 no box, 5 cut at the token limit`."""
    return ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())


def answer_counts(folder: Path, cases: pl.DataFrame) -> AnswerCounts:
    """Count the answers in a critic's folder to these cases (columns `case` and `key`)."""
    return counts_of(rows_about(cases, VoteParts(folder).read(_READ)[0]))


def counts_of(here: pl.DataFrame) -> AnswerCounts:
    """Count these answers, one a row (columns `verdict`, `rewards` and `reason`)."""
    reasons = here["reason"].fill_null("")
    silent = reasons.str.starts_with(FAILED) | reasons.str.starts_with(REFUSED)
    rated = here["rewards"].is_not_null()
    unparsed = _kinds(here.filter(~silent & here["verdict"].is_null() & ~rated))
    return AnswerCounts(
        here.height - int(silent.sum()), int(silent.sum()), unparsed, _kinds(here.filter(rated & (reasons != "")))
    )


def _kinds(rows: pl.DataFrame) -> dict[str, int]:
    return dict(Counter(str(fault_of(reason or "") or OTHER) for reason in rows["reason"]).most_common())


def unparsed_notes(results: ResultSet) -> Iterator[str]:
    """Yield a sentence for every chosen critic some of whose answers to the shown cases were unreadable or missing."""
    mask = pl.Series(results.mask)
    for evaluation in results.chosen_evaluations:
        name = evaluation.scorer.name
        if evaluation.scorer.kind == "critic" and name in results.loaded.folders:
            words = answer_counts(
                results.loaded.folders[name], results.loaded.keyed(evaluation.scorer).filter(mask)
            ).words
            if words:
                yield f"{name}: {words}"
