"""What happened to a case, in one plain sentence."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from inspector.render.texts.text import apart_from
from scoring.data.reward_transforms import DIFFERENCES, REWARDS, RewardTransform, transform
from scoring.data.schema import Bools, Floats
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.measures import rewards_at_gold
from scoring.evaluation.verdicts import OUTCOMES, Decision, ProvidedVerdicts, compared_words
from scoring.formats.benchmarks.benchmark_registry import step_labelled
from scoring.formats.benchmarks.case_format import StepLabelled
from scoring.metrics.benchmark_figures import leading_figure, leading_figures
from scoring.metrics.first_error import NAMES, FirstErrors
from scoring.metrics.kernel import Unparsed
from scoring.metrics.own import OwnMetric
from scoring.metrics.own_figures import own_rows
from scoring.metrics.resampling import SMALL, Figure
from scoring.metrics.step_labels import PooledSteps, step_rows, why_nothing
from scoring.metrics.step_metrics import NEGATIVE_ACC, POSITIVE_ACC
from scoring.metrics.step_metrics import PRMSCORE as PRMSCORE_METRIC

GLYPHS = {
    "exact": "=",
    "early": "<",
    "late": ">",
    "missed": "o",
    "clean": ".",
    "false_alarm": "!",
    "unparsed": "?",
    "refused": "x",
    "unscored": " ",
    "no_gold": "-",
    "dev": "d",
}
"""One glyph an outcome: never colour alone."""

TRUNCATED = "t"
"""Stands behind a reward of a case whose later steps were cut off."""

WORDS = {name: name.replace("_", " ") for name in GLYPHS}
"""The outcome as it is written on screen."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


NO_FOLDER = "Tags, notes and rulings are kept in a workspace. Make one: prm-inspect import PATH"


def counted(count: int, noun: str) -> str:
    """Write `1 case`, `1,252 cases`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def threshold_name(rule: Decision) -> str:
    """Name a rule's threshold by what is compared with it, where that is not the rewards."""
    return f"threshold {compared_words(rule)}".rstrip()


def decision_words(rule: Decision) -> str:
    """Say by what a scorer decides: its threshold, or whose verdicts these are."""
    return rule.source if rule.threshold is None else f"{threshold_name(rule)} {rule.threshold:.3g}"


def steps_word(count: int) -> str:
    """Write `one step`, `five steps`, `13 steps`."""
    word = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{word} step" if count == 1 else f"{word} steps"


def outcome_sentence(evaluation: "Evaluation", row: int) -> str:
    """Write verdict, gold and how they differ, with the reward at the gold step where there is one."""
    outcome = OUTCOMES[evaluation.codes[row]]
    if outcome in {"refused", "unparsed", "unscored", "dev"}:
        return _without_verdict(evaluation, row, outcome)
    verdict, gold = int(evaluation.alone(row).verdicts[0]), int(evaluation.gold.earliest[row])
    predicted = predicted_words(verdict)
    if outcome == "no_gold":
        return f"{predicted}; the gold labels name no step"
    if gold < 0:
        return f"{predicted}, and there is none: clean" if verdict == -1 else _false_alarm(evaluation, row, predicted)
    if gold >= int(evaluation.gold.n_steps[row]):
        return f"{predicted}; gold step {gold} is beyond the last step"
    distance = _distance(outcome, verdict, gold, int(evaluation.gold.n_steps[row]))
    return f"{predicted}, gold step {gold}: {distance}{_at_gold(evaluation, row)}"


def _without_verdict(evaluation: "Evaluation", row: int, outcome: str) -> str:
    if outcome == "dev":
        return f"left out of the report: the threshold of {evaluation.scorer.name} was tuned on this case"
    if outcome == "unscored":
        solution = evaluation.rewards.solutions[row]
        return "not scored yet" if np.isnan(solution) else f"no verdict, one number for the solution: {solution:.4g}"
    return f"{outcome}: {evaluation.coverage.reasons[row]}"


def predicted_words(verdict: int) -> str:
    """Write a verdict in words; 0-based, -1 = no error, -2 = an answer that names no step."""
    if verdict < 0:
        return "predicted no error" if verdict == -1 else "the answer names no step"
    return f"predicted step {verdict}"


def votes_words(evaluation: "Evaluation", row: int) -> str:
    """Write how the answers voted: `5 x step 3, 2 x none, 1 unparsed`; empty where nobody voted."""
    if evaluation.votes is None or not evaluation.votes.answered[row]:
        return ""
    first = f" (first of {len(evaluation.runs)} runs)" if evaluation.further else ""
    return tally_words(evaluation.votes.of(evaluation.gold.cases["case"][row])) + first


def tally_words(counts: Sequence[tuple[str | None, int, int | None]]) -> str:
    """Write ballots (None = unparsed), how many voted so and the verdicts they name, in words."""
    parts, seen = [], set()
    for ballot, count, verdict in counts:
        if ballot is None:
            parts.append(f"{count} unparsed")
            continue
        words = repr(ballot) if verdict is None else named_step(verdict)
        # Texts that name the same step are counted apart, as they voted.
        parts.append(f"{count} x {words}" + (f" ({ballot!r})" if words in seen else ""))
        seen.add(words)
    return ", ".join(parts)


def verdict_words(verdict: int | None) -> str:
    """Say which step a verdict or a gold label names: `step 3` (0-based), `no error`, `no step`, `no verdict`."""
    if verdict is None:
        return "no verdict"
    return f"step {verdict}" if verdict >= 0 else "no error" if verdict == -1 else "no step"


def named_step(verdict: int) -> str:
    """Name in two words what a vote names: `step 3`, `none`, `no step`."""
    return {-1: "none", -2: "no step"}.get(verdict, f"step {verdict}")


def _false_alarm(evaluation: "Evaluation", row: int, predicted: str) -> str:
    lowest = min(evaluation.compared_values.of(row) or [float("nan")])
    what = _compared(evaluation).noun
    detail = "" if np.isnan(lowest) else f" (lowest {what} {reward_words(lowest, evaluation, row)})"
    return f"{predicted}, gold no error: false alarm{detail}"


def _at_gold(evaluation: "Evaluation", row: int) -> str:
    """The reward at the gold step, and what is compared in its place."""
    alone, step = evaluation.alone(row), int(evaluation.gold.earliest[row])
    reward = float(rewards_at_gold(alone.rewards, alone.gold)[0])
    if np.isnan(reward):
        return ""
    at_gold, compared = f"reward {reward_words(reward, evaluation, row)} at the gold step", _compared(evaluation)
    if compared.name == REWARDS:
        return f" ({at_gold})"
    value = reward_words((evaluation.compared_values.of(row) or [])[step], evaluation, row)
    if compared.name != DIFFERENCES:
        return f" ({at_gold}, {compared.noun} {value})"
    return f" ({at_gold}, {'the first one' if step == 0 else f'{value} from the step before'})"


def _compared(evaluation: "Evaluation") -> RewardTransform:
    """What the threshold is compared with."""
    rule = evaluation.rule
    return transform(REWARDS if isinstance(rule, ProvidedVerdicts) else rule.on)


def _distance(outcome: str, verdict: int, gold: int, n_steps: int) -> str:
    """How far the verdict of an erroneous case lies from the gold step."""
    if outcome == "exact":
        return "exactly right"
    if outcome == "missed":
        return "missed"
    if verdict < 0:
        return "counts as early"
    if verdict >= n_steps:
        return "there is no such step, counts as late"
    return f"{steps_word(abs(gold - verdict))} {outcome}"


def reward_words(reward: float, evaluation: "Evaluation", row: int) -> str:
    """Write a reward with two digits, or with as many as tell it from the threshold."""
    return apart_from(reward, evaluation.rule.threshold_of(row))


# -- what the gold labels of a case say, in words


FROM_ONE = frozenset({"prmbench", "socratic"})
"""Benchmarks whose reasons number the steps from 1, as their labels did before they were read."""
_NAMES_A_STEP = re.compile(r"\bsteps?\s*\d|步骤?\s*\d|第\s*\d+\s*步", re.IGNORECASE)


def gold_words(case: Mapping[str, Any]) -> str:
    """Write `step 3 (also wrong: 4, 6)`, `no wrong step`, or that the labels name none; steps are 0-based."""
    earliest = case["earliest_error"]
    if earliest is None:
        return "no gold label names a step of this solution"
    if earliest == -1:
        return "no wrong step"
    so_far = case.get("errors_so_far") or []
    others = [str(step) for step in case["error_steps"] or so_far if step != earliest]
    words = [f"also wrong: {', '.join(others)}"] if others else []
    if so_far and so_far[-1] + 1 < case["n_steps"]:
        words.append(f"nobody labelled the steps after {so_far[-1]}")
    return f"step {earliest}" + (f" ({'; '.join(words)})" if words else "")


def gold_word(case: Mapping[str, Any], step: int) -> str | None:
    """Write what the gold labels of a case say of one of its steps (0-based); None = nothing."""
    earliest, listed = case["earliest_error"], case["error_steps"]
    if step == earliest:
        return "error"
    if step in (case.get("neutral_steps") or ()):
        return "neutral"
    if (so_far := case.get("errors_so_far")) and step <= so_far[-1]:
        return "error step" if step in so_far else "right"
    if listed is not None:
        return "error step" if step in listed else "right"
    return "right" if earliest is not None and (earliest == -1 or step < earliest) else None


def counts_from_one(benchmark: str, reason: str) -> bool:
    """Return whether the reason of a gold label names steps, and by other numbers than everything else here."""
    return benchmark in FROM_ONE and _NAMES_A_STEP.search(reason) is not None


# -- the official metric of one scorer in one line


F1, PRMSCORE = "F1", "PRMScore"


def official_title(benchmark: str) -> str:
    """Write the name of the figure that a benchmark reports: F1, PRMScore, or the leading one of its own."""
    if step_labelled(benchmark) is not None:
        return PRMSCORE
    made = leading_figure(benchmark)
    return F1 if made is None else made.title


def unit_of(title: str) -> str:
    """Name what the `n` of an official figure counts, `cases` or `steps`, by its title."""
    known = {F1: "cases", PRMSCORE: "steps"}
    return known[title] if title in known else leading_figures()[title].unit


class Headline(Struct, frozen=True):
    """The official metric of one scorer on one benchmark: fractions; None where undefined, and `reason` says why.

    `metric` is the title of `score`. `on_wrong` and `on_right` are accuracies beside it: on wrong and on right steps
    where it is PRMScore, else on erroneous and on clean cases. `n` counts `unit`, and `over` says what the score is
    taken over. Of several `runs` all are means, and `sd` is the sample standard deviation (n-1) of their scores.
    `small` says that few cases say it.
    """

    metric: str
    score: float | None
    low: float | None
    high: float | None
    on_wrong: float | None
    on_right: float | None
    n: int
    unit: str
    over: str
    reason: str | None
    sd: float | None = None
    runs: int = 1
    small: bool = False


def headline(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None, benchmark: str) -> Headline:
    """Return the metric as the benchmark reports it: F1 as plain mean over its subsets, PRMScore of all its steps, or
    the leading figure of its own, of all cases together.

    Without a `seed` it has no interval, and nothing is resampled.
    """
    facts = step_labelled(benchmark)
    if facts is not None:
        return _of_steps(evaluation, rows, facts, seed)
    made = leading_figure(benchmark)
    if made is not None:
        errors = FirstErrors.of(evaluation, rows, unparsed, None)
        ends = errors.pooled() if errors.present.size else None
        return _of_own(made, _own_lines(made, evaluation, rows, unparsed, seed)[-2], ends)
    errors = FirstErrors.of(evaluation, rows, unparsed, seed)
    error_acc, correct_acc, f1 = errors.average()
    subsets = errors.present.size
    over = f"mean of {subsets} subsets" if subsets > 1 else "one subset" if subsets else "no case"
    runs = f", mean of {f1.runs} runs" if f1.runs > 1 else ""
    reason = f1.reason if f1.value is None else None
    if subsets == 1 and reason:
        # Of one subset the average's reason only counts subsets.
        reason = errors.of_subset(int(errors.present[0]))[NAMES.index("f1")].reason
    return Headline(
        F1,
        f1.value,
        f1.low,
        f1.high,
        error_acc.value,
        correct_acc.value,
        f1.n,
        "cases",
        over + runs,
        (evaluation.coverage.nothing or reason) if not subsets else reason,
        f1.sd,
        f1.runs,
        f1.small,
    )


def subset_headlines(
    evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int, benchmark: str
) -> dict[str, Headline]:
    """Return the headline of every subset of which anything was tried, by its name: the lines that `metrics` prints.

    Of a class of steps that holds no wrong one the score is the F1 of right steps, as in the benchmark's tables.
    """
    facts = step_labelled(benchmark)
    if facts is not None:
        classes = set(evaluation.gold.subsets[0])
        every = (row for row in step_rows(evaluation, rows, facts, None, seed) if row["subset"] in classes)
        return _of_classes(every, len(evaluation.runs))
    made = leading_figure(benchmark)
    if made is not None:
        return _own_subsets(made, evaluation, rows, unparsed, seed)
    errors, names = FirstErrors.of(evaluation, rows, unparsed, seed), evaluation.gold.subsets[0]
    lines = {}
    for number in errors.present if evaluation.gold.has_subsets(rows) else ():
        error_acc, correct_acc, f1 = errors.of_subset(number)
        runs = f"mean of {f1.runs} runs" if f1.runs > 1 else "one subset"
        ends = (error_acc.value, correct_acc.value, f1.n, "cases", runs, f1.reason if f1.value is None else None)
        lines[names[number] or ""] = Headline(F1, f1.value, f1.low, f1.high, *ends, f1.sd, f1.runs, f1.small)
    return lines


# The lines of a benchmark's own figure are those of its subsets, then that of all cases and the mean over subsets.


def _own_lines(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int | None
) -> list[dict[str, Any]]:
    return list(own_rows(made, evaluation, rows, unparsed, seed))


def _own_subsets(
    made: OwnMetric, evaluation: Evaluation, rows: Bools, unparsed: Unparsed, seed: int
) -> dict[str, Headline]:
    errors, names = FirstErrors.of(evaluation, rows, unparsed, None), evaluation.gold.subsets[0]
    ends = {names[number] or "": errors.of_subset(number) for number in errors.present}
    lines = _own_lines(made, evaluation, rows, unparsed, seed)[:-2]
    return {row["subset"]: _of_own(made, row, ends.get(row["subset"])) for row in lines}


def _of_own(made: OwnMetric, row: Mapping[str, Any], ends: Sequence[Figure] | None) -> Headline:
    """One line of a benchmark's own figure; `ends` are the figures of first errors on the same cases."""
    over = (
        (f"all {made.unit} pooled" if made.unit == "steps" else "all cases together")
        if row["n"]
        else (f"no {made.unit.removesuffix('s')}")
    )
    return Headline(
        made.title,
        row["value"],
        row["low"],
        row["high"],
        None if ends is None else ends[NAMES.index("error_acc")].value,
        None if ends is None else ends[NAMES.index("correct_acc")].value,
        row["n"],
        made.unit,
        over + (f", mean of {row['runs']} runs" if row["runs"] > 1 else ""),
        row["reason"] if row["value"] is None else None,
        row["sd"],
        row["runs"],
        row["small"],
    )


def _of_classes(rows: Iterable[dict[str, Any]], runs: int) -> dict[str, Headline]:
    lines: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        # A category may have the name of one of its classes, and comes later.
        lines.setdefault(row["subset"], {}).setdefault(row["metric"], row)
    over = "steps of one class" + (f", mean of {runs} runs" if runs > 1 else "")
    return {
        name: Headline(
            PRMSCORE,
            line["prmscore"]["value"],
            line["prmscore"]["low"],
            line["prmscore"]["high"],
            line["negative_acc"]["value"],
            line["positive_acc"]["value"],
            line["prmscore"]["n"],
            "steps",
            over,
            line["prmscore"]["reason"] if line["prmscore"]["value"] is None else None,
            line["prmscore"]["sd"],
            line["prmscore"]["runs"],
            line["prmscore"]["small"],
        )
        for name, line in lines.items()
    }


def _of_steps(evaluation: Evaluation, rows: Bools, facts: StepLabelled, seed: int | None) -> Headline:
    pooled = PooledSteps.of(evaluation, rows, facts)
    every = pooled.values(PRMSCORE_METRIC)
    score, on_wrong, on_right = (
        _mean(pooled.values(metric)) for metric in (PRMSCORE_METRIC, NEGATIVE_ACC, POSITIVE_ACC)
    )
    low: float | None = None
    high: float | None = None
    if score is not None and seed is not None:
        low, high = pooled.interval(PRMSCORE_METRIC, seed) or (None, None)
    n, runs = pooled.size(PRMSCORE_METRIC), every.size
    return Headline(
        PRMSCORE,
        score,
        low,
        high,
        on_wrong,
        on_right,
        n,
        "steps",
        ("all steps pooled" if n else "no step") + (f", mean of {runs} runs" if runs > 1 else ""),
        why_nothing(evaluation, rows) or (pooled.why(PRMSCORE_METRIC) if score is None else None),
        float(every.std(ddof=1)) if runs > 1 and score is not None else None,
        runs,
        score is not None and pooled.cases(PRMSCORE_METRIC) < SMALL,
    )


def official_score(evaluation: Evaluation, rows: Bools, unparsed: Unparsed, benchmark: str) -> float | None:
    """Return the score of the headline alone: no interval, so that many scorers are quickly compared."""
    facts, made = step_labelled(benchmark), leading_figure(benchmark)
    if made is not None:
        value: float | None = _own_lines(made, evaluation, rows, unparsed, None)[-2]["value"]
        return value
    if facts is None:
        return FirstErrors.of(evaluation, rows, unparsed, None).score
    return _mean(PooledSteps.of(evaluation, rows, facts).values(PRMSCORE_METRIC))


def _mean(values: Floats) -> float | None:
    """The plain mean; None where one value is undefined."""
    mean = float(values.mean())
    return None if np.isnan(mean) else mean
