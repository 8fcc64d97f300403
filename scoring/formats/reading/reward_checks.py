"""Checks on rewards that an import is about to believe: which way they go, how many they are, whether they differ."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.formats.reading.findings import Finding

_FEWEST, _NEARLY_ALL = 5, 0.9
"""How many lists show a pattern, and in which share of them it must be."""
_SAMPLE, _PER_TOKEN, _ROUNDED, _SEVERAL, _PATHS = 1000, 4, 0.002, 20, 5
"""Rows whose lengths are looked at, numbers per step that are too many, what a sum may be off by, constant rewards that
are no accident, and paths that a refusal lists."""
_ENOUGH, _CHANCE = 50, 0.5
"""Steps of known truth that show which way rewards go, and the AUROC of rewards that say nothing."""
_QUANTILE, _LEAST_FREEDOM = NormalDist().inv_cdf(0.999), 3


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
    if unlike.height < _FEWEST or 2 * unlike.height < held.height:
        return None
    pairs = unlike.rows()
    counts, most = [(len(numbers), steps) for numbers, steps in pairs], _NEARLY_ALL * len(pairs)
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
    if not nested or len(nested) < _NEARLY_ALL * len(held):
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
    return sum(to_one) >= _NEARLY_ALL * len(to_one)


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
