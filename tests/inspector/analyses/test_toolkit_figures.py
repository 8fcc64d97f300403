"""Official figures of PRMBench's toolkit's files are those of its arithmetic, whatever oddities its files have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import modified
import toolkit_reference
from authored import json_lines
from scoring.importing.batch import ImportOptions, read_sources
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace
from thoroughness import up_to
from views import metrics_view

CLASSES = ("redundency", "circular", "counterfactual", "multi_solutions")
TWIN = "correct"


@st.composite
def benchmark(draw):
    """Rows of PRMBench: some problems, each in some classes; wrong steps may lie beyond the last one."""
    rows = []
    for number in range(draw(st.integers(1, 3))):
        for name in draw(st.lists(st.sampled_from(CLASSES), min_size=1, unique=True)):
            steps = [f"{name} {number} {step}" for step in range(draw(st.integers(1, 3)))]
            errors = st.lists(st.integers(1, len(steps) + 2), min_size=1, max_size=3, unique=True)
            rows.append(
                modified.row(
                    number,
                    name,
                    modified_question=f"{name} {number}?",
                    modified_process=steps,
                    original_process=[f"original {number} {step}" for step in range(draw(st.integers(1, 3)))],
                    error_steps=[] if name == toolkit_reference.ALONE else draw(errors),
                )
            )
    return rows


@st.composite
def scores(draw, n_steps, *, numbers, redundancy):
    """What the toolkit keeps of one solution: labels, perhaps more or fewer than steps, and the numbers behind them."""
    length = max(1, n_steps + draw(st.sampled_from([0, 0, 0, -1, 1, 2])))
    labels = draw(st.lists(st.booleans(), min_size=length, max_size=length))
    found = {"step_level_validity_labels": labels}
    if numbers:
        found["step_level_validity_scores"] = [0.75 if right else 0.5 for right in labels]
    if redundancy and draw(st.booleans()):
        found["step_level_redundancy_labels"] = draw(st.lists(st.booleans(), min_size=length, max_size=length))
    return found


@st.composite
def results(draw, rows):
    """Results of one scorer: some cases and originals are missing, invalid, there twice, or have empty lists."""
    lengths = {f"{row['classification']}_{row['idx']}": len(row["modified_process"]) for row in rows}
    lengths |= {
        f"{TWIN}_{row['idx']}": len(row["original_process"]) for row in rows if row["classification"] == "redundency"
    }
    numbers, redundancy = draw(st.booleans()), draw(st.booleans())
    records = []
    for name, n_steps in lengths.items():
        fate = draw(st.sampled_from(["valid", "valid", "valid", "invalid", "missing", "twice", "empty"]))
        for _ in range({"missing": 0, "twice": 2}.get(fate, 1)):
            kept = draw(scores(n_steps, numbers=numbers, redundancy=redundancy))
            if fate == "empty":
                kept = dict.fromkeys(kept, ())
            records.append({"idx": name, "scores": kept} | ({"validity": False} if fate == "invalid" else {}))
    return records


def official(folder, rows, records):
    """(class or None for all, metric) -> the program's official figure of the files."""
    folder.mkdir(parents=True)
    (folder / "prmbench.jsonl").write_bytes(json_lines(rows))
    lines = [{"model_name": "m", "task_name": "t", "results": record} for record in records]
    (folder / "results.jsonl").write_bytes(json_lines(lines))
    workspace = Workspace.create(folder / "w")
    read_sources(
        [str(folder / "prmbench.jsonl"), str(folder / "results.jsonl")],
        ImportOptions(join_to="prmbench"),
        workspace,
        None,
    ).put(workspace)
    document = metrics_view(load(Query(workspace=str(folder / "w"), protocol="prmbench")))
    return {
        (None if row["subset"] == "all" else row["subset"], row["metric"]): row["value"]
        for row in document.rows.iter_rows(named=True)
        if row["subset"] in {*CLASSES, "all"}
    }


@given(data=st.data())
@up_to(60, 8)
def test_official_figures_are_those_of_the_toolkits_arithmetic(tmp_path_factory, data):
    rows = data.draw(benchmark())
    records = data.draw(results(rows))
    cases = [(row["classification"], row["idx"], row["error_steps"]) for row in rows]
    wanted = toolkit_reference.count(cases, records)
    ids = {f"{name}_{idx}" for name, idx, _ in cases}
    if not any(record["idx"] in ids for record in records):
        return
    found = official(tmp_path_factory.mktemp("toolkit") / "x", rows, records)
    for name, counts in wanted.items():
        told = {metric: found.get((name, metric)) for metric in toolkit_reference.figures(counts, name)}
        if set(told.values()) == {None}:
            # A class of which nothing has a result is in no line.
            assert not any(
                f"{name}_{idx}" == record["idx"] for kind, idx, _ in cases for record in records if kind == name
            )
            continue
        assert told == pytest.approx(toolkit_reference.figures(counts, name), abs=1e-12), name


TWO_STEPS = {"modified_process": ["one", "two"], "error_steps": [2]}


def problem(number, *names):
    """The rows of one problem in some classes, two steps each, the second one wrong."""
    question = (f"{name} {number}?" for name in names)
    rows = [modified.row(number, name, modified_question=next(question), **TWO_STEPS) for name in names]
    return [{**row, "error_steps": []} if row["classification"] == "multi_solutions" else row for row in rows]


def record(name, *labels, **more):
    return {"idx": name, "scores": {"step_level_validity_labels": [bool(label) for label in labels]}, **more}


def test_an_empty_list_of_labels_is_valid_and_no_likeness_under_the_protocol_alone(tmp_path):
    rows = [row for number in range(4) for row in problem(number, "redundency")]
    records = [record(f"redundency_sum_{number}", *(() if number == 1 else (1, 0))) for number in range(4)]
    records += [record(f"correct_sum_{number}", *(() if number == 2 else (1, 1))) for number in range(4)]
    found = official(tmp_path / "x", rows, records)
    assert found[None, "validity_rate"] == 1
    # Differences of rates: 1 - 1/2 twice, and 1/2 - (-1).
    assert found[None, "similarity"] == pytest.approx(1 - (0.5 + 1.5 + 0.5) / 3)
    document = metrics_view(load(Query(workspace=str(tmp_path / "x" / "w"), benchmarks=("prmbench",))))
    plain = {row["metric"]: row["value"] for row in document.rows.iter_rows(named=True) if row["subset"] == "all"}
    assert (plain["validity_rate"], plain["similarity"]) == (0.75, 0.5)


def test_cases_and_originals_without_a_result_count_in_the_validity_rate_of_the_protocol_alone(tmp_path):
    rows = [*problem(0, "redundency", "circular"), *problem(1, "redundency", "counterfactual")]
    records = [record("redundency_sum_0", 1, 0), record("circular_sum_0", 1, 0, validity=False)]
    found = official(tmp_path / "x", rows, [*records, record("correct_sum_0", 1, 1)])
    # Four cases, and the original of the second problem; one is valid.
    assert found[None, "validity_rate"] == 1 / 5
    # Of the class two cases, of which one has a result.
    assert found["redundency", "validity_rate"] == 1 / 2
    assert found["circular", "validity_rate"] == 0
    document = metrics_view(load(Query(workspace=str(tmp_path / "x" / "w"), benchmarks=("prmbench",))))
    rates = {row["subset"]: row for row in document.rows.iter_rows(named=True) if row["metric"] == "validity_rate"}
    assert {name: rates[name]["value"] for name in ("all", "redundency", "circular")} == {
        "all": 1 / 2,
        "redundency": 1,
        "circular": 0,
    }


def test_an_original_is_compared_by_its_labels_where_labels_alone_decide_the_cases(tmp_path):
    # The labels of the only case with a result are too few for a threshold to decide; those of an original fit.
    rows = [*problem(0, "redundency"), *problem(1, "redundency", "multi_solutions")]
    labels = {"step_level_validity_labels": [True], "step_level_validity_scores": [0.75]}
    fitting = {"step_level_validity_labels": [True, False, True], "step_level_validity_scores": [0.75, 0.5, 0.75]}
    records = [{"idx": "multi_solutions_sum_1", "scores": labels}]
    records += [{"idx": f"correct_sum_{number}", "scores": fitting} for number in (0, 1)]
    assert official(tmp_path / "x", rows, records)[None, "similarity"] == pytest.approx(2 / 3)
