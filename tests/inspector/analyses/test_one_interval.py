"""One figure has one interval: the same scorer, metric, threshold and cases on whatever page, in whatever order."""

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

import making
from inspector.analyses import Params
from inspector.analyses import load as load_analysis
from inspector.analyses.report.document import report_document
from inspector.render.analysis_list import summaries
from inspector.render.chart_blocks import Reliability
from inspector.render.table_blocks import Table
from reference import Case
from scoring.data.errors import InspectError
from scoring.selection.loading import load
from scoring.selection.query import Query

SIZES = {"north": (97, 71), "south": (103, 83)}
"""Erroneous and clean cases of each subset: primes, so that a share of one side is no share of another."""
RATES = {"alpha": (0.8, 0.7), "beta": (0.6, 0.8), "gamma": (0.7, 0.7)}
"""How often a scorer is right on an erroneous and on a clean case. The last one scores some cases of each side."""
TOLD = {("thresholds", "flips"): {"flips": (0.5, 0.8)}, ("thresholds", "curve"): {"curve": 3}}
"""What pages have to be told before they show anything, or are told to show less."""


def scored(rng, label, right):
    """The rewards of three steps that are decided rightly at 0.5, or wrongly."""
    wrong = label if right else rng.choice([step for step in (-1, 0, 1, 2) if step != label])
    return tuple(float(rng.uniform(0.05, 0.45) if step == wrong else rng.uniform(0.55, 0.95)) for step in range(3))


def bench(scorer, *, partial):
    """The cases as one scorer has them; the partial one leaves out each third case."""
    rng, cases = np.random.default_rng(sum(map(ord, scorer))), []
    for subset, sizes in SIZES.items():
        for rate, size, side in zip(RATES[scorer], sizes, ("erroneous", "clean"), strict=True):
            for number in range(size):
                label = number % 3 if side == "erroneous" else -1
                rewards = scored(rng, label, rng.random() < rate)
                cases.append(Case(3, label, None if partial and number % 3 == 0 else rewards, "", subset))
    return cases


def columns_of(n, *, related):
    """Ids, two generators, and problems that two cases share if they are related."""
    names = {
        "id": [f"case-{row}" for row in range(n)],
        "generator": ["one" if row % 5 < 2 else "two" for row in range(n)],
    }
    return names | ({"problem_id": [f"p{row // 2}" for row in range(n)]} if related else {})


def made(root, *, related=False, order=None):
    """The workspace; `order` is that of its rows."""
    rows = {name: bench(name, partial=name == "gamma") for name in RATES}
    columns = columns_of(len(rows["alpha"]), related=related)
    if order is not None:
        rows = {name: [cases[row] for row in order] for name, cases in rows.items()}
        columns = {name: [values[row] for row in order] for name, values in columns.items()}
    scorers = [
        (making.scorer(name, series="run", at=step), rows[name]) for step, name in enumerate(rows) if name != "gamma"
    ]
    making.workspace(root, rows["alpha"], [*scorers, (making.scorer("gamma"), rows["gamma"])], **columns)
    return root


@pytest.fixture(scope="module", params=[False, True], ids=["each case alone", "problems shared"])
def root(request, tmp_path_factory):
    return made(tmp_path_factory.mktemp("one") / "ws", related=request.param)


def queries(root):
    """The cases in several selections, of which a part of a table of the first is all of another."""
    whole = Query(workspace=str(root))
    yield whole
    yield replace(whole, subsets=("south",))
    yield replace(whole, by=("generator",))
    yield replace(whole, where=("generator = 'one'",))
    if load(whole).cases["problem_id"].null_count():
        # Where all cases are of one side, outcomes have the share of its accuracy, or the rest. Of shared problems
        # these are other draws than those of both sides.
        yield replace(whole, by=("position",))
        yield replace(whole, where=("earliest_error = -1",))
        yield replace(whole, where=("earliest_error = 1",))
    # The cases that all three scored, as `compare` takes them.
    yield replace(whole, where=('"gamma.verdict" IS NOT NULL',))
    yield replace(whole, thresholds=((None, "0.8"),))
    yield replace(whole, scorers=("alpha", "beta"))


def of_rows(frame):
    """(row, value, low, high) of each value with an interval: `value`, `low`, `high`, or with a name before them."""
    for row in frame.iter_rows(named=True) if isinstance(frame, pl.DataFrame) else frame:
        for low_name, low in row.items():
            stem = low_name.removesuffix("low")
            if low_name == stem or low is None or not isinstance(low, float):
                continue
            names = [stem.removesuffix("_"), f"{stem}value"] if stem else ["value", "score"]
            value = next((row[name] for name in names if isinstance(row.get(name), float)), None)
            if value is not None:
                yield row, value, low, row[f"{stem}high"]


def of_blocks(blocks):
    """(value, low, high) of what people see in tables; drawn bands are straight lines between thresholds."""
    for block in blocks:
        cells = [cell for row in block.rows for cell in row] if isinstance(block, Table) else []
        cells += [reward_bin.share for reward_bin in block.bins] if isinstance(block, Reliability) else []
        for cell in cells:
            if isinstance(cell.value, float) and cell.low is not None:
                yield cell.value, cell.low, cell.high


def views(results):
    """Every page that answers without being told more, with its name."""
    for name in summaries():
        analysis = load_analysis(name)
        for page in [page.name for page in analysis.pages] or [""]:
            try:
                view = analysis.view(results, Params(page, TOLD.get((name, page), {})))
            except InspectError:
                continue
            yield f"{name} {page}".strip(), view
    for name in results.chosen:
        about = replace(results, query=replace(results.query, scorers=(name,)))
        yield "card", load_analysis("card").view(about)


def to_digit(*numbers):
    """Numbers to their last reliable digit: 1 - 0.3 is not the float 0.7."""
    return tuple(round(number, 12) for number in numbers)


def official(results):
    """The intervals that `metrics` gives, by scorer, value and n, which some pages lack, and what is left of them."""
    found = {}
    for row in load_analysis("metrics").view(results).rows.iter_rows(named=True):
        if row["low"] is not None and 0 < row["value"] < 1:
            figures = [(row["value"], row["low"], row["high"])]
            if row["metric"] != "f1" and row["subset"] != "average":
                figures.append((1 - row["value"], 1 - row["high"], 1 - row["low"]))
            for n in (row["n"], None):
                for value, *ends in figures:
                    found.setdefault((row["scorer"], *to_digit(value), n), set()).add(to_digit(*ends))
    return found


HIGHLIGHTS = "highlights"
"""Its `n` counts the cases that it opens, which are the hits."""
OTHERS = {"missed", "covered", "same_outcome", "same_verdict", "oracle_correct_acc_gain", "share"}
OTHERS |= {"observed", "predicted_positive_rate", "acc", "negative_acc"}
"""Other figures, which have the value of one of `metrics` by chance or where all cases are of one side; a share of
verdicts without offset is none."""


def test_a_figure_has_the_interval_of_metrics_on_every_page(root):
    intervals, by_value, pages, different = {}, {}, set(), {}
    for query in queries(root):
        for figure, found in official(load(query)).items():
            intervals.setdefault(figure, set()).update(found)
            by_value.setdefault(figure[1], set()).update(found)
    assert {figure: found for figure, found in intervals.items() if len(found) > 1 and figure[-1]} == {}
    for query in queries(root):
        results, everywhere = load(query), set()
        for page, view in views(results):
            for row, value, *ends in of_rows(view.rows):
                figure = to_digit(value, *ends)
                everywhere.add(figure)
                n = None if page == HIGHLIGHTS else row.get("n")
                expected = intervals.get((row.get("scorer"), figure[0], n))
                if expected and (row.get("metric") not in OTHERS or row.get("offset") == 0):
                    pages.add(page)
                    if expected != {figure[1:]}:
                        different[page, value] = row, expected
            people_see = {to_digit(*figure) for figure in of_blocks(view.blocks())} - everywhere
            different |= {
                (page, value): ends
                for value, *ends in people_see
                if tuple(ends) not in by_value.get(value, [tuple(ends)])
            }
            pages |= {page for value, *_ in people_see if value in by_value}
        blocks = [block for section in report_document(results).report.sections for block in section.blocks]
        assert {to_digit(*figure) for figure in of_blocks(blocks)} <= everywhere
    assert different == {}
    assert pages >= {
        "metrics",
        "board",
        "bias",
        "breakdown cells",
        HIGHLIGHTS,
        "compare scorers",
        "thresholds ways",
        "thresholds flips",
    }


def test_the_order_of_rows_changes_no_interval(root, tmp_path):
    n = sum(map(sum, SIZES.values()))
    related = load(Query(workspace=str(root))).cases["problem_id"].null_count() == 0
    other = made(tmp_path / "ws", related=related, order=np.random.default_rng(3).permutation(n).tolist())
    one, two = (
        {
            (page, *(round(number, 12) for number in figure))
            for page, view in views(load(Query(workspace=str(place))))
            for _, *figure in of_rows(view.rows)
            if np.isfinite(figure).all()
        }
        for place in (root, other)
    )
    assert one == two
