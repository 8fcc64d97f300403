"""The scenes of the snapshots: a workspace, the keys that lead there, and what stands on screen at the end."""

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
from inspector.request import Request
from scoring.asking import GeneratedAnswer
from scoring.triage.journal import Author, Journal
from scoring.workspace import Workspace

NARROW, MIDDLE, WIDE = (80, 24), (120, 36), (200, 50)
BAND = "95% interval at each point"


@dataclass(frozen=True)
class Scene:
    """How a screen is reached.

    `space` makes what is opened, in the current folder; `keys` are pressed, `shows` is what then stands on screen and
    `hides` what no longer does.
    """

    space: Callable[[], Request]
    keys: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()
    hides: str = ""
    sizes: tuple[tuple[int, int], ...] = (NARROW, WIDE)
    ascii_only: bool = False
    no_color: bool = False


def demo() -> Request:
    """The demo as it comes."""
    return Request(benchmarks=("demo",))


def small() -> Request:
    """Two scorers, of which one did not score every case."""
    return example.write(Path("workspace"))


def noted() -> Request:
    """The same two, and notes of which some are in categories."""
    return example.noted(Path("workspace"))


def tried() -> Request:
    """The same two, one of which has scored a variant of a case."""
    request = example.write(Path("workspace"))
    example.keep_variant(Path("workspace"), *example.ALL_KINDS, rewards=example.GIVEN)
    return request


def contested() -> Request:
    """Three scorers, and labels that they or a rule of construction contest."""
    return contested_space.write(
        Path("workspace"),
        *(contested_space.FIRST, contested_space.SECOND, contested_space.THIRD),
        final_answer_correct=contested_space.ANSWERS,
    )


def told() -> Request:
    """What two people did to one case, one of them twice."""
    request = small()

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
    return request


def unscored() -> Request:
    """Cases and no scorer."""
    return example.write(Path("workspace"), scored=False)


def empty() -> Request:
    """A workspace without cases."""
    Workspace.create(Path("workspace"))
    return Request(workspace="workspace")


def single() -> Request:
    """One case, one scorer."""
    case = reference.Case(3, 1, (0.9, 0.2, 0.8))
    making.workspace(Path("workspace"), [case], [(making.scorer("alpha"), [case])])
    return Request(workspace="workspace")


def kinds() -> Request:
    """Scorers with a threshold, with labels, with votes, with a number a solution."""
    judged.workspace(Path("workspace"))
    return Request(workspace="workspace")


def eight() -> Request:
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
    return Request(workspace="workspace")


def pairs() -> Request:
    """Processes with their originals."""
    return originals.workspace(Path("workspace"))


def printed() -> Request:
    """ProcessBench's cases of GSM8K as far as their counts go, with a PRM of which its paper prints figures."""
    papers.processbench(Path("workspace"), papers.gsm8k())
    return Request(workspace="workspace")


def critic() -> Request:
    """A critic with four votes a case: with reasoning apart, in Chinese, cut short, and one that did not come."""
    root = critic_spaces.imported(Path())
    critic_spaces.critic(root, _answers)
    return Request(workspace=str(root))


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


CASE = ("enter", "enter")
TICKED = ("g", "space", "j", *["j", "space"] * 6)
"""All eight: the second of the list is in focus, and ticked as it is."""
DEMO_CASE = ("enter", *["j"] * 8, "enter")
SCENES: dict[str, Scene] = {
    # -- the three screens, on the demo
    "board": Scene(demo, shows=("tiny-prm-m", "44.2*")),
    "board-subsets": Scene(demo, ("v", "r", "v", "r"), ("rows by subset", "*  ")),
    "board-differences": Scene(
        demo,
        (
            "v",
            "d",
        ),
        ("differences to tiny-prm-m", "-11.4..+11.0"),
    ),
    "board-baselines-ascii": Scene(
        demo,
        (
            "v",
            "b",
        ),
        ("always-clean",),
        ascii_only=True,
        no_color=True,
    ),
    "board-columns": Scene(
        demo,
        (
            "v",
            "c",
        ),
        ("Columns of the board",),
    ),
    "cases": Scene(demo, ("enter",), ("123 of 240", "everyday-008")),
    "case": Scene(demo, DEMO_CASE, ("9 of ",)),
    "board-ascii": Scene(demo, shows=("tiny-prm-m", "44.2*"), ascii_only=True, no_color=True),
    "cases-ascii": Scene(demo, ("enter",), ("123 of 240", "everyday-008"), ascii_only=True, no_color=True),
    "case-ascii": Scene(demo, DEMO_CASE, ("9 of ",), ascii_only=True, no_color=True),
    # -- scorers against each other
    "metrics": Scene(
        demo,
        (
            "g",
            "m",
        ),
        ("[42.6, 72.5]",),
        sizes=(NARROW, MIDDLE),
    ),
    "compare": Scene(
        demo,
        (
            "g",
            "c",
        ),
        ("[-11.0, +11.4]",),
    ),
    "compare-cascade": Scene(demo, ("g", "c", "tab"), ("asked B", "[36.1, 51.2]"), sizes=(WIDE,)),
    "compare-all": Scene(demo, ("g", "c", "tab", "tab"), ("[-11.4, +11.0]",)),
    "compare-sets": Scene(demo, ("g", "c", "shift+tab"), ("nobody",)),
    "compare-ascii": Scene(demo, ("g", "c", "shift+tab"), ("nobody",), ascii_only=True, no_color=True),
    "compare-with-nothing": Scene(
        single,
        (
            "g",
            "c",
        ),
        ("Nothing to show yet",),
        sizes=(NARROW,),
    ),
    # -- what lies on the board
    "threshold": Scene(demo, ("enter", "t", *["right"] * 4), ("* best",)),
    "help": Scene(demo, ("enter", "question_mark"), ("type letters to narrow",)),
    "palette": Scene(demo, ("ctrl+p",), ("Search for commands",)),
    "theme": Scene(demo, ("ctrl+p", *"Theme", "enter"), ("Search for themes",)),
    "export": Scene(demo, ("enter", "e"), ("Markdown",)),
    "score": Scene(small, ("S",), ("Enter Start",)),
    # -- what lies on the cases
    "facets": Scene(demo, ("g", "l", "f", "j", "j", "j", "space"), ("[x]",)),
    "condition": Scene(demo, ("g", "l", "colon", *"n_steps > 5 and sub"), ("subset",)),
    "condition-wrong": Scene(demo, ("g", "l", "colon", *"n_steps >> 5", "enter"), (">>",)),
    "search": Scene(demo, ("g", "l", "slash", *"total"), ("of 240 cases · 12 ms",)),
    "slices": Scene(demo, ("g", "l", "v", "s"), ("right answer, wrong process",)),
    "sort": Scene(demo, ("g", "l", "s"), ("type letters to narrow",)),
    "columns": Scene(demo, ("g", "l", "v", "c"), ("Space Show",)),
    "tag": Scene(small, ("g", "l", "w"), ("Tag bench/",)),
    "note": Scene(small, ("g", "l", "a"), ("Note on bench/",)),
    # -- what lies on a case
    "overlay": Scene(eight, ("g", "l", "enter", "o"), ("Scorers beside each other",)),
    "eight": Scene(eight, ("g", "l", "enter", "o", *TICKED, "enter"), ("H math",)),
    "eight-ascii": Scene(
        eight, ("g", "l", "enter", "o", *TICKED, "enter"), ("H math",), ascii_only=True, no_color=True
    ),
    # From 160 columns on these keys hide it.
    "curve": Scene(demo, (*DEMO_CASE, "v", "v"), ("9 of ",), sizes=(NARROW,)),
    "facts": Scene(demo, (*DEMO_CASE, "v", "f"), ("v f folds them",)),
    "folded": Scene(small, ("g", "l", "G", "enter", "v", "p"), ("steps 0-10",)),
    "blind": Scene(demo, (*DEMO_CASE, "v", "b"), ("BLIND",)),
    "raw": Scene(small, (*CASE, "v", "w"), ("\\frac",)),
    "original": Scene(pairs, ("g", "l", "enter", "v", "o"), ("On the original",)),
    "what-if": Scene(
        tried,
        ("g", "l", "enter", "g", "w", "j"),
        ("exact-one", "-0.10"),
        sizes=(NARROW, WIDE, (40, 12)),
    ),
    "critique": Scene(critic, ("g", "l", "enter", "v", "c"), ("vote 0 (1 of 4)",)),
    "unparsed": Scene(critic, ("g", "l", "v", "u"), ("3 of 12",)),
    # -- numbers
    "triage": Scene(small, ("g", "l", "g", "t", "enter"), ("0 ruled, 9 to go",)),
    "triage-menu": Scene(small, ("g", "l", "g", "t"), ("Decide about 9 cases",)),
    "triage-ruled": Scene(small, ("g", "l", "g", "t", "enter", "1", "2", "x", "N", "j", "minus"), ("rated -1",)),
    "triage-contested": Scene(contested, ("g", "l", "g", "t", "enter"), ("1 of 10", "3 of 3")),
    "triage-history": Scene(told, ("g", "l", "G", "enter", "v", "h"), ("What was done to bench/long-one", "(undone)")),
    "card": Scene(
        small,
        (
            "g",
            "r",
        ),
        ("How a verdict is decided", "75.0]"),
    ),
    "cards": Scene(small, ("g", "r", "o", "j", "enter"), ("They differ in", "100.0]")),
    "breakdown": Scene(
        demo,
        (
            "g",
            "d",
        ),
        ("and error kind",),
        hides="Computing",
        sizes=(NARROW, MIDDLE),
    ),
    "breakdown-ascii": Scene(
        demo,
        (
            "g",
            "d",
        ),
        ("and error kind",),
        hides="Computing",
        sizes=(NARROW, MIDDLE),
        ascii_only=True,
        no_color=True,
    ),
    "breakdown-types": Scene(demo, ("g", "d", "tab"), ("FN %",), sizes=(NARROW, MIDDLE)),
    "breakdown-offsets": Scene(
        demo, ("g", "d", "tab", "tab", "tab"), ("erroneous with a verdict",), sizes=(NARROW, MIDDLE)
    ),
    "breakdown-aligned": Scene(
        demo, ("g", "d", *["tab"] * 4), ("the earliest error",), hides="Computing", sizes=(NARROW, MIDDLE)
    ),
    "bias": Scene(
        demo,
        (
            "g",
            "a",
        ),
        ("Which way it leans",),
        hides="Computing",
        sizes=(NARROW, MIDDLE),
    ),
    "thresholds": Scene(
        demo,
        (
            "g",
            "h",
        ),
        (BAND,),
        sizes=(NARROW, MIDDLE),
    ),
    "thresholds-ascii": Scene(
        demo,
        (
            "g",
            "h",
        ),
        (BAND,),
        sizes=(NARROW, MIDDLE),
        ascii_only=True,
        no_color=True,
    ),
    "thresholds-moving": Scene(demo, ("g", "h", "t", *["right"] * 4), (BAND, "present: chosen"), sizes=(MIDDLE,)),
    "thresholds-curve": Scene(demo, ("g", "h", "tab"), (BAND, "At some thresholds"), sizes=(MIDDLE,)),
    "thresholds-transfer": Scene(demo, ("g", "h", "tab", "tab"), ("tuned on algebra",), sizes=(NARROW, MIDDLE)),
    "thresholds-flips": Scene(demo, ("g", "h", "tab", "tab", "tab"), ("[-0.7, +2.7]",), sizes=(NARROW,)),
    "thresholds-rewards": Scene(demo, ("g", "h", *["tab"] * 4), ("AUROC",), sizes=(NARROW, MIDDLE)),
    "thresholds-reliability": Scene(demo, ("g", "h", "shift+tab"), ("calibration error",), sizes=(NARROW, MIDDLE)),
    "statistics": Scene(
        demo,
        (
            "g",
            "s",
        ),
        ("Wrong steps (0-based)",),
    ),
    "paper": Scene(
        printed,
        (
            "g",
            "p",
        ),
        ("Checked 1 of",),
    ),
    "paper-statistics": Scene(
        printed, ("g", "p", "v", "v", "enter", "home", "enter"), ("the cases by subset", "published")
    ),
    "paper-none": Scene(
        small,
        (
            "g",
            "p",
        ),
        ("No tables of a paper",),
        sizes=(NARROW,),
    ),
    "taxonomy": Scene(noted, ("g", "x", "home"), ("signs: 2 notes",)),
    "taxonomy-ascii": Scene(
        noted, ("g", "x", "home"), ("signs: 2 notes",), sizes=(NARROW,), ascii_only=True, no_color=True
    ),
    "taxonomy-put": Scene(noted, ("g", "x", "home", "w", *"u"), ("a new category",), sizes=(NARROW,)),
    "taxonomy-none": Scene(
        small,
        (
            "g",
            "x",
        ),
        ("No case here has a note",),
        sizes=(NARROW,),
    ),
    "not-comparable": Scene(small, (), ("Not comparable",), sizes=(NARROW,), ascii_only=True, no_color=True),
    # -- little, nothing, gaps
    "kinds": Scene(kinds, shows=("critic", "number")),
    "gaps": Scene(small, ("k", "g", "l"), ("beta",)),
    "single": Scene(
        single,
        (
            "g",
            "l",
        ),
        ("1 of 1 case",),
    ),
    "no-hits": Scene(small, ("g", "l", "slash", *"zebra"), ("0 of 9 cases · 12 ms",)),
    "no-rows": Scene(small, ("g", "l", "colon", *"n_steps > 99", "enter"), ("No case passes",)),
    "no-scorer": Scene(unscored, (), ("9 of 9 cases",)),
    "no-scorer-case": Scene(unscored, ("enter",), ("1 of 9", "Problem of")),
    "empty": Scene(empty, shows=("0 of 0 cases",)),
    "too-small": Scene(demo, sizes=((30, 8), (60, 5)), shows=("40x12",)),
}
