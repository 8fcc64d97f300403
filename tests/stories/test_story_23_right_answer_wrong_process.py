"""Right answer, wrong process: two keys list the cases whose final answer is right though a step is wrong."""

import re
from functools import partial

import pytest

import many_cases
from at_the_terminal import eventually, pressed, printed, shown, unframed
from thoroughness import also
from under_pilot import app


@pytest.fixture(scope="module")
def cases():
    return many_cases.made_cases(400, seed=23)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, cases):
    folder = tmp_path_factory.mktemp("right")
    many_cases.import_cases(folder, "space", cases)
    return folder


def lists(screen: str, names: list[str], total: int) -> str:
    """The screen, where its list has so many cases and begins with these."""
    assert f" {len(names):,} of {total:,} cases" in screen.splitlines()[0], screen
    seen = [found[1] for line in unframed(screen).splitlines() if (found := re.match(r" [ ▌](\w+-\d+) ", line))]
    assert seen, screen
    assert seen == names[: len(seen)], screen
    return screen


@pytest.mark.parametrize("size", [(80, 24), *also((120, 36))])
def test_two_keys_list_exactly_these_cases_and_each_says_so(size, cases, folder):
    found = [case.name for case in sorted(cases, key=lambda case: many_cases.SUBSETS.index(case.subset))]
    kept = {case.name for case in cases if case.gold >= 0 and case.answer_right}
    names = [name for name in found if name in kept]
    assert 10 < len(names) < len(cases) / 4
    with app("-w", "space", cwd=folder, size=size) as terminal:
        shown(terminal, f"{len(cases)} cases", "? help")
        pressed(terminal, "g l")
        shown(terminal, f"{len(cases)} of {len(cases)} cases")
        pressed(terminal, "v s")
        menu = shown(terminal, "right answer, wrong process")
        # The menu says beforehand how many there are.
        assert re.search(rf"right answer, wrong process .*\b{len(names)}\b", menu), menu
        pressed(terminal, "w")
        eventually(terminal, partial(lists, names=names, total=len(cases)))

        told = printed(
            "cases", "-w", "space", "--where", "final_answer_correct", "--where", "earliest_error >= 0", cwd=folder
        )
        assert [row["id"] for row in told] == names

        pressed(terminal, "enter")
        for place, name in enumerate(names[:8], start=1):
            case = next(one for one in cases if one.name == name)
            eventually(terminal, partial(_says_both, case=case, place=f" {place} of {len(names)} "))
            pressed(terminal, "n")


def _says_both(screen: str, case: many_cases.Made, place: str) -> None:
    title = screen.splitlines()[0]
    assert case.name in title, screen
    assert place in title, screen
    assert "final answer right" in screen
    text = unframed(screen)
    assert f"gold step {case.gold}" in " ".join(text.split())
    assert re.search(rf"^ (gold|exact) +{case.gold} ", text, re.MULTILINE), screen


def test_the_same_slice_by_facets_and_by_the_shells_words_is_the_same(cases, folder):
    """The share of wrong processes among right answers is the one that the shell prints."""
    right = [case for case in cases if case.answer_right]
    wrong = [case for case in right if case.gold >= 0]
    rows = printed("breakdown", "-w", "space", "--rows", "final_answer_correct", cwd=folder)
    found = {(row["final_answer_correct"], row["metric"]): row for row in rows}
    rates = {at[0]: row["value"] for at, row in found.items() if at[1] == "process_error_rate"}
    assert any(value == pytest.approx(len(wrong) / len(right)) for value in rates.values() if value is not None), rates
    with app("-w", "space", "--where", "earliest_error >= 0", cwd=folder) as terminal:
        shown(terminal, "cases", "? help")
        pressed(terminal, "g l", "f")
        screen = shown(terminal, "- final answer right")
        assert re.search(rf"\[ \] yes +{len(wrong)}\b", screen), screen
