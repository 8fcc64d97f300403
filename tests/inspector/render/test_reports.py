"""The report of an import: it fits a screen, and what it leaves out it counts."""

import re
from collections import Counter
from functools import cache

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from inspector.cli import main
from inspector.render.import_report import reports
from results_and_cases import case, cases_of, results
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.benchmarks.own import cases_frame
from scoring.formats.reading.findings import Finding
from scoring.importing.batch import ImportBatch
from scoring.importing.join import join
from thoroughness import up_to

SEVERITIES = ("error", "warning", "note")


@cache
def frame(benchmark, source, labels):
    return cases_frame(
        benchmark,
        source,
        [
            {"id": f"{source}-{at}", "problem": f"p{at}", "steps": ["x"], "earliest_error": label, "line": at}
            for at, label in enumerate(labels)
        ],
    )


def imported(source="in/a.jsonl", findings=(), benchmark="sums", labels=(0, -1), read=None, base="0-based (seen)"):
    cases = frame(benchmark, source, tuple(labels))
    return Imported(
        benchmark, source, "JSON Lines", base, len(labels) if read is None else read, cases, tuple(findings)
    )


@cache
def joined(name, source="in/r.jsonl", given=("a", "b"), findings=()):
    cases = cases_of("sums", *(case(one, 1) for one in "ab"))
    rows = [{"id": one, "rewards": [0.5]} for one in given]
    made = results(*rows, source=source, name=name, findings=tuple(findings))
    return join(made, cases, "sums")


def told(*sources, results=(), skipped=(), **how):
    return list(reports(ImportBatch(tuple(sources), tuple(results), tuple(skipped)), **how))


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


@up_to(100, 10)
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


@up_to(100, 8)
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


def test_each_reason_why_files_could_not_be_read_is_named_once_with_its_first_file():
    odd = [f"Unknown format: in/odd-{at}.jsonl is none of the formats known here." for at in range(5)]
    cut = [f"Cannot read the file: in/cut-{at}.gz is cut off after {at * 999:,} bytes." for at in range(2)]
    lines = told(imported(), skipped=[odd[0], *cut, *odd[1:], "Bad input: in/lone.csv has no rows."])
    at = lines.index("warning: 8 x not-read")
    assert lines[at + 1 : -1] == [
        *(f"  {odd[0]}", "  the same: 4 more files"),
        *(f"  {cut[0]}", "  the same: in/cut-1.gz"),
        "  Bad input: in/lone.csv has no rows.",
    ]


def test_a_few_files_with_one_reason_are_all_named_whatever_else_there_is():
    findings = [finding("warning", f"code-{at}") for at in range(5)]
    skipped = [f"Unknown format: in/odd-{at}.jsonl is none of the formats known here." for at in range(3)]
    lines = "\n".join(told(imported(findings=findings), skipped=skipped))
    assert all(f"in/odd-{at}.jsonl" in lines for at in range(3))
    assert lines.count("none of the formats") == 1


def test_of_very_many_reasons_the_first_are_listed_and_the_files_of_the_others_counted():
    skipped = [f"Bad input: in/a.csv is {'x' * at}." for at in range(1, 10)]
    lines = told(imported(), skipped=skipped)
    assert "  ... and 3 more files for 3 other reasons" in lines


def test_what_all_scorers_joined_to_is_told_once_where_they_differ_otherwise():
    one, other = joined("one"), joined("other")
    other = replace(other, results=replace(other.results, threshold=0.7))
    lines = told(results=[one, other])
    assert [line for line in lines if "joined to" in line] == ["  all 2: 2 of 2 results joined to sums by ids"]


def test_places_are_the_names_of_files_with_their_folder_only_where_two_are_called_alike():
    names = ("in/a/x.jsonl", "in/b/x.jsonl", "in/b/y.jsonl")
    lines = told(*(imported(name, [finding("warning", source=name)]) for name in names))
    assert [line.strip() for line in lines if ":7: " in line] == [
        *("a/x.jsonl:7: it is odd", "b/x.jsonl:7: it is odd", "y.jsonl:7: it is odd")
    ]


@up_to(100, 10)
@given(FINDINGS, st.integers(40, 120))
def test_on_a_terminal_a_note_is_one_line_and_nothing_is_wider(findings, width):
    each = [imported(f"in/{at}.jsonl", [one for one in findings if one.source == f"in/{at}.jsonl"]) for at in range(40)]
    lines = told(*each, width=width)
    for line in lines:
        if line.startswith("note: ") or "labels" in line:
            assert cell_len(line) <= width


def test_published_files_in_one_command_fit_a_screen(data_folder, tmp_path, capsys):
    names = ("mr-math", "socratic-prmbench/test_detection_error.jsonl")
    assert main(["import", *(str(data_folder / name) for name in names), "-w", str(tmp_path / "w")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 40
    assert lines[0].startswith(f"14 files in {data_folder}: ")
    assert " cases of 2 benchmarks; " in lines[0]
    assert sum(line.startswith("warning: ") for line in lines) >= 1
