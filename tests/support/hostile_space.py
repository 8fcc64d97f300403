"""A workspace in which every text is hostile: cases, scorers, answers, tags, notes, slices."""

from pathlib import Path

from msgspec.structs import replace

import critic_spaces
import making
import reference
from scoring.models.asking import GeneratedAnswer
from scoring.selection.saved_slices import SavedSlice, save_slice
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.journal import Author, Journal

# Numbers that no program would send by itself make the sequences of the data known from those of the app.
ESCAPES = (
    "\x1b]0;31337\x07 \x1b[31337m \x1b[?31337h \x1b[31337;1H \x1bP31337\x1b\\ \x1b]52;c;MzEzMzc=\x07 \x1b_31337\x1b\\"
    " \x9b31337m \x9d31337\x07 \x1b[2J \x00 \x08\x7f \r\n\x0b\x0c\x85\u2028"
)
MARKUP = (
    "[/b] [red]x[/] [blink #313371 on #713133 @click=screen.quit(31337)]q[/] [/] [link=31337]w[/link] \\["
    " $\\frac{1}{2$ {x!r} %s \u202eabc\u2066 a\u200bb\ufeff\u00ad"
)
TOKENS = "<extra_0> \u043a\u0438 <|im_end|> <think>"
WIDE = "数学" * 60 + "👩‍👩‍👧 e\u0301 " + "w" * 900
TEXTS = (ESCAPES, MARKUP + TOKENS, WIDE, ESCAPES + MARKUP + WIDE, "", " ", "=1+1", "\u0301")
RUN = f"run {MARKUP} {ESCAPES}"
FIELDS = ("problem", "subset", "generator", "error_type", "error_category", "error_kind", "pattern", "reason")


def make(root: Path) -> Path:
    """Make the workspace, and give its folder."""
    rewards = [(0.9, 0.8 if number == 3 else 0.4, 0.1 * number) for number in range(len(TEXTS))]
    cases = [reference.Case(3, number % 4 - 1, found) for number, found in enumerate(rewards)]
    columns = {name: list(TEXTS) for name in FIELDS}
    columns["final_answer_correct"] = [number % 3 == 0 for number in range(len(TEXTS))]
    columns["id"] = [f"{text}{number}" for number, text in enumerate(TEXTS)]
    columns["steps"] = [[text, f"{text}\n\t{text}", "plain"] for text in TEXTS]
    columns["original_problem"] = [f"{text} once" for text in TEXTS]
    columns["original_steps"] = [["plain", f"{text} once\n{text}", text] for text in TEXTS]
    lower = [replace(case, rewards=tuple(reward / 2 for reward in case.rewards)) for case in cases]
    scorers = [
        (making.scorer(name, about=f"{ESCAPES} {MARKUP} {WIDE}", threshold_source=ESCAPES, series=RUN, at=at), scored)
        for at, (name, scored) in enumerate(((f"plain {MARKUP}", lower), (f"loud {ESCAPES}", cases)))
    ]
    made = making.workspace(root, cases, scorers, benchmark="bench \x1b[31337m[red]", **columns)
    (made.root / "rewards" / scorers[0][0].folder / "part-\x1b[31337m.parquet").write_bytes(b"no Parquet")
    critic_spaces.critic(root, _answers, name=f"judge {MARKUP}")
    names = made.cases()[0]["case"].to_list()
    journal = Journal(root / "triage", Author("ann [red]", "gpu"))
    journal.tag(names, ["[red]tag[/]", "t\u202eag"])
    for name, text in zip(names, TEXTS, strict=True):
        if text.strip():
            journal.note([name], text)
    other = Journal(root / "triage", Author(f"bob {ESCAPES} {MARKUP}", "gpu \x1b[31337m"))
    for who in (journal, other):
        who.rule(names[:4], RULINGS[0])
        who.do([("sort", names[:4], f"{who.author.who} {MARKUP}")])
    other.rule(names[:1], RULINGS[1])
    # Whoever is at work can move this one alone.
    Journal(root / "triage").do([("sort", names[4:5], f"mine {MARKUP}")])
    save_slice(root, SavedSlice(f"slice {MARKUP}", ("n_steps > 1",), "31337 \x1b[31337m", ()))
    return root


def _answers(row: int, _run: int) -> list[GeneratedAnswer]:
    """Two votes a case, one of which cannot be read; of one case none can."""
    text = TEXTS[row % len(TEXTS)]
    named = {3: " \\boxed{2}", 5: ""}.get(row, " \\boxed{1}")
    return [
        GeneratedAnswer(f"paragraph 1 {text}{named}", reasoning=f"step 2 {text}", finish_reason="stop"),
        GeneratedAnswer(text or None, reason="" if text else f"HTTP 500 {ESCAPES}", finish_reason=text),
    ]
