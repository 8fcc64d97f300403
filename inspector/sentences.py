"""What happened to a case, in one plain sentence."""

from scoring.evaluation import Evaluation
from scoring.verdicts import OUTCOMES

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
}
"""One glyph an outcome: never colour alone."""

WORDS = {name: name.replace("_", " ") for name in OUTCOMES}
"""The outcome as it is written on screen."""

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def steps_word(count: int) -> str:
    """`one step`, `five steps`, `13 steps`."""
    word = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{word} step" if count == 1 else f"{word} steps"


def outcome_sentence(evaluation: Evaluation, row: int) -> str:
    """Verdict, gold and how they differ, with the reward at the gold step."""
    outcome = OUTCOMES[evaluation.codes[row]]
    if outcome == "refused":
        return f"refused: {evaluation.rewards.reasons[row]}"
    if outcome == "unscored":
        return "not scored yet"
    verdict, gold = int(evaluation.verdicts[row]), int(evaluation.gold.earliest[row])
    predicted = "predicted no error" if verdict == -1 else f"predicted step {verdict}"
    if outcome == "no_gold":
        return f"{predicted}; the gold labels name no step"
    if gold < 0:
        lowest = f"lowest reward {_reward(float(evaluation.floats.all[row]), evaluation)}"
        return (
            f"{predicted}, and there is none: clean"
            if verdict == -1
            else f"{predicted}, gold no error: false alarm ({lowest})"
        )
    if gold >= int(evaluation.gold.n_steps[row]):
        return f"{predicted}; gold step {gold} is beyond the last step"
    at_gold = f"reward {_reward(float(evaluation.rewards_at_gold[row]), evaluation)} at the gold step"
    distance = {
        "exact": "exactly right",
        "missed": "missed",
        "early": f"{steps_word(gold - verdict)} early",
        "late": f"{steps_word(verdict - gold)} late",
    }[outcome]
    return f"{predicted}, gold step {gold}: {distance} ({at_gold})"


def _reward(reward: float, evaluation: Evaluation) -> str:
    """A reward with two digits, or with as many as tell it from the threshold."""
    threshold = evaluation.rule.threshold
    for digits in range(2, 6):
        if reward == threshold or round(reward, digits) != round(threshold, digits):
            return f"{reward:.{digits}f}"
    return repr(reward)
