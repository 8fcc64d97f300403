"""Checks on what an import is about to believe: of cases, labels, rewards and answers, each against the data.

A name or a shape says how a column is probably meant; the data say whether that can be so. A check that fails is a
warning that names the flag for the other reading; a contradiction is refused.
"""

import math
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from msgspec import Struct

from scoring.formats.reading.findings import Finding, some_of

_FEW, _MOST, _FAR_BETTER = 5, 0.9, 3
"""How many labels show that a file counts from another base, and by how much they must be the others' better."""
_SAMPLE, _PER_TOKEN, _ROUNDED, _SEVERAL, _PATHS = 1000, 4, 0.002, 20, 5
"""Rows whose lengths are looked at, numbers per step that are too many, what a sum may be off by, constant rewards that
are no accident, and paths that a refusal lists."""
_ENOUGH, _CHANCE = 50, 0.5
"""Steps of known truth that show which way rewards go, and the AUROC of rewards that say nothing."""
_QUANTILE, _LEAST_FREEDOM = NormalDist().inv_cdf(0.999), 3


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


def better_named(columns: list[str]) -> list[str]:
    """Leave out columns whose names say that higher values mean worse; all of them stay where no other is left."""
    return [column for column in columns if not implies_worse(column)] or columns


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


def length_pattern(rows: pl.DataFrame) -> tuple[str, str] | None:
    """Say in a sentence why most lists of rewards have another length than their cases have steps.

    Args:
        rows: columns `rewards` and `n_steps`.

    Returns:
        What the lists seem to hold, `zeros` (padding), `tokens`, `pairs` or `one-off`, and the sentence; None where no
        pattern explains the lengths.
    """
    held = rows.select("rewards", "n_steps").filter(pl.col("rewards").list.len() > 0).head(_SAMPLE)
    unlike = held.filter((pl.col("rewards").list.len() != pl.col("n_steps")) & (pl.col("n_steps") > 0))
    if unlike.height < _FEW or 2 * unlike.height < held.height:
        return None
    pairs = unlike.rows()
    counts, most = [(len(numbers), steps) for numbers, steps in pairs], _MOST * len(pairs)
    longer = all(count > steps for count, steps in counts) and held["rewards"].list.len().n_unique() == 1
    if longer and not any(any(numbers[steps:]) for numbers, steps in pairs):
        return "zeros", (
            f"all lists of rewards hold {counts[0][0]} numbers, and 0 beyond the last step of their case: this seems "
            "to be padding, but 0 may be a reward. Write the lists without it, or pad them with NaN"
        )
    if sum(count >= _PER_TOKEN * steps for count, steps in counts) >= most:
        count, steps = counts[0]
        return "tokens", (
            f"the lists of rewards hold far more numbers than their cases have steps ({count:,} for {steps}): they "
            "seem to hold one number per token. Write one per step, such as that of the last token of each step"
        )
    if sum(count == 2 * steps for count, steps in counts) >= most:
        two = (pair for numbers, _ in pairs for pair in zip(numbers[::2], numbers[1::2], strict=False))
        to_one = " that sum to 1" if _sum_to_one(two) else ""
        return "pairs", (
            f"the lists of rewards hold two numbers per step{to_one}, such as P(wrong) and P(right). "
            "Write the one that says that the step is right"
        )
    for off, way in ((1, "more"), (-1, "fewer")):
        if sum(count - steps == off for count, steps in counts) >= most:
            return "one-off", f"nearly all lists of rewards hold one number {way} than their case has steps"
    return None


def nested_numbers(cells: Sequence[Any]) -> tuple[str, list[tuple[str, str]]] | None:
    """Say what lists of lists of numbers seem to hold where each should hold one number per step.

    Args:
        cells: what a column holds.

    Returns:
        A sentence, and each possible path from the column to the numbers with its meaning; None where most cells are no
        lists of lists of numbers.
    """
    held = [cell for cell in cells if isinstance(cell, list) and cell]
    nested = [cell for cell in held if all(isinstance(part, list) and part and _are_numbers(part) for part in cell)]
    if not nested or len(nested) < _MOST * len(held):
        return None
    sizes = {len(part) for cell in nested for part in cell}
    if len(sizes) > 1:
        if all(len(cell) == 1 for cell in nested):
            return "each list of rewards holds one list", [("[0]", "reads the numbers of that list")]
        return None
    (size,) = sizes
    if size == 1:
        return "the rewards are lists of one number per step", [("[][0]", "reads that number")]
    if size > 2:
        paths = [(f"[][{place}]", f"reads number {place} (0-based) of each step") for place in range(min(size, _PATHS))]
        return f"the rewards hold {size} numbers per step, and one of them is the reward", paths
    to_one = " that sum to 1" if _sum_to_one(pair for cell in nested for pair in cell) else ""
    return f"the rewards hold two numbers per step{to_one}, such as P(wrong) and P(right)", [
        ("[][1]", "reads the second number, for P(wrong), P(right): PRMs with a label 1 = right write them so"),
        ("[][0]", "reads the first number, for P(right), P(wrong)"),
    ]


def first_of_pairs_finding(source: str, column: str, cells: Sequence[Any]) -> Iterator[Finding]:
    """Warn where a path leads to the first of two numbers per step that sum to 1, which is usually P(wrong).

    Args:
        source: the file.
        column: the path to the pairs.
        cells: the values of that column.
    """
    nested = nested_numbers(cells)
    pairs = [pair for cell in cells if isinstance(cell, list) for pair in cell if isinstance(pair, list)]
    if nested is None or any(len(pair) != 2 for pair in pairs) or not _sum_to_one(pairs):
        return
    message = (
        f"the pairs in {column!r} sum to 1, and the first number of such a pair is usually P(wrong): --rewards "
        f"'{column}[][1]' reads the second; --higher-is better confirms that the first is P(right)"
    )
    yield Finding("warning", "reward-direction", message, source)


def _sum_to_one(pairs: Iterable[Sequence[float]]) -> bool:
    to_one = [abs(sum(pair) - 1) < _ROUNDED for pair in pairs]
    return sum(to_one) >= _MOST * len(to_one)


def _are_numbers(values: list[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def constant_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn where all rewards are equal, or those of each case.

    Args:
        source: the file.
        rows: column `rewards`.
    """
    held = rows.select(pl.col("rewards").drop_nulls())["rewards"]
    several = held.filter(held.list.len() > 1)
    n_steps = int(held.list.len().sum() or 0)
    if n_steps < _SEVERAL or several.is_empty() or (several.list.min() != several.list.max()).any():
        return
    value = held[0][0]
    if (held.explode() == value).all():
        message = f"all {n_steps:,} rewards are {value:g}: they cannot tell right steps from wrong ones"
    elif several.len() >= _SEVERAL:
        message = (
            "the rewards of each case are equal on all of its steps: they seem to be one number per solution, "
            "repeated, and cannot say which step is wrong"
        )
    else:
        return
    yield Finding("warning", "reward-constant", message, source)


def reward_findings(source: str, rows: pl.DataFrame, higher_is: str = "better") -> Iterator[Finding]:
    """Warn where rewards are significantly higher on wrong steps than on right ones.

    The steps are those whose truth is known: all steps of a case where every step is labelled, otherwise the steps
    before the first error, which are right, and the error itself. Numbers for whole solutions are compared likewise.

    Args:
        source: the file.
        rows: columns `key`, `problem_id`, `rewards`, `labels`, `solution`, `n_steps`, `earliest_error`, `error_steps`
            and `neutral_steps`.
        higher_is: how the file was read, `better` or `worse` (each reward is 1 - value).
    """
    instead = (
        "--higher-is better reads them as they are"
        if higher_is == "worse"
        else ("--higher-is worse reads each reward as 1 - value")
    )
    for what, known in (("steps", _steps_of_known_truth(rows)), ("solutions", _solutions_of_known_truth(rows))):
        if known.height < _ENOUGH:
            continue
        is_wrong = known["wrong"].to_numpy()
        auroc, bound = auroc_below(known["reward"].to_numpy(), is_wrong, known["problem"].to_numpy())
        if bound < _CHANCE:
            counts = f"{int(is_wrong.sum()):,} wrong and {int((~is_wrong).sum()):,} right {what}"
            message = (
                f"rewards are higher on wrong {what} than on right ones: AUROC {auroc:.2f} over {counts}, and at most "
                f"{bound:.2f} (one-sided 99.9% bound), where chance is {_CHANCE}. A higher value seems to mean worse; "
                f"{instead}"
            )
            yield Finding("warning", "rewards-reversed", message, source)


def _steps_of_known_truth(rows: pl.DataFrame) -> pl.DataFrame:
    """A row a step: `reward`, whether it is `wrong`, and a number of its `problem`."""
    first, n_steps = pl.col("earliest_error"), pl.col("n_steps")
    numbers = pl.coalesce("rewards", pl.col("labels").list.eval(pl.element().cast(pl.Float64)))
    every_label = pl.col("error_steps").is_not_null()
    cases = rows.select(
        _problem(),
        reward=numbers,
        first=first,
        errors="error_steps",
        neutral="neutral_steps",
        known=pl.when(every_label | (first == -1)).then(n_steps).otherwise(first + 1),
        n_steps=n_steps,
    ).filter((pl.col("reward").list.len() == pl.col("n_steps")) & (pl.col("known") <= pl.col("n_steps")))
    cases = cases.filter(pl.col("known") > 0).with_columns(
        step=pl.int_ranges("known"), reward=pl.col("reward").list.head("known")
    )
    in_errors = (
        pl.when(pl.col("errors").is_null())
        .then(pl.col("step") == pl.col("first"))
        .otherwise(pl.col("step").is_in(pl.col("errors")))
    )
    steps = cases.explode("step", "reward").select(
        "problem", "reward", wrong=in_errors, neutral=pl.col("step").is_in(pl.col("neutral")).fill_null(value=False)
    )
    return steps.filter(~pl.col("neutral") & pl.col("reward").is_finite() & pl.col("wrong").is_not_null())


def _solutions_of_known_truth(rows: pl.DataFrame) -> pl.DataFrame:
    """The same of one number for each solution, which is wrong where a step is."""
    wrong = pl.col("earliest_error") >= 0
    solutions = rows.select(_problem(), reward="solution", wrong=wrong)
    return solutions.filter(pl.col("reward").is_finite() & pl.col("wrong").is_not_null())


def _problem() -> pl.Expr:
    """A number for each problem; a case whose problem has no id is a problem of its own."""
    return pl.coalesce("problem_id", "key").rank("dense").alias("problem")


def auroc_below(
    rewards: npt.NDArray[np.float64], is_wrong: npt.NDArray[np.bool_], problems: npt.NDArray[np.uint32]
) -> tuple[float, float]:
    """Compute the AUROC of rewards for right against wrong steps, and its one-sided upper bound of 99.9%.

    The AUROC is the probability that a right step has a higher reward than a wrong one (Mann-Whitney, ties count 1/2).
    Steps of one problem are not independent, so its standard error is that of Obuchowski (1997, Biometrics 53:567): the
    placement values of DeLong, summed by problem. It needs no resampling, only a sort. Two corrections keep a right
    scorer from being accused where that estimate is unreliable: with few problems the quantile is Student's t, with as
    many degrees of freedom as the effective number of problems that hold a kind (right or wrong) less one; and the
    standard error is never below that of independent steps at chance, because near-perfect separation makes the
    estimate vanish.

    Args:
        rewards: one finite number a step, shape (n,).
        is_wrong: whether each step is wrong, shape (n,).
        problems: equal for steps of one problem, shape (n,).

    Returns:
        The AUROC and the bound; the bound is 1 where too few problems (up to 3) hold one of the kinds.
    """
    right, wrong = rewards[~is_wrong], rewards[is_wrong]
    n_right, n_wrong = right.size, wrong.size
    if not n_right or not n_wrong:
        return _CHANCE, 1.0
    of_right = _placements(right, np.sort(wrong))
    of_wrong = 1 - _placements(wrong, np.sort(right))
    auroc = float(of_right.mean())
    _, codes = np.unique(problems, return_inverse=True)
    n_problems = int(codes.max()) + 1
    sums = np.bincount(codes[~is_wrong], (of_right - auroc) / n_right, n_problems)
    sums += np.bincount(codes[is_wrong], (of_wrong - auroc) / n_wrong, n_problems)
    freedom = min(_effective_number(codes[~is_wrong]), _effective_number(codes[is_wrong])) - 1
    if freedom < _LEAST_FREEDOM:
        return auroc, 1.0
    clustered = math.sqrt(n_problems / (n_problems - 1) * float(sums @ sums))
    at_chance = math.sqrt((n_right + n_wrong + 1) / (12 * n_right * n_wrong))
    return auroc, auroc + max(_student_quantile(freedom) * clustered, _QUANTILE * at_chance)


def _placements(values: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The share of the sorted others that each value exceeds, ties counting 1/2."""
    below = np.searchsorted(others, values, "left") + np.searchsorted(others, values, "right")
    return below / (2 * others.size)


def _effective_number(codes: npt.NDArray[np.int64]) -> float:
    """How many problems of equal size say as much as these, of which a few may hold most steps (Kish)."""
    sizes = np.bincount(codes).astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def _student_quantile(freedom: float) -> float:
    """The 99.9% quantile of Student's t (Abramowitz and Stegun 26.7.5), within 3% from `_LEAST_FREEDOM` on."""
    z = _QUANTILE
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))


# -- labels


_MOST_UNREAD, _UNREAD_SHARE = 20, 0.05
_SHOWN_WORDS = 8
_TWICE, _MANY_CLEAN = 2, 3
_LEAST_LABELS, _BOTH = 10, 2
"""Labels from which on it says something that there are no others, and the two values of an outcome."""
_NO_ERROR = frozenset(
    {"no error", "no errors", "no_error", "no-error", "noerror", "error-free", "error free", "no mistake"}
    | {"no mistakes", "no wrong step", "correct", "all correct", "right", "clean", "valid"}
)
_NOTHING = frozenset({"none", "n/a", "na", "n.a.", "null", "nil", "nan", "not applicable", "-", "--", "\N{EN DASH}"})
"""Words for no error, and words that may mean that nobody labelled the case as well."""


def is_few(unread: int, labels: int) -> bool:
    """Return whether so few labels cannot be read that they are broken cells, and the others no biased selection.

    One is, and so are at most 20 that are at most 5% of all. More of them are a vocabulary that is not understood:
    which cases have such a label depends on the label.
    """
    return unread <= max(1, min(_MOST_UNREAD, _UNREAD_SHARE * labels))


def says_wrong(column: str) -> bool:
    """Return whether a column's name says that its true values mean wrong: `is_error`, but not `no_error`."""
    return implies_worse(column.rpartition("[].")[2].rpartition(".")[2])


def may_mean_unlabelled(word: str) -> bool:
    """Return whether a word in lower case may say of a case that nobody labelled it: `n/a`."""
    return word in _NOTHING


def no_error_words(words: Mapping[str, int], n_clean: int) -> list[str]:
    """Return which words of a column of indices mean no error.

    Args:
        words: word in lower case -> rows that have it.
        n_clean: rows that say no error by -1: then `N/A` and the like mean that the case has no label.
    """
    return [word for word in words if word in _NO_ERROR or (word in _NOTHING and not n_clean)]


def no_error_finding(source: str, column: str, words: Sequence[str], count: int) -> Finding:
    """Tell which words were read as no error; warn where they may mean that nobody labelled the case."""
    doubtful = any(word in _NOTHING for word in words)
    named = "empty" if list(words) == ["null"] else " or ".join(map(repr, words))
    message = f"{count:,} cells of {column!r} are {named} and were read as no error; --clean {_quoted(words)} states it"
    if doubtful:
        message += ", --clean=-1 says that such a case has no label"
    return Finding("warning" if doubtful else "note", "no-error-words", message, source)


def unread_labels_finding(source: str, column: str, words: Mapping[str, int], flags: str) -> Finding:
    """Warn that a column of labels is not used because too many cells hold words that are not known."""
    most = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))
    listed = some_of([f"{word!r} in {count:,} rows" for word, count in most], _SHOWN_WORDS)
    message = f"the labels in {column!r} are not used, because these are not known: {listed}; state them with {flags}"
    return Finding("warning", "unknown-labels", message, source)


def unfit_labels_finding(source: str, column: str) -> Finding:
    """Warn that a column is called like gold labels and does not hold them."""
    message = (
        f"{column!r} is called like gold labels and was not used: its cells are not lists of indices (--error-steps) "
        "or of one label per step (--step-labels)"
    )
    return Finding("warning", "unknown-labels", message, source)


def wrong_name_finding(source: str, column: str) -> Finding:
    """Warn that true was read as right although the column's name says that it means wrong."""
    message = (
        f"the name {column!r} says that true means wrong, and true was read as right; "
        "--wrong true reads it as wrong, --wrong false states that it means right"
    )
    return Finding("warning", "label-direction", message, source)


def absent_wrong_finding(source: str, column: str, wrong: str, words: Mapping[str, int]) -> Finding:
    """Warn that no label is one of those stated to mean wrong."""
    listed = some_of([repr(word) for word in words], _SHOWN_WORDS) or "none"
    message = (
        f"no label in {column!r} is {wrong!r}, which --wrong states, so that all are right; labels found: {listed}"
    )
    return Finding("warning", "label-direction", message, source)


def rating_limit(ratings: Mapping[float, int]) -> tuple[float | None, bool, str]:
    """Decide below which rating a step is wrong where nobody stated it.

    Args:
        ratings: rating -> how many labels have it.

    Returns:
        (the limit, None = the usual one; whether the labels can be used; a doubt in words). Ratings -1, 0 and 1 are
        PRM800K's, where 0 is right; which ratings mean wrong on another scale cannot be known.
    """
    if not ratings:
        return None, True, ""
    low, high = min(ratings), max(ratings)
    if low < 0 and 0 in ratings:
        return 0.0, True, "ratings of 0 were read as right, as some are below 0; --wrong-below 0.5 reads them as wrong"
    if low >= 0 and high > 1:
        words = f"ratings lie between {low:g} and {high:g}, and which of them mean wrong is not known"
        return None, False, f"{words}; state it with --wrong-below X or --wrong VALUES"
    return None, True, ""


def is_signed(ratings: Mapping[float, int]) -> bool:
    """Return whether the ratings are -1, 0 and 1, all of which occur."""
    return {*ratings} == {-1, 0, 1}


class EndLabels(Struct, frozen=True):
    """What labels of 0 and of the number of steps mean in a column without -1.

    Attributes:
        base: What the first step is called.
        clean: The word of the mapping for labels that mean no error; "" where none does.
        usable: False where that cannot be known.
        seen: The evidence, in words; "" where nothing is doubtful.
        flags: What states this reading.
        instead: What states the other one.
    """

    base: int = 0
    clean: str = ""
    usable: bool = True
    seen: str = ""
    flags: str = ""
    instead: str = ""

    def doubt(self, column: str) -> str:
        """Say how the labels of the column were read, and how the other reading is stated."""
        if not self.usable:
            return f"the labels in {column!r} are not used: {self.seen}; state {self.flags} or {self.instead}"
        read = {"": "as a step", "0": "0 as no error"}.get(self.clean, "as no error")
        return f"{self.seen} in {column!r}, read {read} ({self.flags}); the other reading: {self.instead}"


def read_end_labels(labels: int, *, zeros: int, ends: int, after: int, beyond: int, stated: int | None) -> EndLabels:
    """Decide whether 0 or the index after the last step means no error, in a column in which nothing else does.

    Labels from 0 to the number of steps fit no other meaning: then the more frequent end is no error, if it is twice
    as frequent as the other, at which an error is as likely as at any step. A few labels of the number of steps may be
    broken cells, unless a third of all labels are 0.

    Args:
        labels: how many labels there are.
        zeros: labels that are 0.
        ends: labels that equal the number of steps.
        after: labels that are one more.
        beyond: labels that are more than the number of steps, those included.
        stated: what the first step is called; None = nobody stated it.
    """
    last, first = "--label-base 0 --clean steps", "--label-base 1 --clean 0"
    many_zeros = stated is None and ends > 0 and _MANY_CLEAN * zeros >= labels
    if stated != 1 and not beyond and (zeros or stated == 0) and (many_zeros or not is_few(ends, labels)):
        seen = f"no label is -1, {zeros:,} are 0 and {ends:,} equal the number of steps"
        if stated == 0 or ends >= _TWICE * zeros:
            return EndLabels(0, "steps", True, seen, last, first)
        if zeros >= _TWICE * ends:
            return EndLabels(1, "0", True, seen, first, last)
        return EndLabels(0, "", False, seen, last, first)
    if stated != 0 and not zeros and after == beyond and not is_few(after, labels):
        seen = f"no label is -1 or 0 and {after:,} are one more than the number of steps"
        return EndLabels(1, "steps", True, seen, "--label-base 1 --clean steps", "--clean=-1")
    if stated is None and not zeros and not beyond and not is_few(ends, labels):
        seen = f"no label is -1 or 0 and {ends:,} equal the number of steps"
        return EndLabels(1, "", True, seen, "--label-base 1", last)
    return EndLabels()


def outcome_finding(source: str, column: str) -> Finding:
    """Warn that labels of 0 and 1 without a clean case are not used: they probably say whether the answer is right."""
    message = (
        f"{column!r} is not used as a label: it holds only 0 and 1 and no clean case, so that it probably says whether "
        f"the final answer is right (--final-answer-correct {column}); if it is the first wrong step: "
        f"--earliest-error {column} --label-base 0"
    )
    return Finding("warning", "outcome-label", message, source)


def are_outcomes(labels: pl.Series, n_steps: pl.Series) -> bool:
    """Return whether labels that should be the first wrong step, -1 = none, are outcomes: 0 and 1, and never -1.

    There are at least ten labels, and most solutions have steps beyond 1.
    """
    known = labels.drop_nulls()
    if known.len() < _LEAST_LABELS or not known.is_in([0, 1]).all():
        return False
    return 2 * int((n_steps > _BOTH).sum()) >= n_steps.len()


def _quoted(words: Sequence[str]) -> str:
    joined = ",".join(words)
    return joined if joined.replace("/", "").replace(",", "").isalnum() else shlex.quote(joined)


# -- texts


_SAME, _DIFFERENT, _HALF = 5, 3, 0.5
_SHORT_PROBLEM = 120
_UNSPLIT_SHARE = 0.1
_NEXT_STEP = r"(?i)[\n.!?][\s#*_>-]*step\s+[0-9]{1,3}[*_\s]*[:.)]"
_STEP_MARK = re.compile(r"(?:\A|[\n.!?])[\s#*_>-]*step\s+([0-9]{1,3})[*_\s]*[:.)]", re.IGNORECASE)


def problem_evidence(problem: pl.Expr) -> dict[str, pl.Expr]:
    """Return what the checks of problems need of each text: `digest`, and whether it is `empty` or `vague`.

    A vague problem is short and has neither a number nor a question, as an instruction of a prompt.
    """
    short = problem.str.len_chars() <= _SHORT_PROBLEM
    return {
        "digest": problem.hash(),
        "empty": problem.str.strip_chars() == "",
        "vague": short & ~problem.str.contains(r"[0-9?]|\p{Han}|[\\$]"),
    }


def problem_findings(source: str, rows: pl.DataFrame) -> Iterator[Finding]:
    """Warn of empty problems and of several problems that became one.

    Args:
        source: the file.
        rows: columns of `problem_evidence`, and `reference_answer` and `problem_id` of each case.
    """
    if count := int(rows["empty"].sum()):
        yield Finding("warning", "empty-problem", f"the problem of {count:,} cases is empty", source)
    known = rows.filter(~pl.col("empty"))
    ids, answers = pl.col("problem_id").drop_nulls().n_unique(), pl.col("reference_answer").drop_nulls().n_unique()
    same = (
        known.group_by("digest")
        .agg(n=pl.len(), vague=pl.col("vague").first(), ids=ids, answers=answers)
        .filter(pl.col("n") >= _SAME)
    )
    differing = same.filter((pl.col("ids") >= _DIFFERENT) | (pl.col("answers") >= _DIFFERENT))
    instructions = same.filter(pl.col("vague") & (pl.col("n") >= max(_LEAST_LABELS, _HALF * rows.height)))
    merged = pl.concat([differing, instructions]).unique("digest")
    if merged.is_empty():
        return
    why = "and differ in their reference answers or problem ids" if differing.height else "which states no problem"
    message = (
        f"{merged['n'].sum():,} cases share {merged.height:,} problem texts {why}: several problems may have become "
        "one; --problem COLUMN names the column of the problem"
    )
    yield Finding("warning", "merged-problems", message, source)


def unsplit_findings(source: str, cases: pl.DataFrame) -> Iterator[Finding]:
    """Warn where a step contains the marker of the next one, so that a solution was not split.

    Args:
        source: the file.
        cases: columns `steps` and `line`; steps are numbered as `Step 2:`.
    """
    long = cases.select("line", "steps", place=pl.int_ranges(pl.col("steps").list.len())).with_row_index("row")
    marked = long.explode("steps", "place").filter(pl.col("steps").str.contains(_NEXT_STEP))
    rows = {row for row, place, step in marked.select("row", "place", "steps").iter_rows() if _holds_next(place, step)}
    if len(rows) <= 1 or len(rows) < _UNSPLIT_SHARE * cases.height:
        return
    message = (
        f"in {len(rows):,} of {cases.height:,} cases a step contains the next one, as in 'Step 1: ... Step 2: ...': "
        "the solution was not split; --separator TEXT states what stands between two steps of one text"
    )
    yield Finding("warning", "unsplit-steps", message, source, cases["line"][min(rows)])


def _holds_next(place: int, step: str) -> bool:
    """Return whether a step, the `place`-th from 0, contains two consecutive markers or that of the next step."""
    marks = [(match.start() > 0, int(match[1])) for match in _STEP_MARK.finditer(step)]
    numbers = [number for _, number in marks]
    return any(b == a + 1 for a, b in pairwise(numbers)) or any(inside and mark == place + 2 for inside, mark in marks)
