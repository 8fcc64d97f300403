"""Rows that somebody broke: sound ones with values replaced, removed or put where none belongs."""

import copy

from hypothesis import strategies as st

from any_json import ANY_JSON
from scoring.formats.reading.rows import Rows
from scoring.formats.results.result_format import RESULT_COLUMNS

ODD = [10**30, -(10**30), 2**31, -2, 2.0, 1e308, "", "\ud800", "1" * 5000, "AAAA"]
ODD += ["\\boxed{", "\\boxed{1}", "\\boxed{\ud800}", "\x08oxed{2}", "<paragraph_0>"]
VALUES = ANY_JSON | st.sampled_from(ODD)


def _places(value, path=()):
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from _places(inner, (*path, key))


@st.composite
def broken(draw, *samples):
    """One of the samples with one to three of its values, at any depth, replaced or removed."""
    row = copy.deepcopy(draw(st.sampled_from(samples)))
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(list(_places(row)))) or (None,)
        if last is None:
            return draw(VALUES)
        holder = row
        for key in way:
            holder = holder[key]
        if draw(st.booleans()):
            holder[last] = draw(VALUES)
        else:
            del holder[last]
    return row


def as_rows(values, source="a-folder/a-model.jsonl"):
    """Values as the rows of a source."""
    rows = Rows(source, "JSON Lines")
    for value in values:
        rows.add(value)
    return rows


def assert_sound(loaded, read=None):
    """What every reader must give, whatever it read: the columns, and a reason where a row has nothing else."""
    assert loaded
    for foreign in loaded:
        assert foreign.rows.schema == RESULT_COLUMNS
        assert foreign.name.strip()
        for row in foreign.rows.iter_rows(named=True):
            unread = ("answer",) if foreign.reads_answers else ()
            something = [row[name] for name in ("rewards", "labels", "solution", "verdict", "reason", *unread)]
            assert any(value is not None for value in something), row
            assert row["verdict"] is None or row["verdict"] >= -2
        for finding in foreign.findings:
            str(finding).encode()
    if read is not None:
        assert sum(foreign.read for foreign in loaded) == read
