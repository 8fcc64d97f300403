"""What a person can do to decide about cases one after the other."""

from inspector.widgets.key_spelling import NO_KEY
from inspector.widgets.key_table.command import MARK, NEUTRAL, ONE_CASE, RIGHT_STEP, TAKE_AWAY, WRONG, Command, go
from scoring.workspace.triage.actions import RULINGS

_HERE = ("triage",)
_WORDS = {
    "model wrong": "The scorer is mistaken, the label is right",
    "gold wrong": "The label is mistaken; rate the wrong step -1, or every step, to say what it should be",
    "both defensible": "One can see it either way",
    "import problem": "The case did not come here as it is in its source",
    "unsure": "It takes somebody else",
}
TRIAGE: tuple[Command, ...] = (
    Command(
        "triage",
        go("t"),
        "Triage",
        "Decide about the cases of the list one after the other, or go on where you were",
        "triage",
        ("board", "cases", *ONE_CASE),
    ),
    *(
        Command(
            f"rule-{ruling.replace(' ', '-')}",
            str(number),
            ruling.capitalize(),
            _WORDS[ruling],
            f"rule({number - 1})",
            _HERE,
        )
        for number, ruling in enumerate(RULINGS, 1)
    ),
    Command(
        "unrule",
        TAKE_AWAY,
        "Take away",
        "Your ruling on this case; without one, the case out of the queue",
        "take_away",
        _HERE,
    ),
    Command("skip", NO_KEY, "Skip", "Leave this case out of the queue", "skip", _HERE),
    Command(
        "defer",
        MARK,
        "Later",
        "Mark this case for later: it comes at the end of the queue",
        "defer",
        _HERE,
    ),
    Command(
        "rate-wrong",
        WRONG,
        "Step wrong",
        "Rate the step under the cursor -1; once more takes it away",
        "rate(-1)",
        _HERE,
    ),
    Command("rate-neutral", NEUTRAL, "Step neutral", "Rate it 0", "rate(0)", _HERE),
    Command(
        "rate-right",
        RIGHT_STEP,
        "Step right",
        "Rate it +1; on the problem: every step that you have not rated",
        "rate(1)",
        _HERE,
    ),
)
