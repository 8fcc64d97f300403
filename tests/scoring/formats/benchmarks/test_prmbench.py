from collections import Counter

import polars as pl
import pytest

from imports import import_published, import_source
from modified import codes, plain, row, shifted, shortened
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks import case_format as base
from scoring.formats.benchmarks import prmbench
from scoring.formats.reading.findings import worst
from scoring.importing.sources import ReadOptions, read_source
from scoring.workspace.workspace import Workspace
from thoroughness import one_of


@pytest.fixture
def read(processbench_file):
    """Imports authored rows, whose benchmark their content shows."""
    return lambda values, name="rows.jsonl": import_source(str(processbench_file(values, name)))


@pytest.fixture(scope="module")
def published(data_folder):
    """The published files made of PRM800K's test set: their rows as plain JSON, and what importing each gave."""
    files = sorted((data_folder / "prmbench").glob("*_test_p*.jsonl"))
    if len(files) < 17:
        pytest.skip("not all 17 test files of PRMBench; put them in a folder prmbench of PRM_INSPECT_DATA")
    rows = [one for file in files for one in plain(file)]
    return rows, [import_published(file) for file in files]


def cases(imports):
    return pl.concat([imported.cases for imported in imports])


def within(frame):
    """How many listed error steps are steps of their solution."""
    listed = frame.select("n_steps", "error_steps").explode("error_steps")
    return listed.filter(pl.col("error_steps") < pl.col("n_steps")).height


def firsts(rows):
    """The first row of each official id."""
    named = {}
    for one in rows:
        named.setdefault(f"{one['classification']}_{one['idx']}", one)
    return named


def test_a_row_becomes_a_case(read):
    imported = read([row(4, "deception")])
    problem, steps = "What is twice 4?", row(4)["modified_process"]
    assert imported.benchmark == "prmbench"
    assert imported.cases.schema == CASES
    assert not imported.findings
    assert imported.cases.to_dicts() == [
        {
            **dict.fromkeys(CASES),
            "case": "prmbench/deception_sum_4",
            "key": content_key(problem, steps),
            "benchmark": "prmbench",
            "id": "deception_sum_4",
            "subset": "deception",
            "n_steps": 3,
            "earliest_error": 1,
            "error_steps": [1],
            "error_type": "deception",
            "error_category": "Sensitivity",
            "source": imported.source,
            "line": 1,
            "problem": problem,
            "steps": steps,
            "reason": "Step 2 asks for something else.",
            "original_problem": problem,
            "original_steps": row(4)["original_process"],
            "modified_steps": [1],
            "question": "Double 4.",
        }
    ]
    assert imported.twins.is_empty()


def test_the_modified_question_is_what_is_scored(read):
    imported = read([row(1, "missing_condition", modified_question="What is twice it?")])
    case = imported.cases.row(0, named=True)
    assert (case["problem"], case["original_problem"]) == ("What is twice it?", "What is twice 1?")


def test_another_solution_has_no_error_and_keeps_its_class(read):
    clean = row(1, "multi_solutions", error_steps=[], modified_steps=[], reason="", ground_truth="2")
    imported = read([clean])
    case = imported.cases.row(0, named=True)
    assert (case["earliest_error"], case["error_steps"], case["modified_steps"]) == (-1, [], [])
    assert (case["error_type"], case["subset"], case["error_category"]) == (*["multi_solutions"] * 2, "Sensitivity")
    assert (case["reference_answer"], case["reason"]) == ("2", None)
    assert not imported.findings
    assert codes(read([{**clean, "error_steps": [2]}])) == [("warning", "unexpected-errors")]


def test_a_redundency_case_has_a_twin(read):
    changed = row(3, "redundency", original_question="The original question?")
    imported = read([row(2), changed])
    assert imported.cases.height == 2
    assert imported.twins.schema == CASES
    assert imported.twins.to_dicts() == [
        {
            **dict.fromkeys(CASES),
            "case": "prmbench/correct_sum_3",
            "key": content_key("The original question?", row(3)["original_process"]),
            "benchmark": "prmbench",
            "id": "correct_sum_3",
            "n_steps": 3,
            "earliest_error": -1,
            "error_steps": [],
            "twin_of": "prmbench/redundency_sum_3",
            "source": imported.source,
            "line": 2,
            "problem": "The original question?",
            "steps": row(3)["original_process"],
            "question": row(3)["question"],
        }
    ]


def test_the_twin_is_the_same_where_idx_has_its_class_in_front(read):
    plain, composed = (read([row(3, "redundency", idx=idx)]) for idx in ("sum_3", "redundency_sum_3"))
    assert plain.cases.drop("line").equals(composed.cases.drop("line"))
    assert plain.twins.equals(composed.twins)


def test_a_repeated_row_has_no_second_twin(read):
    imported = read([row(3, "redundency"), row(3, "redundency", original_question="Another?")])
    assert imported.twins["problem"].to_list() == ["What is twice 3?"]
    assert codes(imported) == [("error", "repeated-id")]


@pytest.mark.parametrize("gone", ["original_question", "original_process"])
def test_a_row_without_original_has_no_twin_and_a_finding(read, gone):
    imported = read([row(0), row(3, "redundency", **{gone: ...})])
    assert imported.twins.is_empty()
    (finding,) = imported.findings
    assert (finding.severity, finding.code, finding.line, finding.case) == ("warning", "no-twin", 2, "redundency_sum_3")


def test_of_repeated_ids_only_the_published_ones_are_known(read):
    known = row(0, "multi_solutions", idx="prm_test_p2_863", error_steps=[], modified_steps=[])
    another = {**known, "idx": "prm_test_p2_864"}
    imported = read([known, known, another, another])
    assert imported.cases.height == 2
    assert codes(imported) == [("note", "repeated-id"), ("error", "repeated-id")]


def test_of_two_rows_of_one_key_the_first_is_the_case(read):
    first = row(0, "multi_solutions", idx="prm_test_p2_863", error_steps=[], modified_steps=[])
    imported = read([first, {**first, "modified_process": ["Another solution."]}])
    assert imported.cases["steps"].to_list() == [first["modified_process"]]


def test_one_idx_in_two_classes_is_two_cases(read):
    imported = read([row(1, "circular"), row(1, "deception")])
    assert imported.cases["id"].to_list() == ["circular_sum_1", "deception_sum_1"]
    assert imported.cases["key"].n_unique() == 1
    assert not imported.findings


@pytest.mark.parametrize("name", ["subset", "domain", "subject", "category"])
def test_a_domain_is_the_subset_and_the_class_stays_the_error_type(read, name):
    imported = read([row(1, **{name: "Physics"})])
    assert imported.cases.select("subset", "error_type").rows() == [("Physics", "circular")]
    assert not imported.findings


def test_fields_after_the_one_that_names_the_domain_are_not_looked_at(read):
    imported = read([row(1, subset="", domain="Physics", category=["a", "b"]), row(2, domain=5, category="Biology")])
    assert imported.cases["subset"].to_list() == ["Physics", "Biology"]
    assert [(one.code, one.line) for one in imported.findings] == [("wrong-type", 2)]


def test_twins_of_a_file_whose_texts_are_not_held_come_into_the_workspace(processbench_file, tmp_path, monkeypatch):
    values = [row(number, "redundency") for number in range(3)]
    path = processbench_file(values, "rows.jsonl")
    held = import_source(str(path))
    monkeypatch.setattr(base, "LARGE", 1)
    (spilled,) = read_source(str(path), ReadOptions(folder=tmp_path / "spilled")).imported
    made = []
    for name, imported in (("held", held), ("not held", spilled)):
        made.append(Workspace.create(tmp_path / name))
        made[-1].add([imported])
    # Once more, so that both are merged with what is there.
    (again,) = read_source(str(path), ReadOptions(folder=tmp_path / "again")).imported
    (added,) = made[1].add([again])
    assert (added.new, added.changed, added.unchanged) == (0, 0, 3)
    first, second = (workspace.cases(twins=True) for workspace in made)
    assert first[0].height == 6
    assert second[0].equals(first[0])
    assert second[1].frame().equals(first[1].frame())


def test_an_unknown_class_is_kept_as_it_stands(read):
    imported = read([row(1, "new_class")])
    case = imported.cases.row(0, named=True)
    assert (case["id"], case["error_type"], case["subset"]) == ("new_class_sum_1", "new_class", "new_class")
    assert case["error_category"] is None
    assert "'new_class' is not one of PRMBench's" in imported.findings[0].message


def test_rows_divided_as_published_are_noted(read):
    values = [
        row(number, name, **({"error_steps": [], "modified_steps": []} if name == prmbench.CLEAN_CLASS else {}))
        for name, one in prmbench.CLASSES.items()
        for number in range(one.rows)
    ]
    assert codes(read(values)) == [("note", "official-counts")]


def test_recognition():
    assert prmbench.recognises(row())
    assert prmbench.recognises(row(classification="new_class"))
    assert prmbench.recognises(row(classification=...))
    assert not prmbench.recognises(row(classification="detection_error"))
    assert not prmbench.recognises(row(error_steps=...))
    assert not prmbench.recognises([row()])


def test_the_facts_agree():
    assert sum(one.rows for one in prmbench.CLASSES.values()) == prmbench.OFFICIAL.rows
    assert Counter(one.category for one in prmbench.CLASSES.values()) == {
        "Simplicity": 2,
        "Soundness": 4,
        "Sensitivity": 3,
    }
    assert len({one.abbreviation for one in prmbench.CLASSES.values()}) == 9


def test_the_published_files_import_without_warnings(published):
    _, imports = published
    assert {imported.benchmark for imported in imports} == {"prmbench"}
    assert {worst(imported.findings) for imported in imports} <= {"note", None}


def test_the_published_counts(published):
    rows, imports = published
    frame, kept = cases(imports), firsts(rows)
    assert sum(imported.read for imported in imports) == len(rows) == 3_013
    assert frame["case"].n_unique() == frame.height == len(kept) == 3_008
    found = [finding for imported in imports for finding in imported.findings if finding.code == "repeated-id"]
    assert len(found) == len(rows) - len(kept) == 5
    assert {finding.case for finding in found} == prmbench.REPEATED
    assert sum(len(one["modified_process"]) for one in rows) == 36_305
    assert frame["n_steps"].sum() == sum(len(one["modified_process"]) for one in kept.values())
    assert frame["error_steps"].list.len().sum() == sum(len(one["error_steps"]) for one in rows) == 6_090
    assert within(frame) == 6_030
    # No listed step is in a row whose id repeats.
    assert within(frame) == sum(step <= len(one["modified_process"]) for one in rows for step in one["error_steps"])


def test_the_published_classes(published):
    rows, imports = published
    assert Counter(cases(imports)["error_type"]) == Counter(one["classification"] for one in firsts(rows).values())
    assert Counter(one["classification"] for one in rows) == {
        **dict.fromkeys(("circular", "confidence", "domain_inconsistency", "redundency", "step_contradiction"), 357),
        **dict.fromkeys(("counterfactual", "missing_condition"), 356),
        "deception": 351,
        "multi_solutions": 165,
    }
    clean = cases(imports).filter(pl.col("earliest_error") == -1)
    assert set(clean["error_type"]) == {"multi_solutions"}
    assert clean.height == 160


def test_every_published_redundency_case_has_a_twin(published):
    rows, imports = published
    twins = pl.concat([imported.twins for imported in imports])
    wanted = {name: one for name, one in firsts(rows).items() if one["classification"] == "redundency"}
    assert twins.height == len(wanted) == 357
    for twin in twins.iter_rows(named=True):
        one = wanted[twin["twin_of"].removeprefix("prmbench/")]
        assert twin["id"] == f"correct_{one['idx']}"
        assert (twin["problem"], twin["steps"]) == (one["original_question"], one["original_process"])


def test_every_published_case_is_its_row_counted_from_0(published):
    rows, imports = published
    kept = firsts(rows)
    for case in cases(imports).iter_rows(named=True):
        one = kept[case["id"]]
        assert (case["problem"], case["steps"]) == (one["modified_question"], one["modified_process"])
        assert (case["original_problem"], case["original_steps"]) == (one["original_question"], one["original_process"])
        assert [step + 1 for step in case["error_steps"]] == one["error_steps"]
        assert [step + 1 for step in case["modified_steps"]] == sorted(one["modified_steps"])
        inside = [step - 1 for step in one["error_steps"] if step <= len(one["modified_process"])]
        assert case["earliest_error"] == (min(inside, default=None) if one["error_steps"] else -1)


def test_what_is_odd_in_the_published_files_is_noted(published):
    rows, imports = published
    found = Counter(finding.code for imported in imports for finding in imported.findings)
    beyond = [one for one in rows if any(step > len(one["modified_process"]) for step in one["error_steps"])]
    nowhere = [one for one in beyond if min(one["error_steps"]) > len(one["modified_process"])]
    empty = [one for one in rows if any(not step.strip() for step in one["modified_process"])]
    assert found["label-beyond-end"] == len(beyond) == 43
    assert found["no-error-in-range"] == len(nowhere) == cases(imports)["earliest_error"].null_count() == 4
    assert found["empty-step"] == len(empty) == 2
    assert found["one-step"] == sum(len(one["modified_process"]) == 1 for one in rows) == 1
    assert found["unchanged-process"] == sum(one["modified_process"] == one["original_process"] for one in rows) == 0
    assert found["unordered-steps"] == sum(one["error_steps"] != sorted(set(one["error_steps"])) for one in rows) == 0
    assert "prm_test_p1_24" in {one["idx"] for one in beyond}
    ids = {finding.case for imported in imports for finding in imported.findings if finding.code == "one-step"}
    assert ids == {"missing_condition_prm_test_p2_1351"}


def test_every_published_file_with_errors_is_flagged_if_shifted(data_folder, read, published):
    for number, file in enumerate(sorted((data_folder / "prmbench").glob("*.jsonl"))):
        values = shortened(plain(file))
        if any(one["error_steps"] for one in values):
            for by in one_of((-1, 1), number):
                assert ("warning", "label-base") in codes(read(shifted(values, by))), file.name


def test_the_whole_benchmark(data_folder):
    files = sorted((data_folder / "prmbench").glob("*.jsonl"))
    if len(files) < 25:
        pytest.skip("not all 25 files of PRMBench; put them in a folder prmbench of PRM_INSPECT_DATA")
    imports = [import_source(str(file)) for file in files]
    frame = cases(imports)
    assert {worst(imported.findings) for imported in imports} <= {"note", None}
    assert sum(imported.read for imported in imports) == prmbench.OFFICIAL.rows
    assert (frame.height, sum(imported.twins.height for imported in imports)) == (6_211, 758)
    assert sum(len(one["modified_process"]) for file in files for one in plain(file)) == prmbench.OFFICIAL.steps
    assert frame["error_steps"].list.len().sum() == prmbench.OFFICIAL.listed
    assert within(frame) == prmbench.OFFICIAL.in_range
    found = Counter(finding.code for imported in imports for finding in imported.findings)
    assert {code: found[code] for code in prmbench.KNOWN} == prmbench.KNOWN
