import pytest

from authored import row as processbench_row
from benchmark_rows import PROBLEM, STEPS, grben, rows_of
from scoring.data.schema import CASES, content_key
from scoring.formats.benchmarks import processbench
from scoring.formats.benchmarks.grben import ERROR_TYPES, GROUPS, OFFICIAL, load, recognises


def codes(imported):
    return [(finding.severity, finding.code) for finding in imported.findings]


def one(**changes):
    imported = load(rows_of([grben(**changes)]))
    assert imported.cases.height == 1
    return imported.cases.row(0, named=True), imported


def test_a_row_becomes_a_case():
    case, imported = one()
    assert imported.cases.schema == CASES
    assert not imported.findings
    assert case == {
        **dict.fromkeys(CASES),
        "case": "grben/physics-0",
        "key": content_key(PROBLEM, STEPS),
        "benchmark": "grben",
        "id": "physics-0",
        "subset": "physics",
        "subset_group": "science",
        "generator": "a-model",
        "n_steps": 3,
        "earliest_error": 1,
        "error_type": "factual",
        "error_type_as_given": "Factual error",
        "final_answer_correct": False,
        "reason": "A box holds four.",
        "source": "folder/made.jsonl",
        "line": 1,
        "problem": PROBLEM,
        "steps": STEPS,
    }


def test_a_clean_row_has_no_error_steps():
    case, imported = one(label=-1, error_type=None, reason=None, final_answer_correct=True)
    assert (case["earliest_error"], case["error_steps"], case["error_type"]) == (-1, [], None)
    assert not imported.findings


@pytest.mark.parametrize(("label", "earliest"), [(1, 0), (2, 1), (3, 2), (2.0, 1), (-1, -1)])
def test_labels_count_from_1(label, earliest):
    case, imported = one(label=label)
    assert case["earliest_error"] == earliest
    assert not imported.findings


@pytest.mark.parametrize("label", [4, 12])
def test_a_label_beyond_the_last_step_is_the_last_step_and_this_is_said(label):
    imported = load(rows_of([grben(), grben(1, label=label), grben(2, label=1)]))
    assert imported.cases["earliest_error"].to_list() == [1, 2, 0]
    assert codes(imported) == [("warning", "label-clamped")]
    assert f"label {label} is beyond the last of 3 steps" in imported.findings[0].message
    assert imported.findings[0].line == 2
    assert "1 are beyond the last step" in imported.label_base


@pytest.mark.parametrize(
    ("label", "code"), [(-2, "bad-label"), ("2", "wrong-type"), (None, "wrong-type"), (True, "wrong-type")]
)
def test_a_label_that_is_none_is_null_with_a_warning(label, code):
    case, imported = one(label=label)
    assert (case["earliest_error"], case["error_steps"]) == (None, None)
    assert codes(imported) == [("warning", code)]


def test_a_file_that_counts_from_0_is_flagged():
    imported = load(rows_of([grben(number, label=number % 3) for number in range(6)]))
    assert codes(imported).count(("warning", "bad-label")) == 2
    assert codes(imported)[-1] == ("warning", "label-base")
    assert "look 0-based" in imported.findings[-1].message


def test_a_file_that_is_one_too_high_is_flagged():
    imported = load(rows_of([grben(number, label=number % 3 + 2) for number in range(6)]))
    assert codes(imported)[-1] == ("warning", "label-base")
    assert "one too high" in imported.findings[-1].message


@pytest.mark.parametrize(
    ("given", "domain", "group"),
    [
        *((domain, domain, group) for group, domains in GROUPS.items() for domain in domains),
        ("Computer Science", "computer-science", "science"),
        ("folio", "FOLIO", "logic"),
        (" LogiQA ", "Logiqa", "logic"),
    ],
)
def test_domains_and_their_groups(given, domain, group):
    case, imported = one(domain=given)
    assert (case["subset"], case["subset_group"]) == (domain, group)
    assert not imported.findings


def test_another_domain_is_kept_with_a_warning():
    case, imported = one(domain="law")
    assert (case["subset"], case["subset_group"]) == ("law", None)
    assert codes(imported) == [("warning", "unknown-domain")]


@pytest.mark.parametrize("domain", [..., None, "", "  "])
def test_a_row_without_domain_is_kept_with_a_warning(domain):
    case, imported = one(domain=domain)
    assert (case["subset"], case["subset_group"]) == (None, None)
    assert codes(imported) == [("warning", "no-domain")]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [*((name, name) for name in ERROR_TYPES)]
    + [(f"{name.capitalize()} error", name) for name in ERROR_TYPES]
    + [("Knowledge error", "knowledge-based"), ("knowledge_based Errors", "knowledge-based"), ("Other", "others")]
    + [("", None), (None, None)],
)
def test_error_types_by_their_names(given, wanted):
    case, imported = one(error_type=given)
    assert case["error_type"] == wanted
    assert not imported.findings


def test_another_error_type_is_kept_with_a_warning():
    case, imported = one(error_type="Spelling error")
    assert case["error_type"] == "Spelling error"
    assert codes(imported) == [("warning", "unknown-error-type")]


def test_the_kind_of_reasoning_of_a_domain_is_no_pattern():
    assert one(domain="FOLIO")[0]["pattern"] is None


@pytest.mark.parametrize(("changes", "code"), [({"steps": []}, "no-steps"), ({"problem": ...}, "wrong-type")])
def test_a_row_without_usable_text_is_left_out(changes, code):
    imported = load(rows_of([grben(), grben(1, **changes)]))
    assert imported.cases["id"].to_list() == ["physics-0"]
    assert codes(imported) == [("error", code)]


@pytest.mark.parametrize("count", [409, 410, 411, 412])
def test_the_published_counts_are_noted_both_where_two_are_published(count):
    imported = load(rows_of([grben(number, domain="FOLIO") for number in range(count)]))
    noted = [finding.message for finding in imported.findings if finding.code == "official-counts"]
    assert noted == ([f"FOLIO: {count} cases, as published"] if count in OFFICIAL["FOLIO"] else [])
    assert sum(counts[0] for counts in OFFICIAL.values()) == 3595


@pytest.mark.parametrize("changes", [{}, {"error_type": ...}, {"domain": ...}])
def test_recognition_leaves_processbench_alone(changes):
    assert recognises(grben(**changes))
    assert not processbench.recognises(grben(**changes))
    assert not recognises(processbench_row())


def test_what_has_another_layout_is_not_recognised():
    for value in (None, [], {}, "x", 5, grben(label=...), grben(steps=...), grben(modified_process=STEPS)):
        assert not recognises(value)
