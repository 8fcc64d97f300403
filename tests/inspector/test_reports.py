"""The report of an import: it fits a screen, and what it leaves out it counts."""

import re
from collections import Counter
from dataclasses import replace

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.cli import main
from inspector.shell.reports import reports
from results_and_cases import case, cases_of, results
from scoring.benchmarks.imported import Imported, cases_frame
from scoring.importing.found import Found
from scoring.importing.joining import join
from scoring.reading.findings import Finding

SEVERITIES = ("error", "warning", "note")


def imported(source="in/a.jsonl", findings=(), benchmark="sums", labels=(0, -1), read=None, base="0-based (seen)"):
    rows = [
        {"id": f"{source}-{at}", "problem": f"p{at}", "steps": ["x"], "earliest_error": label, "line": at}
        for at, label in enumerate(labels)
    ]
    cases = cases_frame(benchmark, source, rows)
    return Imported(
        benchmark, source, "JSON Lines", base, len(labels) if read is None else read, cases, tuple(findings)
    )


def joined(name, source="in/r.jsonl", given=("a", "b"), findings=()):
    cases = cases_of("sums", *(case(one, 1) for one in "ab"))
    rows = [{"id": one, "rewards": [0.5]} for one in given]
    made = results(*rows, source=source, name=name, findings=tuple(findings))
    return join(made, cases, "sums")


def told(*sources, results=(), skipped=(), **how):
    return list(reports(Found(tuple(sources), tuple(results), tuple(skipped)), **how))


def finding(severity="note", code="odd", source="in/a.jsonl", line=7, message="it is odd", case=None):
    return Finding(severity, code, message, source, line, case)


FINDINGS = st.lists(
    st.builds(
        finding,
        st.sampled_from(SEVERITIES),
        st.sampled_from([f"code-{number}" for number in range(30)]),
        st.sampled_from([f"in/{number}.jsonl" for number in range(40)]),
        st.none() | st.integers(1, 9999),
        st.text("xyz ", min_size=1, max_size=300),
    ),
    max_size=60,
)


def counts(lines):
    """How many findings of each severity the lines account for, by their numbers."""
    found = Counter()
    for line in lines:
        if match := re.match(r" *(error|warning|note): ([\d,]+) (x|more)", line):
            found[match[1]] += int(match[2].replace(",", ""))
    return found


@given(FINDINGS, st.integers(1, 60))
def test_however_much_there_is_it_fits_a_screen_and_all_of_it_is_counted(findings, number):
    each = [
        imported(f"in/{at}.jsonl", [one for one in findings if one.source == f"in/{at}.jsonl"], f"bench-{at % 20}")
        for at in range(number)
    ]
    there = Counter(one.severity for source in each for one in source.findings)
    scorers = [joined(f"scorer-{at}") for at in range(number - 1)]
    lines = told(*each, results=scorers)
    assert len(lines) <= 56
    assert counts(lines) == there
    if len(each) + len(scorers) > 1:
        head = "; ".join(f"{there[one]:,} {one}{'s' * (there[one] != 1)}" for one in SEVERITIES if there[one])
        assert lines[0].endswith(head.replace("; ", ", "))


@given(FINDINGS)
def test_of_one_file_the_report_is_short_and_all_of_it_is_counted(findings):
    there = [Finding(one.severity, one.code, one.message, "in/a.jsonl", one.line) for one in findings]
    lines = told(imported(findings=there))
    assert len(lines) <= 4 + 6 * 3 + 4 * 3 + 4
    assert counts(lines) == Counter(one.severity for one in there)
    notes = [line.startswith("  note: ") for line in lines if re.match(r"  (error|warning|note): ", line)]
    assert notes == sorted(notes)


@given(FINDINGS)
def test_verbose_lists_every_finding(findings):
    each = [imported(f"in/{at}.jsonl", [one for one in findings if one.source == f"in/{at}.jsonl"]) for at in range(40)]
    lines = told(*each, verbose=True)
    places = [f"    {f'line {one.line}: ' if one.line is not None else ''}{one.message}" for one in findings]
    assert Counter(line for line in lines if line in places) == Counter(places)


def test_errors_and_warnings_come_before_notes_with_file_and_line():
    notes = [finding("note", "many", line=at) for at in range(50)]
    grave = [
        finding("warning", "label", "in/b.jsonl", 3, "label 9", "c-3"),
        finding("error", "row", "in/b.jsonl", 8, "broken"),
    ]
    lines = told(imported(findings=notes), imported("in/b.jsonl", grave))
    assert lines == [
        "2 files in in: 4 cases of 1 benchmark; 1 error, 1 warning, 50 notes",
        "  benchmark  files  rows  cases  erroneous  clean",
        "  sums           2     4      4          2      2",
        "  labels: sums 0-based",
        "error: 1 x row in 1 file",
        "  b.jsonl:8: broken",
        "warning: 1 x label in 1 file",
        "  b.jsonl:3: label 9 [c-3]",
        "note: 50 x many in 1 file: it is odd (a.jsonl:0)",
        "-v lists every file and finding.",
    ]


def test_places_are_of_as_many_files_as_possible_and_the_files_are_counted():
    def each(source, number):
        return imported(source, [finding("warning", "label", source, line) for line in range(1, number + 1)])

    lines = told(each("in/a.jsonl", 2), each("in/b.jsonl", 9), each("in/c.jsonl", 1), each("in/d.jsonl", 3))
    at = lines.index("warning: 15 x label in 4 files (b.jsonl 9, d.jsonl 3, a.jsonl 2 and 1 more file)")
    assert lines[at + 1 : at + 5] == [
        "  a.jsonl:1: it is odd",
        "  b.jsonl:1: it is odd",
        "  c.jsonl:1: it is odd",
        "  ... and 12 more",
    ]


def test_kinds_of_notes_that_are_not_shown_are_named_with_their_numbers():
    notes = [finding(code=f"kind-{at}") for at in range(7) for _ in range(9 - at)]
    assert told(imported(), imported("in/b.jsonl", notes))[-2] == "note: 12 more: 5 x kind-4, 4 x kind-5, 3 x kind-6"


def test_scorers_with_the_same_to_tell_share_a_line_and_those_that_lack_something_come_first():
    every = [joined(f"s{at}") for at in range(5)]
    lines = told(imported(), results=[*every, joined("late", given=("a", "zz", "b"))])
    rule = "step rewards; wrong iff its reward < 0.5 (default)"
    assert lines[0].startswith("2 files in in: 2 cases of 1 benchmark; 6 PRMs; 1 warning")
    assert [line for line in lines if " joined to " in line] == [
        f"  late: 2 of 3 joined to sums by ids, 1 not; {rule}",
        f"  s0, s1, s2 and 2 more: 2 of 2 joined to sums by ids; {rule}",
    ]


def test_of_many_subsets_the_first_are_named_and_the_others_counted():
    one = imported(labels=[0] * 30)
    named = pl.Series("subset", [f"s{at % 20}" for at in range(30)])
    one = replace(one, cases=one.cases.with_columns(named))
    first = ", ".join(f"s{at} {2 if at < 10 else 1}" for at in range(12))
    assert told(one)[2] == f"  subsets: {first} and 8 more subsets"
    assert told(one, verbose=True)[2].endswith(", s19 1")


def test_labels_that_were_read_in_two_ways_are_told_apart():
    lines = told(imported(), imported("in/b.jsonl", base="1-based (guessed)"), imported("in/c.jsonl", benchmark="more"))
    assert "  labels: sums, more 0-based; sums 1-based" in lines


def test_what_was_lost_and_what_several_files_hold_have_columns():
    one = imported(labels=(0, -1, None), read=5)
    lines = told(one, one)
    assert lines[1].split() == [
        "benchmark",
        "files",
        "rows",
        "left",
        "out",
        "repeated",
        "cases",
        "erroneous",
        "clean",
        "no",
        "label",
    ]
    assert lines[2].split() == ["sums", "2", "10", "4", "3", "3", "1", "1", "1"]


def test_files_that_could_not_be_read_are_warnings():
    lines = told(imported(), skipped=[f"Unknown format: x{at}." for at in range(5)])
    at = lines.index("warning: 5 x not-read")
    assert lines[at + 1 : at + 5] == [*(f"  Unknown format: x{at}." for at in range(3)), "  ... and 2 more"]


@given(FINDINGS, st.integers(40, 120))
def test_on_a_terminal_a_note_is_one_line_and_nothing_is_wider(findings, width):
    each = [imported(f"in/{at}.jsonl", [one for one in findings if one.source == f"in/{at}.jsonl"]) for at in range(40)]
    lines = told(*each, width=width)
    for line in lines:
        if line.startswith("note: ") or "labels" in line:
            assert cell_len(line) <= width


def test_the_published_files_in_one_command_fit_a_screen(data_folder, tmp_path, capsys):
    names = ("mr-math", "prmbench", "socratic-prmbench")
    assert main(["import", *(str(data_folder / name) for name in names), "-w", str(tmp_path / "w")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 40
    assert lines[0].startswith(f"44 files in {data_folder}: 5,229 cases of 3 benchmarks; ")
    assert sum(line.startswith("warning: ") for line in lines) >= 1
