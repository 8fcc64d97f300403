"""The bias page: what the command prints, each number with exactly its cases."""

from itertools import product

import pytest

import example
import making
import taxonomy_spaces
from inspector.analyses.bias import bias
from inspector.render.cells import signed
from inspector.state.focusing import covering, on_benchmark
from inspector.state.opening import inspect
from scoring.selection.loading import load
from scoring.selection.query import Query
from views import lines_of, page_sheet, page_view
from walking import walk


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return inspect(load(taxonomy_spaces.write(tmp_path_factory.mktemp("two") / "w", n=160)))


def view_of(state, *, intervals=True):
    return page_view(bias, state, "", (state.focus.scorer,), intervals=intervals)


def test_every_number_opens_exactly_its_cases(two):
    for name, benchmark in product(covering(two)[:2], ("bench", "socratic")):
        looked = on_benchmark(two, benchmark).focused(name, benchmark)
        waiting = page_sheet(view_of(looked, intervals=False))
        assert walk(looked, page_sheet(view_of(looked))) >= walk(looked, waiting) > 0


def test_slices_stand_in_their_order_with_all_looks_told(two):
    looked = two.focused("one", "socratic")
    view = view_of(looked)
    rows = view.rows.filter(view.rows["column"].is_not_null()).to_dicts()
    assert rows
    found = lines_of(view, (120, 40))
    assert any(line.startswith(f"{rows[0]['looks']} comparisons, the largest difference first") for line in found)
    head = next(at for at, line in enumerate(found) if line.startswith("cases with"))
    for row, line in zip(rows, found[head + 1 :], strict=False):
        assert signed(row["value"]) in line
        assert str(row["n"]) in line.split()


def test_too_few_cases_and_no_scorer_are_a_sentence(tmp_path):
    small = inspect(load(example.write(tmp_path / "w")))
    assert "too few to say" in " ".join(lines_of(view_of(small), (60, 40)))
    bare = inspect(load(example.write(tmp_path / "bare", scored=False)))
    assert page_view(bias, bare, "", ()).empty == "No scorer has rewards for these cases yet."


def test_ascii_is_ascii(two):
    made = view_of(two)
    for width in (60, 80, 200):
        assert all(line.isascii() for line in lines_of(made, (width, 40), ascii_only=True)), width


def test_a_name_that_acts_is_only_text(tmp_path):
    cases, scorers = making.study(n=80)
    columns = making.labels(cases) | {"generator": [f"[red]\x1b[31m'{index % 2}" for index in range(80)]}
    making.workspace(tmp_path, cases, [(making.scorer("[b]x\x1b[1m"), scorers[0][1])], **columns)
    state = inspect(load(Query(workspace=str(tmp_path))))
    assert walk(state, page_sheet(view_of(state))) > 4
