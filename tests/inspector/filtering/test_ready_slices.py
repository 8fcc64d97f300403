import pytest

import example
import making
from inspector.filtering.filter_words import filter_words
from inspector.filtering.ready_slices import ready_slices
from inspector.first_inspection import inspect
from inspector.loading import load
from inspector.request import Request

OUTCOMES = {
    "exact-one": ("exact", "refused"),
    "early-one": ("early", "unscored"),
    "late-one": ("late", "exact"),
    "missed-one": ("missed", "exact"),
    "missed-two": ("missed", "exact"),
    "clean-one": ("clean", "clean"),
    "alarm-one": ("false_alarm", "clean"),
    "clean-two": ("clean", "clean"),
    "long-one": ("exact", "exact"),
}
"""What alpha and beta make of the example."""


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    return inspect(load(example.write(tmp_path_factory.mktemp("ready") / "workspace")))


def listed(inspection):
    return {case.removeprefix("bench/") for case in inspection.cases["case"].gather(inspection.shown)}


def of_alpha(*outcomes):
    return {case for case, (alpha, _) in OUTCOMES.items() if alpha in outcomes}


def test_every_ready_slice_holds_what_it_says(start):
    expected = {
        "f": of_alpha("early", "late", "missed", "false_alarm"),
        "e": of_alpha("exact"),
        "m": of_alpha("missed"),
        "a": of_alpha("false_alarm"),
        "p": set(),
        "c": {"missed-two"},
        "w": set(),
        "d": {"late-one", "missed-one", "missed-two", "alarm-one"},
        "x": set(),
        "l": {"long-one"},
        "t": set(),
    }
    found = {one.key: one for one in ready_slices(start)}
    assert found.keys() == expected.keys()
    for key, cases in expected.items():
        now = start.filtered(found[key].filter).ordered(found[key].sort)
        assert listed(now) == cases
        assert found[key].cases == len(cases)
        assert "SELECT" not in filter_words(now)


def test_conditions_of_ready_slices_are_said_in_words(start):
    found = {one.key: one for one in ready_slices(start)}
    assert filter_words(start.filtered(found["w"].filter)) == (
        "filter final answer right = yes AND the process is wrong"
    )
    assert filter_words(start.filtered(found["d"].filter)) == "filter some scorers right, some wrong"


def test_without_scorers_only_labels_make_slices(tmp_path):
    start = inspect(load(example.write(tmp_path, scored=False)))
    assert [one.key for one in ready_slices(start)] == ["w", "l", "t"]


def test_one_case_alone_has_hardly_any(tmp_path):
    making.workspace(tmp_path, [making.reference.Case(2, 0)], [])
    start = inspect(load(Request(workspace=str(tmp_path))))
    assert [one.key for one in ready_slices(start)] == ["t"]
