"""Framed, titled panes fill every screen at three sizes."""

import pytest

from frames import frames_of
from opened import opened
from scenes import demo, noted
from screen_text import press, rests, screen_lines

SIZES = ((80, 24), (120, 36), (200, 50))
CASE = ("enter", *["j"] * 8, "enter")
SCREENS = {
    "board": (demo, ()),
    "list": (demo, ("enter",)),
    "case": (demo, CASE),
    "triage": (demo, ("enter", "g", "t", "enter")),
    "taxonomy": (noted, ("g", "x")),
    **{
        name: (demo, ("g", letter))
        for name, letter in {
            "bias": "a",
            "compare": "c",
            "breakdown": "d",
            "thresholds": "h",
            "metrics": "m",
            "highlights": "o",
            "paper": "p",
            "card": "r",
            "stats": "s",
        }.items()
    },
}
SHORT_CASE, FEW = "the case has few and short steps", "there are few of them"
SPARSE = {
    "list 200x50 everyday-008": SHORT_CASE,
    "case 200x50 Verdicts": SHORT_CASE,
    "case 200x50 Steps": SHORT_CASE,
    "triage 200x50 Problem": SHORT_CASE,
    "triage 200x50 Steps": SHORT_CASE,
    **{f"{name} 200x50 Gold says no error": "gold has no reason to give" for name in ("case", "triage")},
    "taxonomy 200x50 Their cases": FEW,
    "highlights 200x50 Highlights": FEW,
    "stats 200x50 Generators": FEW,
    **{
        f"taxonomy {size} {title}": FEW
        for size in ("80x24", "120x36", "200x50")
        for title in ("Categories", "Notes: (in none)")
    },
    **{f"paper {size} One table": "the demo has no paper" for size in ("80x24", "120x36", "200x50")},
}
"""Panes with content on fewer than half of their rows, as `screen size title`, and the reason."""


@pytest.mark.parametrize("size", SIZES, ids=["x".join(map(str, size)) for size in SIZES])
@pytest.mark.parametrize("name", SCREENS)
async def test_panes_have_titles_and_are_half_full(name, size, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space, keys = SCREENS[name]
    async with opened(space(), size=size) as pilot:
        await rests(pilot)
        for key in keys:
            await press(pilot, key)
            await rests(pilot)
        lines = screen_lines(pilot.app)
    frames = list(frames_of(lines))
    assert frames, "\n".join(lines)
    assert [frame for frame in frames if frame.focused], "\n".join(lines)
    for frame in frames:
        sparse = f"{name} {size[0]}x{size[1]} {frame.title}"
        assert frame.title, "\n".join(lines)
        assert frame.filled >= 0.5 or sparse in SPARSE, f"{sparse}: {frame.filled:.2f}\n" + "\n".join(lines)
    # Only the header, lines of text and the footer have no frame.
    covered = {row for frame in frames for row in range(frame.top, frame.bottom + 1)}
    assert size[1] - len(covered) <= 5, "\n".join(lines)
