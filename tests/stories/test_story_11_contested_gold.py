"""Contested gold: the labels against which scorers speak, ranked, each with its reason, and what ruling on one does.

Scorers that agree on what is true contradict exactly the labels that are not; the files that hold these never change.
"""

import json
from hashlib import sha256
from pathlib import Path

import pytest

import authored
from at_the_terminal import eventually, import_rewards, pressed, printed, shell, shown
from thoroughness import also
from under_pilot import app

CASES, STEPS = 40, 4
SCORERS = ("amber", "birch", "cedar")
MISTAKEN = {3: -1, 8: 2, 14: 0, 21: -1, 27: 3, 33: 1}
"""The labels that are not true: by case, what they say."""


def truth(number: int) -> int:
    """Where a case is wrong, 0-based, -1 nowhere."""
    found = (-1, 0, 1, 2, 3)[number % 5]
    return found if MISTAKEN.get(number) != found else (found + 2) % STEPS


def rewards(number: int, scorer: int) -> list[float]:
    """What a scorer gives: it sees the truth, but for a few cases of its own on whose labels nobody is mistaken."""
    slips = number % 13 == scorer and number not in MISTAKEN
    seen = (truth(number) + 2) % STEPS if slips else truth(number)
    return [0.1 if step == seen else 0.9 for step in range(STEPS)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        authored.row(
            id=f"case-{number}",
            problem=f"What is asked in {number}?",
            steps=[f"Line {step} of {number}." for step in range(STEPS)],
            label=MISTAKEN.get(number, truth(number)),
            final_answer_correct=MISTAKEN.get(number, truth(number)) < 0,
        )
        for number in range(CASES)
    ]
    (tmp_path / "labels.json").write_text(json.dumps(rows))
    shell("import", "labels.json", "-w", "space", cwd=tmp_path)
    given = [
        {"id": f"case-{number}", **{name: rewards(number, at) for at, name in enumerate(SCORERS)}}
        for number in range(CASES)
    ]
    import_rewards(tmp_path, "space", given, *SCORERS)
    return tmp_path


def gold_files(folder: Path) -> dict[str, str]:
    """The digests of the file with the labels and of all that was made of it."""
    files = [folder / "labels.json", *sorted((folder / "space" / "benchmarks").rglob("*"))]
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files if path.is_file()}


def stands(screen: str, case: str, place: str, reason: str) -> str:
    title, _, above, *_ = screen.splitlines()
    assert f"▸ {case.removeprefix('processbench/')} " in title, screen
    assert f" {place} " in title, screen
    assert above.strip(), screen
    # Where there is less room, names and shares are left out, from the end.
    assert reason.startswith(above.strip()), f"{reason}\n{screen}"
    return above.strip()


@pytest.mark.parametrize("size", [(80, 24), *also((200, 50))])
def test_the_ranked_queue_its_reasons_and_what_a_ruling_changes(size, folder):
    before = gold_files(folder)
    assert len(before) > 1
    ranked = printed("contested", "-w", "space", cwd=folder)
    assert {row["case"] for row in ranked} == {f"processbench/case-{number}" for number in MISTAKEN}
    assert [row["rank"] for row in ranked] == list(range(1, len(MISTAKEN) + 1))
    first, second = ranked[:2]

    with app("-w", "space", cwd=folder, size=size) as terminal:
        shown(terminal, f"{CASES} cases", "? help")
        pressed(terminal, "g l")
        shown(terminal, f"{CASES} of {CASES} cases")
        pressed(terminal, "g t")
        shown(terminal, f"Decide about {CASES} cases", "Only contested gold")
        pressed(terminal, "G", "enter")
        for place, row in enumerate(ranked, start=1):
            eventually(
                terminal,
                lambda screen, row=row, place=place: stands(screen, row["case"], f"{place} of 6", row["because"]),
            )
            pressed(terminal, "n" if place < len(ranked) else "N")
        pressed(terminal, *["N"] * (len(ranked) - 2))
        said = eventually(terminal, lambda screen: stands(screen, first["case"], "1 of 6", first["because"]))
        assert said.startswith("3 of 3 scorers say ")
        # The label is wrong, and ratings tell what it should be: this step is wrong, or, on the problem, none is.
        pressed(terminal, "home", *["j"] * (first["consensus"] + 1), "+" if first["consensus"] < 0 else "-")
        shown(terminal, " rated ")
        pressed(terminal, "2")
        shown(terminal, "1 ruled, 5 to go", f"{second['case'].removeprefix('processbench/')} ")
        pressed(terminal, "1", "3", "4", "5")
        shown(terminal, "5 ruled, 1 to go")

    assert gold_files(folder) == before
    # The scorers say what they said, and the file is what it was: the ranking is the same.
    assert printed("contested", "-w", "space", cwd=folder) == ranked
    rulings = {row["case"]: row["ruling"] for row in printed("triage", "-w", "space", cwd=folder)}
    assert list(rulings.values()).count("gold wrong") == 1
    assert rulings[first["case"]] == "gold wrong"
    assert sorted(rulings.values()) == sorted(
        ["gold wrong", "model wrong", "both defensible", "import problem", "unsure"]
    )

    # One label is another one, and one case has none any more, for who asks for it; all else keeps what it had.
    rows = printed("cases", "-w", "space", "--labels", "adjudicated", "--columns", "case,earliest_error", cwd=folder)
    own = printed("cases", "-w", "space", "--columns", "case,earliest_error", cwd=folder)
    pairs = zip(own, rows, strict=True)
    other = {a["case"]: b["earliest_error"] for a, b in pairs if a["earliest_error"] != b["earliest_error"]}
    imported = next(case for case, ruling in rulings.items() if ruling == "import problem")
    assert other == {first["case"]: first["consensus"], imported: None}

    both = printed("metrics", "-w", "space", "--labels", "both", cwd=folder)
    figures = {
        (row["scorer"], row["metric"]): (row["value"], row["adjudicated_value"], row["difference"])
        for row in both
        if row["subset"] == "average"
    }
    for name in SCORERS:
        value, adjudicated, difference = figures[name, "f1"]
        assert adjudicated > value
        assert difference == pytest.approx(adjudicated - value)
    plain = printed("metrics", "-w", "space", cwd=folder)
    assert [(row["scorer"], row["metric"], row["value"]) for row in plain] == [
        (row["scorer"], row["metric"], row["value"]) for row in both
    ]
    assert gold_files(folder) == before


def test_hidden_labels_hide_the_reason_until_one_has_ruled(folder):
    (first, *_) = printed("contested", "-w", "space", cwd=folder)
    with app("-w", "space", cwd=folder, size=(120, 36)) as terminal:
        shown(terminal, f"{CASES} cases", "? help")
        pressed(terminal, "g l")
        shown(terminal, f"{CASES} of {CASES} cases")
        pressed(terminal, "v b", "g t")
        shown(terminal, "Only contested gold")
        pressed(terminal, "G", "enter")
        screen = shown(terminal, "BLIND", "1 of 6", "0 ruled, 6 to go")
        assert "scorers say" not in screen
        assert first["case"].removeprefix("processbench/") in screen
        pressed(terminal, "2")
        eventually(terminal, lambda screen: stands(screen, first["case"], "1 of 6", first["because"]))
        pressed(terminal, "n")
        assert "scorers say" not in shown(terminal, "BLIND", "2 of 6", "1 ruled, 5 to go")
