"""Checks on what an import is about to believe: of cases, labels, rewards and answers, each against the data.

A name or a shape says how a column is probably meant; the data say whether that can be so. A check that fails is a
warning that names the flag for the other reading; a contradiction is refused.
"""

import re
from collections.abc import Collection, Iterator, Mapping

import polars as pl

from scoring.reading.findings import Finding

_FEW, _MOST, _FAR_BETTER = 5, 0.9, 3
"""How many labels show that a file counts from another base, and by how much they must be the others' better."""
_ENOUGH = 20
"""Erroneous cases that show which way rewards go."""


def gold_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Describe what differs between the gold labels that a file repeats and those of the cases.

    Args:
        source: the file.
        rows: columns `key`, `gold`, `earliest_error`, `line`, `id`; a case with several answers counts once.
    """
    both = rows.filter(pl.col("gold").is_not_null() & pl.col("earliest_error").is_not_null())
    both = both.unique(["key", "gold", "earliest_error"], keep="first", maintain_order=True)
    differing = both.filter(pl.col("gold") != pl.col("earliest_error"))
    if differing.is_empty():
        return
    erroneous = both.filter((pl.col("earliest_error") >= 0) & (pl.col("gold") >= -1))
    off = erroneous["gold"] - erroneous["earliest_error"]
    for shift, way in ((1, "higher"), (-1, "lower")):
        if (count := int((off == shift).sum())) >= max(_FEW, _MOST * off.len()):
            message = (
                f"{count:,} of {off.len():,} gold error steps of the file are one {way} than the benchmark's: "
                "one of the two counts from another base"
            )
            yield Finding("warning", "gold-shifted", message, source)
            return
    first = differing.row(0, named=True)
    here = f"here {first['gold']} and not {first['earliest_error']}, 0-based"
    message = f"{differing.height:,} gold labels of the file are not the benchmark's, {here}"
    yield Finding("warning", "gold-differs", message, source, first["line"], first["id"])


def verdict_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn where the verdicts fit the gold labels far better when they are all moved by one step.

    Args:
        source: the file.
        rows: columns `key`, `verdict`, `earliest_error`; equal answers to one case count once.
    """
    # Only verdicts that name a step: one below a gold step of 0 is "no error", which is no sign of a shift.
    named = rows.filter((pl.col("verdict") >= 0) & (pl.col("earliest_error") >= 0)).unique(
        ["key", "verdict", "earliest_error"]
    )
    off = named["verdict"] - named["earliest_error"]
    equal = int((off == 0).sum())
    for shift, way in ((1, "higher"), (-1, "lower")):
        count = int((off == shift).sum())
        if count >= _FEW and count > _FAR_BETTER * equal:
            message = (
                f"{count:,} verdicts are one {way} than the gold error and {equal:,} equal it: "
                "they may count from another base"
            )
            yield Finding("warning", "verdicts-shifted", message, source)


# -- rewards


_WORSE = (
    "err errs error errors erroneous wrong wrongness incorrect incorrectness mistake mistakes mistaken fault faults "
    "faulty fail fails failed failure failures flaw flaws flawed bad badness invalid unsound loss losses nll ppl "
    "perplexity perplexities entropy entropies risk risks uncertain uncertainty uncertainties hallucination "
    "hallucinations hallucinated surprisal surprisals surprise cost costs penalty penalties contradiction "
    "contradictions contradictory misstep missteps anomaly anomalous doubt false falsehood unfaithful unfaithfulness"
)
"""Words in the name of a column whose higher values mean worse."""
_NEGATIONS = "no non not without zero minus neg negative negated inverse inverted reversed anti low"
"""Words that turn the next word round: `no_error`, `neg_loss`."""
_NEGATED = (
    "free less proof detection detections detector detecting correction corrected corrector correcting aware awareness "
    "localization localisation identification recovery robust robustness avoidance avoided averse tolerance tolerant"
)
"""Words that turn the previous word round or name its finding: `error_free`, `error_detection_reward`."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_LIKELIHOOD = re.compile(r"negative[\W_]*log[\W_]*likelihoods?", re.IGNORECASE)
_WORSE_WORD = re.compile(
    rf"(?:p|pr|prob|is|step)?(?:{_WORSE.replace(' ', '|')})s?"
    r"(?:prob|probs|probability|probabilities|score|scores|rate|rates)?"
)
"""Such a word, also in one with the words around it: `pwrong`, `errorprob`."""


def implies_worse(column: str) -> bool:
    """Return whether the name of a column, or a path to it, says that its higher values mean worse."""
    if re.match(r"1\s*[-\u2212]", column):
        return False
    words = [word.lower() for word in _WORD.findall(_LIKELIHOOD.sub("nll", column))]
    negations, negated = _NEGATIONS.split(), _NEGATED.split()
    for place, word in enumerate(words):
        if not _WORSE_WORD.fullmatch(word):
            continue
        before, after = words[place - 1] if place else "", words[place + 1] if place + 1 < len(words) else ""
        if before not in negations and after not in negated:
            return True
    return False


def named_direction_findings(
    source: str, rewards: Mapping[str, str], higher_is: str | None, guessed: Collection[str] = ()
) -> Iterator[Finding]:
    """Warn where the name of a column of rewards contradicts how it is read, and nobody stated that it is meant so.

    Args:
        source: the file.
        rewards: scorer -> column.
        higher_is: what a person said that a higher value means, for all columns.
        guessed: columns that nobody named; these are refused elsewhere.
    """
    worse = [column for column in rewards.values() if implies_worse(column) and column not in guessed]
    if higher_is is None:
        for column in worse:
            message = (
                f"the name of the column {column!r} says that a higher value means worse, and it was read the other "
                "way; --higher-is worse reads each reward as 1 - value, --higher-is better confirms this reading"
            )
            yield Finding("warning", "reward-direction", message, source)
    elif higher_is == "worse" and worse:
        for column in (column for column in rewards.values() if not implies_worse(column)):
            message = (
                f"--higher-is worse applies to all columns of rewards, {column!r} too; its name does not say that a "
                "higher value means worse. Import columns of different direction one by one"
            )
            yield Finding("warning", "reward-direction", message, source)


def reward_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn where rewards rise at the gold error far more often than they fall there.

    Args:
        source: the file.
        rows: columns `rewards`, `n_steps` and `earliest_error`.
    """
    first, rewards = pl.col("earliest_error"), pl.col("rewards")
    whole = rows.filter((first > 0) & (rewards.list.len() == pl.col("n_steps")) & (first < pl.col("n_steps")))
    change = whole.select(rewards.list.get(first) - rewards.list.head(first).list.mean()).to_series()
    rise, fall = int((change > 0).sum()), int((change < 0).sum())
    if rise + fall >= _ENOUGH and rise > _FAR_BETTER * fall:
        message = (
            f"rewards are higher at the gold error than before it in {rise:,} of {rise + fall:,} erroneous cases: "
            "they may say how likely a step is wrong; the file has to hold 1 less that"
        )
        yield Finding("warning", "rewards-reversed", message, source)
