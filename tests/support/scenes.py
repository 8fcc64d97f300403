"""The scenes of the snapshots: a workspace, the keys that lead there, and what stands on screen at the end.

Pages of analyses are no scenes but views, which `test_snapshots` lays out without an app; a screen of them is one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import contested_space
import critic_spaces
import example
import judged
import making
import originals
import papers
import reference
from scoring.models.asking import GeneratedAnswer
from scoring.selection.query import Query
from scoring.workspace.triage.journal import Author, Journal
from scoring.workspace.workspace import Workspace

NARROW, MIDDLE, WIDE = (80, 24), (120, 36), (200, 50)
THREE = (NARROW, MIDDLE, WIDE)
BACK = ("escape",) * 4


@dataclass(frozen=True)
class Scene:
    """How a screen is reached.

    `space` makes what is opened, in the current folder; `keys` are pressed, and `shows` is what then stands on screen.
    The keys `after` lead back to the screen that came first, as it was; where there are none, nothing does.
    """

    space: Callable[[], Query]
    keys: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    sizes: tuple[tuple[int, int], ...] = (NARROW,)
    themes: tuple[str, ...] = ("dark",)
    ascii_only: bool = False
    """And without colours."""
    after: tuple[str, ...] = BACK


def demo() -> Query:
    """The demo as it comes."""
    return Query(benchmarks=("demo",))


def small() -> Query:
    """Two scorers, of which one did not score every case."""
    return example.write(Path("workspace"))


def noted() -> Query:
    """The same two, and notes of which some are in categories."""
    return example.noted(Path("workspace"))


def tried() -> Query:
    """The same two, one of which has scored a variant of a case."""
    query = example.write(Path("workspace"))
    example.keep_variant(Path("workspace"), *example.ALL_KINDS, rewards=example.GIVEN)
    return query


def contested() -> Query:
    """Three scorers, and labels that they or a rule of construction contest."""
    return contested_space.write(
        Path("workspace"),
        *(contested_space.FIRST, contested_space.SECOND, contested_space.THIRD),
        final_answer_correct=contested_space.ANSWERS,
    )


def told() -> Query:
    """What two people did to one case, one of them twice."""
    query = small()

    def journal(who: str) -> Journal:
        return Journal(Path("workspace") / "triage", Author(who, "gpu"), clock=lambda: "2026-01-02T03:04:05.000Z")

    case = "bench/long-one"
    ann = journal("ann")
    ann.begin("bench, no filter, as listed", ["bench/clean-two", case])
    ann.rule([case], "model wrong")
    ann.undo()
    ann.rule([case], "both defensible")
    zoe = journal("zoe")
    zoe.note([case], "Steps 3 to 9 say the same thing over and over: the first of them is the one to look at.")
    zoe.tag([case, "bench/clean-two"], ["redundant"])
    zoe.rate(case, 12, -1)
    return query


def unscored() -> Query:
    """Cases and no scorer."""
    return example.write(Path("workspace"), scored=False)


def empty() -> Query:
    """A workspace without cases."""
    Workspace.create(Path("workspace"))
    return Query(workspace="workspace")


def single() -> Query:
    """One case, one scorer."""
    case = reference.Case(3, 1, (0.9, 0.2, 0.8))
    making.workspace(Path("workspace"), [case], [(making.scorer("alpha"), [case])])
    return Query(workspace="workspace")


def kinds() -> Query:
    """Scorers with a threshold, with labels, with votes, with a number a solution."""
    judged.workspace(Path("workspace"))
    return Query(workspace="workspace")


def eight() -> Query:
    """Eight scorers, one of them with a name that is long."""
    cases = [reference.Case(one.n_steps, one.gold, one.rewards) for one in example.EXAMPLES]
    names = ("math-shepherd-mistral-7b-prm-finetuned", *(f"checkpoint-{number}00" for number in range(1, 8)))

    def lower(by: int) -> list[reference.Case]:
        rewards = [
            tuple(round(max(0.0, one - by * (step + 1) / 80), 3) for step, one in enumerate(c.rewards)) for c in cases
        ]
        return [reference.Case(c.n_steps, c.gold, found) for c, found in zip(cases, rewards, strict=True)]

    scorers = [(making.scorer(name), lower(by)) for by, name in enumerate(names)]
    making.workspace(Path("workspace"), cases, scorers)
    return Query(workspace="workspace")


def pairs() -> Query:
    """Processes with their originals."""
    return originals.workspace(Path("workspace"))


def printed() -> Query:
    """ProcessBench's cases of GSM8K as far as their counts go, with a PRM of which its paper prints figures."""
    papers.processbench(Path("workspace"), papers.gsm8k())
    return Query(workspace="workspace")


def critic() -> Query:
    """A critic with four votes a case: with reasoning apart, in Chinese, cut short, and one that did not come."""
    root = critic_spaces.imported(Path())
    critic_spaces.critic(root, _answers)
    return Query(workspace=str(root))


def _answers(row: int, run: int) -> list[GeneratedAnswer]:
    if row % 4 == 3:
        return [GeneratedAnswer("I cannot tell.", finish_reason="stop"), GeneratedAnswer(None, reason="HTTP 500")]
    return [
        GeneratedAnswer(
            "Paragraph 0 sets x up as it should.\n\nIn paragraph 1 the half of $x$ is $\\frac{1}{2}$, which is not "
            "what was asked for; paragraph 2 builds on that. So the earliest error is in \\boxed{1}.",
            reasoning="Let me think of paragraph 2 first. It takes over what paragraph 1 says.",
            finish_reason="stop",
        ),
        GeneratedAnswer("<think>嗯</think>第0步和第2步都不对。\\boxed{2}", finish_reason="stop"),
        GeneratedAnswer(f"All of it holds. \\boxed{{{run - 1}}}", finish_reason="length"),
        GeneratedAnswer(None, reason="HTTP 500"),
    ]


TICKED = ("g", *["space"] * 8)
"""Tick all eight: Space moves to the next one, and the scorer in focus is already ticked."""
DEMO_CASE = ("enter", *["j"] * 8, "enter")
QUEUE = ("g", "l", "g", "t")
BOTH = ("dark", "light")
SCENES: dict[str, Scene] = {
    # -- the three screens, on the demo
    "board": Scene(demo, shows=("tiny-prm-m", "44.2 ★"), sizes=THREE, themes=BOTH),
    "cases": Scene(demo, ("enter",), ("123 of 240", "everyday-008"), sizes=THREE),
    "case": Scene(demo, DEMO_CASE, ("9 of ",), sizes=THREE, themes=BOTH),
    "board-ascii": Scene(demo, shows=("tiny-prm-m", "44.2 *"), ascii_only=True),
    "case-ascii": Scene(demo, DEMO_CASE, ("9 of ",), ascii_only=True),
    "board-differences": Scene(demo, ("v", "d"), ("tiny-prm-m", "−0.7")),
    # -- the screen of analyses: a table, a map, a curve whose threshold moves, and nothing
    "compare": Scene(demo, ("g", "c"), ("No evidence that",), sizes=THREE, themes=BOTH),
    "breakdown": Scene(demo, ("g", "d"), ("unsoundness",)),
    "thresholds-moving": Scene(demo, ("g", "h", "t", *["right"] * 4), ("present: chosen",), themes=BOTH),
    "compare-with-nothing": Scene(single, ("g", "c"), ("Nothing to show yet",)),
    # -- what lies on the board
    "board-columns": Scene(demo, ("v", "c"), ("Columns of the board",)),
    "threshold": Scene(demo, ("enter", "t", *["right"] * 4), ("* best",)),
    "help": Scene(demo, ("enter", "question_mark"), ("type letters to narrow",)),
    "palette": Scene(demo, ("ctrl+p", "x", "backspace"), ("Search for commands",)),
    "export": Scene(demo, ("enter", "e"), ("Markdown",)),
    "score": Scene(small, ("S",), ("⏎ start",)),
    # -- what lies on the cases
    "facets": Scene(demo, ("g", "l", "f", "j", "j", "j", "space"), ("[x]",)),
    "condition": Scene(demo, ("g", "l", "colon", *"n_steps > 5 and sub"), ("subset",)),
    "search": Scene(demo, ("g", "l", "slash", *"total"), ("of 240 cases · 12 ms",)),
    "slices": Scene(demo, ("g", "l", "v", "s"), ("right answer, wrong process",)),
    "sort": Scene(demo, ("g", "l", "s"), ("type letters to narrow",)),
    "tag": Scene(small, ("g", "l", "w"), ("Tag bench/",)),
    "note": Scene(small, ("g", "l", "a"), ("Note on bench/",)),
    # -- what lies on a case
    "overlay": Scene(eight, ("g", "l", "enter", "o"), ("Scorers beside each other",)),
    "eight": Scene(eight, ("g", "l", "enter", "o", *TICKED, "enter"), ("H checkpoint",)),
    # From 160 columns on these keys hide it.
    "curve": Scene(demo, (*DEMO_CASE, "v", "v"), ("9 of ",), after=("v v", *BACK)),
    "facts": Scene(demo, (*DEMO_CASE, "v", "f"), ("v f folds them",)),
    "folded": Scene(small, ("g", "l", "G", "enter", "v", "p"), ("steps 0-10",)),
    "original": Scene(pairs, ("g", "l", "enter", "v", "o"), ("~+question",)),
    "what-if": Scene(tried, ("g", "l", "enter", "g", "w", "j"), ("exact-one", "-0.10"), sizes=(NARROW, (40, 12))),
    "critique": Scene(critic, ("g", "l", "enter", "v", "c"), ("vote 0 (1 of 4)",)),
    # -- what people say
    "triage-menu": Scene(small, QUEUE, ("Decide about 9 cases",)),
    "triage-ruled": Scene(small, (*QUEUE, "enter", "1", "2", "x", "N", "j", "minus"), ("rated -1",)),
    "triage-contested": Scene(contested, (*QUEUE, "enter"), ("1 of 10", "3 of 3"), sizes=THREE),
    "triage-history": Scene(told, ("g", "l", "G", "enter", "v", "h"), ("What was done to bench/long-one", "(undone)")),
    "taxonomy": Scene(noted, ("g", "x", "home"), ("signs: 2 notes",)),
    "taxonomy-put": Scene(noted, ("g", "x", "home", "w", *"u"), ("a new category",)),
}
