"""This model's failures by kind: outcome counts add up to N, and early and not-found errors are GR-Ben's FP and FN."""

import json
import random
import re
from collections import Counter
from functools import partial

import pytest

from at_the_terminal import eventually, go_to, import_rewards, pressed, printed, shell, shown, unframed
from benchmark_rows import grben
from under_pilot import app

TYPES = ("Knowledge-based error", "Factual error", "Computational error", "Logical error", "Others")
GLYPHS = {"exact": "=", "early": "<", "late": ">", "missed": "o", "clean": ".", "false alarm": "!"}
STEPS = 4


def made(number: int, rng: random.Random) -> dict:
    """A case of GR-Ben with rewards: `label` counts from 1, `outcome` follows the paper's words."""
    outcome = rng.choice(tuple(GLYPHS))
    if outcome in {"clean", "false alarm"}:
        gold, verdict = -1, -1 if outcome == "clean" else rng.randrange(STEPS)
    else:
        gold = rng.randrange(1, STEPS - 1)
        places = {"exact": [gold], "early": range(gold), "late": range(gold + 1, STEPS), "missed": [-1]}
        verdict = rng.choice(places[outcome])
    rewards = [0.9] * STEPS
    if verdict >= 0:
        rewards[verdict] = 0.1
    kind = rng.choice(TYPES) if gold >= 0 else None
    return {"id": f"physics-{number}", "gold": gold, "rewards": rewards, "outcome": outcome, "kind": kind}


@pytest.fixture(scope="module")
def cases():
    rng = random.Random(4)
    return [made(number, rng) for number in range(160)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, cases):
    folder = tmp_path_factory.mktemp("kinds")
    rows = [
        grben(
            case["id"],
            id=case["id"],
            problem=f"What is asked in {case['id']}?",
            steps=[f"Step {step} of {case['id']}." for step in range(STEPS)],
            label=case["gold"] + 1 if case["gold"] >= 0 else -1,
            error_type=case["kind"],
            final_answer_correct=case["gold"] < 0,
        )
        for case in cases
    ]
    (folder / "physics.json").write_text(json.dumps(rows))
    shell("import", "grben", "physics.json", "-w", "space", cwd=folder)
    import_rewards(folder, "space", [{"id": case["id"], "mine": case["rewards"]} for case in cases], "mine")
    return folder


def facets(screen: str) -> dict[str, dict[str, int]]:
    """The counts beside the list: group -> value -> cases."""
    found: dict[str, dict[str, int]] = {}
    for told in unframed(screen).splitlines():
        if group := re.match(r" ?[ >]- (\S.*?) *$", told):
            found[group[1]] = {}
        elif value := re.match(r" ?[ >]\[.\] (.*?) +([\d,]+)\W*$", told):
            found[list(found)[-1]][value[1]] = int(value[2].replace(",", ""))
    return found


def outcome_counts(screen: str) -> Counter[str]:
    """The counts of the scorer's outcomes among the facets, by their words."""
    counts = facets(screen)["outcome of mine"]
    assert all(name.split(" ", 1)[0] == GLYPHS[name.split(" ", 1)[1]] for name in counts), screen
    return Counter({name.split(" ", 1)[1]: count for name, count in counts.items()})


def expected(cases: list[dict], kind: str | None = None) -> Counter[str]:
    return Counter(case["outcome"] for case in cases if kind in {None, case["kind"]})


def says(screen: str, counts: Counter[str], listed: int) -> str:
    """The screen, where it lists so many cases and counts their outcomes so."""
    assert f" {listed} of " in screen.splitlines()[0], screen
    assert +outcome_counts(screen) == +counts, screen
    return screen


def test_counts_add_up_and_fp_and_fn_of_each_error_type_are_grbens(cases, folder):
    with app("-w", "space", cwd=folder, size=(140, 50)) as terminal:
        shown(terminal, f"{len(cases)} cases", "? help")
        pressed(terminal, "g l", "f")
        screen = eventually(terminal, partial(says, counts=expected(cases), listed=len(cases)))
        assert sum(outcome_counts(screen).values()) == len(cases)
        kinds = [name for name in facets(screen)["error type"] if name != "(none)"]
        assert len(kinds) == len(TYPES)

        told = {
            (row["error_type"], row["metric"]): row["value"]
            for row in printed("breakdown", "-w", "space", "--rows", "error_type", cwd=folder)
        }
        for kind in kinds:
            (given,) = (one for one in TYPES if one.lower().removesuffix(" error") in kind.lower())
            counts = expected(cases, given)
            go_to(terminal, kind)
            pressed(terminal, "space")
            screen = eventually(terminal, partial(says, counts=counts, listed=sum(counts.values())))
            seen = outcome_counts(screen)
            erroneous = seen["exact"] + seen["early"] + seen["late"] + seen["missed"]
            # Of erroneous cases alone: an index before the gold one; -1 or an index behind it.
            assert seen["early"] / erroneous == pytest.approx(told[kind, "fp"], abs=1e-9)
            assert (seen["late"] + seen["missed"]) / erroneous == pytest.approx(told[kind, "fn"], abs=1e-9)
            assert seen["exact"] / erroneous == pytest.approx(told[kind, "exact"], abs=1e-9)
            pressed(terminal, "space")
            eventually(terminal, partial(says, counts=expected(cases), listed=len(cases)))


def test_the_counts_on_the_rail_and_on_the_board_are_the_same(cases, folder):
    with app("-w", "space", cwd=folder, size=(140, 50)) as terminal:
        board = shown(terminal, f"{len(cases)} cases", "? help")
        pressed(terminal, "enter")
        shown(terminal, "most instructive")
        pressed(terminal, "t")
        screen = shown(terminal, "nothing changed")
        seen = {name: int(count) for name, count in re.findall(r"[=<>o.!] ([a-z][a-z ]*?) (\d+)", screen[-900:])}
        counts = expected(cases)
        assert seen == counts
        assert sum(seen.values()) == len(cases)
        failures = sum(counts[name] for name in ("early", "late", "missed", "false alarm"))
        assert f" {failures} of {len(cases)} cases" in screen.splitlines()[0]
        told = re.findall(r"[=<>o.!] ([a-z][a-z ]*?) +[█-▏ ]* (\d+) +\d+%", unframed(board))
        assert {name: int(count) for name, count in told} == counts
