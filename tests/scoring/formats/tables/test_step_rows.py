"""One row a step, a million of them in columns: the same as the plain loop over rows gives, finding for finding."""

import json
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import UsageError
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.rows import Rows, read_rows
from scoring.formats.tables import results as table_results
from scoring.formats.tables.cell_values import number, text, whole
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.results import results
from scoring.formats.tables.step_rows import gathered_steps
from thoroughness import up_to

MAPPING = ColumnMapping(id="id", step="step", rewards={"a": "score", "b": "other"})


def slowly(rows, mapping):
    """Rows gathered one by one: a row a case, with lists of cells as they are; independent of what is tested."""
    columns = list(mapping.rewards.values())
    cases, findings = {}, []
    for row in rows:
        name, index = text(row.value.get("id")), whole(row.value.get("step"))
        if isinstance(name, str) and type(index) is int:
            cases.setdefault(name, []).append((index, row.line, row.value))
        else:
            message = "id and step do not say which step of which case the row is of"
            findings.append(("error", "broken-row", message, row.line, None))
    base = 0 if any(index == 0 for steps in cases.values() for index, _, _ in steps) else 1
    gathered = []
    for name, steps in cases.items():
        line = steps[0][1]
        steps.sort(key=itemgetter(0))
        indices = [index for index, _, _ in steps]
        is_whole = indices == list(range(base, base + len(steps)))
        if not is_whole:
            said = ", ".join(map(str, indices[:8])) + (", ..." if len(indices) > 8 else "")
            message = f"the rows are of steps {said} (counted from {base}): one is missing or there twice"
            findings.append(("warning", "step-rows", message, line, name))
        cells = {column: _cells(value.get(column) for _, _, value in steps) for column in columns}
        gathered.append((line, {"id": name, **{name: cell if is_whole else None for name, cell in cells.items()}}))
    return gathered, findings


def _cells(values):
    # A row a step holds a number or none: texts and lists have sentences of their own in lists of rewards alone, and
    # only in these is a missing truth value padding.
    cells = [cell if isinstance(cell, float | bool) else None for cell in map(number, values)]
    return ["no number" if cell is None else cell for cell in cells] if bool in map(type, cells) else cells


def expected(rows, mapping):
    """What the table of the gathered rows holds of each scorer, read as any table with a row a case is."""
    gathered, findings = slowly(rows, mapping)
    of_cases = Rows("steps", "JSON Lines")
    for line, value in gathered:
        of_cases.add(value, line)
    columns = ColumnMapping(id="id", rewards=mapping.rewards)
    found = results(of_cases, columns) if gathered else []
    noticed = sorted((Finding(*one[:3], "steps", *one[3:]) for one in findings), key=lambda one: one.line)
    return found, noticed


CELLS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.integers(-(2**40), 2**40),
    st.booleans(),
    st.none(),
    st.sampled_from(["0.5", " 1e-2 ", "x", "", "nan", [0.5], {}]),
)
IDS = st.one_of(st.sampled_from(["a", "b", "c"]), st.sampled_from([1, 2.0, "1", " ", None, True, "\x1bz", 10**19]))
STEPS = st.one_of(st.integers(0, 3), st.sampled_from([1.0, "2", "x", None, True, -1, 2**33]))
ROWS = st.lists(st.fixed_dictionaries({"id": IDS, "step": STEPS, "score": CELLS, "other": CELLS}), max_size=14)
SOUND = (
    st.integers(1, 5)
    .flatmap(
        lambda n: st.permutations([{"id": f"c{case}", "step": step} for case in range(n) for step in range(case + 1)])
    )
    .map(lambda rows: [{**row, "score": 0.5, "other": row["step"] % 2 == 0} for row in rows])
)


@pytest.mark.parametrize("form", ["lines", "memory"])
@up_to(100, usually=10)
@given(values=st.one_of(ROWS, SOUND), base=st.integers(0, 1))
def test_it_is_what_the_plain_loop_gives(tmp_path_factory, form, values, base):
    path = tmp_path_factory.mktemp("steps") / "steps.jsonl"
    values = [
        {**value, "step": value["step"] + base if type(value["step"]) is int else value["step"]} for value in values
    ]
    path.write_text(
        "".join(json.dumps(value) + "\n" for value in [*values, {"id": "end", "step": base, "score": 1, "other": 1}])
    )
    rows = read_rows(path, "steps")
    if form == "memory":
        assert rows.rows
    found = results(rows, MAPPING)
    wanted, noticed = expected(read_rows(path, "steps").rows, MAPPING)
    # NaN, which pads a list, equals itself in words alone.
    found_rows, wanted_rows = ([repr(one.rows.drop("solution").rows()) for one in part] for part in (found, wanted))
    assert found_rows == wanted_rows
    told = [tuple(finding for finding in one.findings if finding.code != "control-character") for one in found]
    assert [sorted(map(repr, one)) for one in told] == [
        sorted(map(repr, (*noticed, *wanted[0].findings))),
        *(sorted(map(repr, one.findings)) for one in wanted[1:]),
    ]
    assert [one.low for one in found] == [one.low for one in wanted]
    assert (
        found[0].read
        == len({finding.line for finding in noticed if finding.code == "broken-row"}) + wanted[0].rows.height
    )


def test_rows_that_are_no_objects_are_broken_and_named(tmp_path):
    path = tmp_path / "steps.jsonl"
    path.write_text('{"id": "a", "step": 0, "score": 0.5}\n[1]\nnot json\n{"id": "a", "step": 1, "score": 0.25}\n')
    whole_file = read_rows(path)
    for rows, read in ((whole_file, 3), (Rows("x", "JSON", read_rows(path).rows, read=3), 2)):
        gathered = gathered_steps(rows, ColumnMapping(id="id", step="step", rewards={"prm": "score"}))
        assert gathered.frame["rewards 0"].to_list() == [[0.5, 0.25]]
        assert 2 in [finding.line for finding in gathered.findings if finding.code == "broken-row"]
        assert gathered.read == read


def test_columns_may_be_paths():
    rows = Rows("steps", "JSON")
    for step in range(2):
        rows.add({"meta": {"case": "a"}, "at": [{"step": step}], "values": [{"name": "prm", "value": 0.5 + step}]})
    mapping = ColumnMapping(id="meta.case", step="at[0].step", rewards={"prm": "values[name=prm].value"})
    assert gathered_steps(rows, mapping).frame.select("id", "rewards 0").rows() == [("a", [0.5, 1.5])]


@pytest.mark.parametrize(
    "mapping",
    [
        ColumnMapping(id="id", step="step", rewards={"prm": "gone"}),
        ColumnMapping(id="id", step="at", rewards={"prm": "score"}),
        ColumnMapping(id="id", step="step", subset="kind", rewards={"prm": "score"}),
        ColumnMapping(step="step", problem="id", steps="id", rewards={"prm": "score"}),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(mapping):
    rows = Rows("steps", "JSON")
    rows.add({"id": "a", "step": 0, "score": 0.5, "kind": "x"})
    with pytest.raises(UsageError):
        table_results.results(rows, mapping)
