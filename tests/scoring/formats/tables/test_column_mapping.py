import errno
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from failing import failing
from scoring.data.errors import InputError, UnwritableWorkspace, UsageError
from scoring.formats.tables.column_mapping import COLUMNS, ColumnMapping

WORD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
MAPPINGS = st.builds(
    lambda columns, rest: ColumnMapping(**columns, **rest),
    st.dictionaries(st.sampled_from(COLUMNS), WORD),
    st.fixed_dictionaries(
        {},
        optional={
            "benchmark": st.sampled_from(["sums", "a.b-c_1"]),
            "separator": WORD,
            "clean": WORD,
            "label_base": st.sampled_from([0, 1]),
            "verdict_base": st.sampled_from([0, 1]),
            "wrong_below": st.floats(-10, 10),
            "rewards": st.dictionaries(WORD, WORD, max_size=2),
            "verdicts": st.dictionaries(WORD, WORD, max_size=2),
        },
    ),
)


@given(MAPPINGS)
def test_what_is_saved_is_read(tmp_path_factory, mapping):
    path = tmp_path_factory.getbasetemp() / "mapping.json"
    mapping.save(path)
    assert ColumnMapping.read(path) == mapping


def written(tmp_path, document):
    path = tmp_path / "mapping.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def test_a_saved_mapping_is_small(tmp_path):
    ColumnMapping(problem="question", steps="solution", label_base=0).save(tmp_path / "m.json")
    said = {"format": 1, "problem": "question", "steps": "solution", "label_base": 0}
    assert json.loads((tmp_path / "m.json").read_text()) == said


def test_an_unknown_key_is_one_sentence_that_names_the_known_ones(tmp_path):
    with pytest.raises(
        UsageError, match=r"maps 'quest', which is not a field\. Known are benchmark, id, problem, steps"
    ):
        ColumnMapping.read(written(tmp_path, {"quest": "x"}))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ([], "not an object"),
        ({"format": 2}, "a format this version does not know"),
        ({"problem": 3}, "problem of a mapping is not text"),
        ({"problem": ""}, "problem of a mapping is not text"),
        ({"problem": "\ud800"}, "problem of a mapping is not text"),
        ({"separator": ""}, "separator of a mapping is not text"),
        ({"benchmark": "../x"}, "cannot be a folder's"),
        ({"benchmark": ".x"}, "cannot be a folder's"),
        ({"label_base": 2}, "label_base of a mapping is neither 0 nor 1"),
        ({"label_base": True}, "label_base of a mapping is neither 0 nor 1"),
        ({"wrong_below": "0"}, "wrong_below of a mapping is not a finite number"),
        ({"rewards": ["a"]}, "rewards of a mapping is not an object"),
        ({"verdicts": {"a": None}}, "verdicts of a mapping is not an object"),
    ],
)
def test_a_mapping_that_is_wrong_is_one_sentence(tmp_path, document, said):
    with pytest.raises((InputError, UsageError), match=said):
        ColumnMapping.read(written(tmp_path, document))


def test_what_cannot_be_read_or_written_is_one_sentence(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="there is no file"):
        ColumnMapping.read(tmp_path / "gone.json")
    monkeypatch.setattr(Path, "write_bytes", failing(errno.EROFS))
    with pytest.raises(UnwritableWorkspace, match="read-only"):
        ColumnMapping().save(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_named_columns():
    mapping = ColumnMapping(id="uid", problem="q", rewards={"prm": "r"}, verdicts={"critic": "v"})
    assert mapping.named == [("id", "uid"), ("problem", "q"), ("rewards of prm", "r"), ("verdicts of critic", "v")]
