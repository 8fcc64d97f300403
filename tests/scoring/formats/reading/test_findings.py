from scoring.formats.reading.findings import Finding, counted, worst

NOTE = Finding("note", "empty-step", "a", "x.json", 3)
WARNING = Finding("warning", "bad-label", "b", "x.json", 4, "math-1")
ERROR = Finding("error", "broken-row", "c", "x.json")


def test_a_finding_names_its_place():
    assert str(NOTE) == "x.json:3: note: a"
    assert str(ERROR) == "x.json: error: c"


def test_the_gravest():
    assert worst([]) is None
    assert worst([NOTE]) == "note"
    assert worst([NOTE, WARNING]) == "warning"
    assert worst([ERROR, WARNING]) == "error"


def test_kinds_are_counted_gravest_and_most_frequent_first():
    other = Finding("warning", "no-id", "d", "x.json", 5)
    found = counted([NOTE, WARNING, other, ERROR, other])
    assert found == [
        ("error", "broken-row", 1, ERROR),
        ("warning", "no-id", 2, other),
        ("warning", "bad-label", 1, WARNING),
        ("note", "empty-step", 1, NOTE),
    ]
