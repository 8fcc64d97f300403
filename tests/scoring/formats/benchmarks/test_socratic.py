import re
from collections import Counter

import polars as pl
import pytest

from imports import import_published, import_source
from modified import ELSEWHERE, codes, plain, row, shifted, shortened
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks import prmbench, socratic
from scoring.formats.reading.findings import worst
from thoroughness import one_of

PUT_THEM = "put them in a folder socratic-prmbench of PRM_INSPECT_DATA"


@pytest.fixture
def read(processbench_file):
    """Imports authored rows, whose benchmark their content shows."""
    return lambda values, name="rows.jsonl": import_source(str(processbench_file(values, name)))


@pytest.fixture(scope="module")
def published(data_folder):
    """Fourteen of the published files: their rows as plain JSON, and what importing each gave."""
    folder = data_folder / "socratic-prmbench"
    files = [folder / f"test_{name}.jsonl" for name in sorted(socratic.CLASSES.keys() - ELSEWHERE)]
    if not all(file.is_file() for file in files):
        pytest.skip(f"not all of the 14 files of Socratic-PRMBench; {PUT_THEM}")
    rows = [one for file in files for one in plain(file)]
    return rows, [import_published(file) for file in files]


def cases(imports):
    return pl.concat([imported.cases for imported in imports])


def within(frame):
    """How many listed error steps are steps of their solution."""
    listed = frame.select("n_steps", "error_steps").explode("error_steps")
    return listed.filter(pl.col("error_steps") < pl.col("n_steps")).height


def sums(number=0, classification="premise_redundancy", **changes):
    return row(number, classification, **{"idx": f"sums#{number}", **changes})


def test_a_row_becomes_a_case(read):
    imported = read([sums(4)])
    problem, steps = "What is twice 4?", row(4)["modified_process"]
    assert imported.benchmark == "socratic"
    assert imported.cases.schema == CASES
    assert not imported.findings
    assert imported.twins.is_empty()
    assert imported.cases.to_dicts() == [
        {
            **dict.fromkeys(CASES),
            "case": "socratic/premise_redundancy_sums#4",
            "key": content_key(problem, steps),
            "benchmark": "socratic",
            "id": "premise_redundancy_sums#4",
            "subset": "premise_redundancy",
            "n_steps": 3,
            "earliest_error": 1,
            "error_steps": [1],
            "error_type": "premise_redundancy",
            "error_kind": "redundancy",
            "pattern": "Deduction",
            "origin": "sums",
            "language": "en",
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


@pytest.mark.parametrize(
    ("idx", "origin"),
    [
        ("gsm8k_test#12", "gsm8k_test"),
        ("a-b#c#3", "a-b"),
        ("premise_redundancy_x#1", "x"),
        ("plain_3", None),
        (3, None),
    ],
)
def test_the_origin_stands_before_the_mark(read, idx, origin):
    assert read([sums(idx=idx)]).cases["origin"].to_list() == [origin]


@pytest.mark.parametrize("idx", [..., " "])
def test_an_id_made_of_the_files_name_tells_no_origin(read, idx):
    assert read([sums(idx=idx)], "made#up.jsonl").cases["origin"].to_list() == [None]


@pytest.mark.parametrize(
    ("changes", "language"),
    [
        ({}, "en"),
        ({"modified_question": "两倍是多少？"}, "zh"),
        ({"modified_process": ["Let n = 1.", "乘以三。", "Add."]}, "zh"),
        ({"modified_question": "Señor, α ≤ β？ かな"}, "en"),
        ({"reason": "错误"}, "en"),
    ],
)
def test_the_language(read, changes, language):
    assert read([sums(**changes)]).cases["language"].to_list() == [language]


def test_tags_name_the_pattern_of_a_step_and_stay_in_it(read):
    steps = ["<Transformation>: n is asked.", "Step 2\n< deduction > 3n.", "No tag, though <Integration> is named."]
    case = read([sums(modified_process=steps)]).cases.row(0, named=True)
    assert case["step_patterns"] == ["Transformation", "Deduction", None]
    assert case["steps"] == steps


@pytest.mark.parametrize("step", ["Transformation: n.", "<extra_0> n.", "<Deductions> n.", "n < Deduction > m"])
def test_what_is_no_tag(read, step):
    assert read([sums(modified_process=[step, "b"])]).cases["step_patterns"].to_list() == [None]


def test_an_unknown_class_is_kept_without_pattern_where_the_benchmark_is_said(processbench_file):
    path = processbench_file([sums(1, "new_error"), sums(2)], "rows.jsonl")
    imported = import_source(str(path), "socratic")
    case = imported.cases.row(0, named=True)
    assert (case["error_type"], case["subset"], case["pattern"], case["error_kind"]) == (*["new_error"] * 2, None, None)
    assert codes(imported) == [("warning", "unknown-class")]


def test_a_case_without_error_is_looked_at(read):
    assert codes(read([sums(error_steps=[])])) == [("warning", "unexpected-errors")]


def test_a_repeated_row_is_left_out_with_an_error(read):
    imported = read([sums(1), sums(1), sums(2)])
    assert imported.cases.height == 2
    assert codes(imported) == [("error", "repeated-id")]


def test_rows_divided_as_published_are_noted(read):
    last = {one.pattern: name for name, one in socratic.CLASSES.items()}
    values = [sums(number, last[name]) for name, count in socratic.PATTERNS.items() for number in range(count)]
    assert codes(read(values)) == [("note", "official-counts")]
    values[0] = sums(5_000, "detection_error")
    imported = read(values)
    assert codes(imported) == [("warning", "not-official-counts")]
    assert "Transformation 312 (published 313), Verification 216 (published 215)" in imported.findings[0].message


def test_recognition():
    for name in socratic.CLASSES:
        assert socratic.recognises(sums(classification=name))
        assert not prmbench.recognises(sums(classification=name))
    assert not socratic.recognises(row(classification="circular"))
    assert not socratic.recognises(row(classification="new_class"))
    assert not socratic.recognises({"classification": "detection_error"})
    assert not socratic.recognises(None)


def test_the_facts_agree():
    every = socratic.CLASSES.values()
    assert len({one.name for one in every}) == len({one.abbreviation for one in every}) == len(every) == 20
    assert list(dict.fromkeys(one.pattern for one in every)) == list(socratic.PATTERNS)
    assert sum(socratic.PATTERNS.values()) == socratic.OFFICIAL.rows
    kinds = {}
    for one in every:
        kinds.setdefault(one.kind, set()).add(one.abbreviation)
    assert kinds == {
        "redundancy": {"DR", "GR", "PR", "IR"},
        "incompleteness": {"DC", "GC", "PC", "IC"},
        "inconsistency": {"TT", "CT", "IT"},
        "unsoundness": {"DS", "PS", "IS"},
        "counter-factuality": {"TF", "CF"},
        "imprecision": {"GP"},
        "invalidity": {"CV"},
        "detection": {"DE"},
        "correction": {"CE"},
    }


def test_the_published_files_import_without_warnings(published):
    _, imports = published
    assert {imported.benchmark for imported in imports} == {"socratic"}
    assert {worst(imported.findings) for imported in imports} <= {"note", None}


def test_the_published_counts(published):
    rows, imports = published
    frame = cases(imports)
    assert frame["case"].n_unique() == frame.height == len(rows) == 2_062
    assert frame["n_steps"].sum() == sum(len(one["modified_process"]) for one in rows) == 18_127
    assert frame["error_steps"].list.len().sum() == sum(len(one["error_steps"]) for one in rows) == 5_742
    assert within(frame) == 5_659
    assert within(frame) == sum(step <= len(one["modified_process"]) for one in rows for step in one["error_steps"])
    assert not frame["earliest_error"].eq(-1).any()


def test_the_published_patterns(published):
    rows, imports = published
    frame = cases(imports)
    prefixes = {
        "Transformation": "repeat_",
        "Decomposition": "decomposition_",
        "Regather": "regather_",
        "Deduction": ("premise_", "conclusion_"),
        "Verification": ("detection_", "correction_"),
        "Integration": "integration_",
    }
    counts = {name: sum(one["classification"].startswith(start) for one in rows) for name, start in prefixes.items()}
    assert Counter(frame["pattern"]) == counts
    # Verification is the pattern none of whose files is left to the whole benchmark.
    assert counts["Verification"] == socratic.PATTERNS["Verification"] == 215
    assert all(counts[name] <= published for name, published in socratic.PATTERNS.items())
    assert Counter(frame["subset"]) == Counter(one["classification"] for one in rows)


def test_published_origins_and_languages(published):
    rows, imports = published
    frame = cases(imports)
    assert Counter(frame["origin"]) == Counter(one["idx"].split("#")[0] for one in rows)
    assert set(frame["origin"]) == {"OlympiadBench", "mathbench-A", "Omni-MATH", "gsm8k_test"}
    han = re.compile("[\u4e00-\u9fff]")
    chinese = [bool(han.search(one["modified_question"] + "".join(one["modified_process"]))) for one in rows]
    assert frame["language"].eq("zh").to_list() == chinese
    assert sum(chinese) == 718
    assert frame["step_patterns"].null_count() == frame.height


def test_every_published_case_is_its_row_counted_from_0(published):
    rows, imports = published
    named = {f"{one['classification']}_{one['idx']}": one for one in rows}
    for case in cases(imports).iter_rows(named=True):
        one = named[case["id"]]
        assert (case["problem"], case["steps"]) == (one["modified_question"], one["modified_process"])
        assert [step + 1 for step in case["error_steps"]] == one["error_steps"]
        assert [step + 1 for step in case["modified_steps"]] == sorted(one["modified_steps"])
        inside = [step - 1 for step in one["error_steps"] if step <= len(one["modified_process"])]
        assert case["earliest_error"] == min(inside, default=None)


def test_what_is_odd_in_the_published_files_is_noted(published):
    rows, imports = published
    found = Counter(finding.code for imported in imports for finding in imported.findings)
    beyond = [one for one in rows if any(step > len(one["modified_process"]) for step in one["error_steps"])]
    nowhere = [one for one in beyond if min(one["error_steps"]) > len(one["modified_process"])]
    empty = [one for one in rows if any(not step.strip() for step in one["modified_process"])]
    assert found["label-beyond-end"] == len(beyond) == 64
    assert found["no-error-in-range"] == len(nowhere) == cases(imports)["earliest_error"].null_count() == 6
    assert found["empty-step"] == len(empty) == 3
    assert found["one-step"] == sum(len(one["modified_process"]) == 1 for one in rows) == 4
    assert found["unchanged-process"] == sum(one["modified_process"] == one["original_process"] for one in rows) == 35
    assert found["unordered-steps"] == 0
    assert "mathbench-A#254" in {one["idx"] for one in beyond}


def test_every_published_file_is_flagged_if_shifted(data_folder, read, published):
    for number, file in enumerate(sorted((data_folder / "socratic-prmbench").glob("*.jsonl"))):
        values = shortened(plain(file))
        for by in one_of((-1, 1), number):
            assert ("warning", "label-base") in codes(read(shifted(values, by))), file.name


def test_the_whole_benchmark(data_folder):
    files = sorted((data_folder / "socratic-prmbench").glob("*.jsonl"))
    if len(files) < 20:
        pytest.skip(f"not all 20 files of Socratic-PRMBench; {PUT_THEM}")
    imports = [import_source(str(file)) for file in files]
    frame = cases(imports)
    assert {worst(imported.findings) for imported in imports} <= {"note", None}
    assert frame["case"].n_unique() == frame.height == socratic.OFFICIAL.rows
    assert Counter(frame["pattern"]) == socratic.PATTERNS
    assert frame["n_steps"].sum() == socratic.OFFICIAL.steps
    assert frame["error_steps"].list.len().sum() == socratic.OFFICIAL.listed
    assert within(frame) == socratic.OFFICIAL.in_range
    found = Counter(finding.code for imported in imports for finding in imported.findings)
    assert {code: found[code] for code in socratic.KNOWN} == socratic.KNOWN
