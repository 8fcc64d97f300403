"""What happened to a case, in one plain sentence."""

from collections.abc import Sequence

import numpy as np

from inspector.render.texts.text import apart_from
from scoring.data.reward_transforms import DIFFERENCES, REWARDS, RewardTransform, transform
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.measures import rewards_at_gold
from scoring.evaluation.verdicts import OUTCOMES, Decision, compared_words

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
    return transform(REWARDS if not rule.by_threshold else rule.on)


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


# -- the official metric of one scorer in one line


F1, PRMSCORE = "F1", "PRMScore"


# The lines of a benchmark's own figure are those of its subsets, then that of all cases and the mean over subsets.
