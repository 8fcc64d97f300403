"""Everything else that is known of a case, and copying."""

import pytest

import making
from inspector.case_page.copied_text import copied, whole_case
from inspector.case_page.facts import findings_of, known
from inspector.case_page.open_case import Stop
from inspector.state.opening import inspect
from reference import Case
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.findings import Finding
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.workspace import Workspace
from shown_case import at_hand, seen

RAW = ["First $\\frac{1}{2}$.", "A \x1b[31mred\x1b[0m step", "Last."]


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    root = tmp_path_factory.mktemp("facts")
    cases = [Case(3, 1), Case(2, -1)]
    making.workspace(
        root,
        cases,
        [],
        problem=["What is $x$?", "And $y$?"],
        steps=[RAW, ["one", "two"]],
        reason=["Because $x$.", None],
        error_type=["slip", None],
        agreement=[0.75, None],
        generator=["m\x1b1", None],
        final_answer_correct=[False, None],
        step_patterns=[["deduction", "deduction", "analogy"], None],
        modified_steps=[[1, 2], None],
        problem_id=["p7", None],
        reference_answer=["$x$", None],
        earliest_error_as_given=[7, None],
        error_type_as_given=["a sleep", None],
    )
    return inspect(load(Query(workspace=str(root))))


def test_all_that_is_known_has_a_name_and_a_value(start):
    found = known(at_hand(start, 0))
    assert found["case"] == "bench/c0"
    assert found["error type"] == "slip"
    assert found["agreement"] == "0.75"
    assert found["final answer correct"] == "no"
    assert found["read from"] == "made.jsonl:1"
    assert found["step patterns"] == "0-1 deduction, 2 analogy"
    assert found["modified steps"] == "1, 2"
    assert found["problem id"] == "p7"
    assert len(found["key"]) == 32
    bare = known(at_hand(start, 1))
    assert not {"error type", "agreement", "step patterns", "modified steps"} & set(bare)


def test_they_are_one_line_or_a_line_each_and_nothing_acts(start):
    page, lines = seen(start, 0)
    (line,) = [line for line in lines if line.startswith("Facts")]
    assert line.endswith("(v f shows all)")
    assert page.stops[-1] == (Stop("facts"), lines.index(line))
    _, opened = seen(start, 0, facts=True)
    assert "Facts  (v f folds them)" in opened
    assert "  generator             m␛1" in opened
    assert "  read from             made.jsonl:1" in opened
    assert all(line.isprintable() for line in opened)
    _, turned = seen(start, 0, turned=frozenset({Stop("facts")}))
    assert turned == opened


def test_blind_tells_nothing_of_the_labels(start):
    found = known(at_hand(start, 0, blind=True))
    assert not {"error type", "agreement", "final answer correct", "modified steps", "pattern"} & set(found)
    text = "\n".join(seen(start, 0, blind=True, facts=True)[1])
    assert "a sleep" in "\n".join(seen(start, 0, facts=True)[1])
    for word in ("slip", "Because", "0.75", "final answer", "Answer", "as given", "a sleep"):
        assert word not in text


def test_what_is_copied_is_the_raw_text(start):
    shown = at_hand(start, 0)
    assert copied(shown, Stop("step", 0)) == (RAW[0], "step 0 of bench/c0")
    assert copied(shown, Stop("step", 1))[0] == RAW[1]
    assert copied(shown, Stop("problem")) == ("What is $x$?", "the problem of bench/c0")
    assert copied(shown, Stop("gold")) == ("Because $x$.", "the gold reason of bench/c0")
    assert copied(shown, Stop("facts")) == ("bench/c0", "the name of the case")
    assert copied(at_hand(start, 1), Stop("gold"))[0] == "bench/c1"
    text, what = whole_case(shown)
    assert what == "the whole case bench/c0"
    assert text.splitlines() == [
        "bench/c0",
        "",
        "What is $x$?",
        "",
        "[0] First $\\frac{1}{2}$.",
        "[1] A \x1b[31mred\x1b[0m step",
        "[2] Last.",
        "",
        "earliest error: 1",
        "reason: Because $x$.",
    ]
    assert "earliest" not in whole_case(at_hand(start, 0, blind=True))[0]


def test_what_the_import_noticed_about_the_case_stands_there(tmp_path):
    frame = making.full_frame([Case(2, 1), Case(2, -1)])
    findings = (
        Finding("note", "one", "step 9 is beyond the end", "made.jsonl", line=1, case="c0"),
        Finding("warning", "two", "odd \x1b[31mlabel", "made.jsonl", case="c0"),
        Finding("note", "three", "counts as published", "made.jsonl"),
        Finding("note", "four", "of the other", "made.jsonl", line=2),
    )
    Workspace.create(tmp_path).add([Imported("bench", "made.jsonl", "made", "0-based", 2, frame, findings)])
    start = inspect(load(Query(workspace=str(tmp_path))))
    assert sorted(findings_of(at_hand(start, 0))) == ["note: step 9 is beyond the end", "warning: odd \x1b[31mlabel"]
    assert findings_of(at_hand(start, 1)) == ("note: of the other",)
    text = "\n".join(seen(start, 0, facts=True)[1])
    assert "note: step 9 is beyond the end" in text
    assert "odd ␛[31mlabel" in text
    assert "counts as published" not in text
    assert "beyond the end" not in "\n".join(seen(start, 0, facts=True, blind=True)[1])


def test_blank_lines_around_a_text_take_no_room_unless_it_is_raw(tmp_path):
    making.workspace(tmp_path, [Case(2, -1)], [], steps=[["\n\none\n\n\n\ntwo\n\n \n", "three"]])
    start = inspect(load(Query(workspace=str(tmp_path))))
    page, lines = seen(start, 0)
    assert [line.strip() for line in lines[page.starts[0] : page.starts[1]]] == ["0 one", "", "two"]
    page, _ = seen(start, 0, raw=True)
    assert page.starts[1] - page.starts[0] == 10
