"""The list of families, the page of one, and the checks of an adapter, for people."""

import pytest

import pages
from inspector.cli.actions.prm_list import _cut, _rows
from inspector.cli.actions.prm_pages import check_page, family_page, list_page, summary
from scoring.models.prms.prm_catalogue import ADAPTERS, family

ROWS = [_cut(row) for row in _rows()][: len(ADAPTERS)]
CHECKS = [
    {"check": "shape", "status": "ok", "reason": "11 steps", "next_step": ""},
    {"check": "batch = single", "status": "failed", "reason": "gap 2, tolerance 1 " * 8, "next_step": "Try this. " * 9},
    {"check": "golden tokens", "status": "skipped", "reason": "no \x1b[31mweights", "next_step": ""},
    {"check": "golden rewards", "status": "skipped", "reason": "no \x1b[31mweights", "next_step": ""},
]


@pytest.mark.parametrize("ascii_only", [False, True])
def test_at_80_columns_a_family_is_one_line_and_the_list_fits_a_screen(ascii_only):
    found = pages.plain(list_page(ROWS, 80, ascii_only=ascii_only), 80)
    lines = found.splitlines()
    assert len(lines) <= 24
    assert lines[0].split() == ["name", "what", "is", "read", "range", "wrong", "iff"]
    for name, row in zip(ADAPTERS, ROWS, strict=True):
        (line,) = [line for line in lines if line.startswith(f"{name} ")]
        assert all(part in line for part in (row["reads"], row["range"], row["cut"]))
    assert "prm-inspect prms NAME" in lines[-1]


def test_a_wide_terminal_has_models_and_a_wider_one_everything():
    some, everything = (pages.plain(list_page(ROWS, width), width) for width in (132, 200))
    models = [model for row in ROWS for model in row["checkpoints"]]
    assert [model for model in models if model not in some or model not in everything] == []
    assert "the likelier of the two signs" not in some
    assert "joiner=space|blank-line" in everything
    assert "from huggingface/trl" in everything


@pytest.mark.parametrize("width", [40, 60, 100, 170])
def test_no_width_is_overrun(width):
    foreign = {"name": "mine-" * 9, "source": "a.b:C of the package \x1b[31m" + "x" * 90}
    pages.plain(list_page([*ROWS, foreign], width), width)
    for row in [*ROWS, foreign]:
        pages.plain(family_page(row, width), width)
    pages.plain(check_page({"adapter": "x" * 90, "results": CHECKS}, width), width)


@pytest.mark.parametrize("row", ROWS, ids=ADAPTERS)
def test_one_family_is_told_whole(row):
    found = pages.plain(family_page(row, 80), 80)
    flat = " ".join(found.split())
    made = family(row["name"])
    wanted = [row["reads"], row["range"], row["rule"], row["source"], *row["checkpoints"], *row["thresholds"]]
    wanted += [f"{name}={values[0]}" for name, values in made.OPTIONS.items()]
    wanted += [value for values in made.OPTIONS.values() for value in values]
    wanted += list(made.MEANINGS.values()) if made.OPTIONS else []
    wanted += ["longer cases are refused", f"prm-inspect prms check {row['name']} --weights"]
    assert [text for text in wanted if " ".join(text.split()) not in flat] == []


def test_the_bounds_of_a_range_are_said():
    assert "-10 to 10 (drawn)" in pages.plain(family_page({row["name"]: row for row in ROWS}["minos"], 80, "drawn"), 80)


def test_checks_have_glyph_word_and_what_to_do():
    answer = {"adapter": "qwen", "family": "Q", "model": "m", "dtype": "float32", "results": CHECKS}
    found = pages.plain(check_page(answer, 80), 80)
    assert found.startswith("qwen: Q, m, float32\n\n✓ ok       shape: 11 steps\n✗ failed   batch = single: gap 2")
    assert "\n           What to do: Try this." in found
    assert "– skipped  golden tokens, golden rewards: no ␛[31mweights" in found
    assert found.endswith("1 passed, 1 failed, 2 skipped: do not trust rewards of this adapter with these\nweights.")
    plain = pages.plain(check_page(answer, 80, ascii_only=True), 80)
    assert "+ ok       shape" in plain
    assert "x failed" in plain
    wide = pages.plain(check_page(answer, 140), 140)
    assert "✓ ok       shape           11 steps" in wide


def test_nothing_failed_is_one_sentence():
    assert summary(CHECKS[:1]) == "1 passed, 0 failed, 0 skipped."
