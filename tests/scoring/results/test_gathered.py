from scoring.results.gathered import case_id, gather, one_scorer


def read(fields):
    return None if case_id(fields, "id") is None else {"rewards": fields.value.get("rewards")}


def noted(gathered):
    return [(finding.severity, finding.code, finding.line) for finding in gathered.findings]


def test_the_scorer_is_called_after_the_source_and_every_row_counts(rows):
    found = one_scorer(rows({"id": "a", "rewards": [1.0]}, {"id": 7}, source="x/judge_details.jsonl"), read)
    assert (found.name, found.read) == ("judge", 2)
    assert found.results == [{"line": 1, "id": "a", "rewards": [1.0]}, {"line": 2, "id": "7", "rewards": None}]
    assert not found.findings


def test_the_first_result_with_an_id_counts_and_a_repetition_of_it_is_harmless(rows):
    same, other = {"id": "a", "rewards": [1.0]}, {"id": "a", "rewards": [2.0]}
    found = one_scorer(rows(same, other, same), read)
    assert [result["rewards"] for result in found.results] == [[1.0]]
    assert noted(found) == [("error", "repeated-id", 2), ("note", "repeated-id", 3)]


def test_results_without_an_id_repeat_nothing(rows):
    found = one_scorer(rows({}, {}), lambda _: {})
    assert len(found.results) == 2
    assert not found.findings


def test_what_is_no_object_and_what_could_not_be_read_counts_and_is_a_finding(rows):
    source = rows([1], {"id": "a"}, None)
    source.broken(4, "not valid JSON")
    found = one_scorer(source, read)
    assert found.read == source.read == 4
    assert noted(found) == [("error", "broken-row", 4), ("error", "broken-row", 1), ("error", "broken-row", 3)]


def test_several_scorers_have_their_own_results_and_findings(rows):
    values = [{"by": "one", "id": "a"}, {"by": "two", "id": "a"}, {"by": "two", "id": None}]
    one, two = gather(rows(*values), lambda whole: [((whole.value["by"],), whole.value)], read)
    assert (one.name, one.read, len(one.results)) == ("one", 1, 1)
    assert (two.name, two.read, len(two.results)) == ("two", 2, 1)
    assert not one.findings
    assert noted(two) == [("error", "no-id", 3)]


def test_a_record_with_an_error_is_left_out(rows):
    def refuse(fields):
        fields.note("error", "bad", "for this test")
        return {}

    assert not one_scorer(rows({"id": "a"}), refuse).results


def test_a_source_without_records_is_one_scorer_without_results(rows):
    (found,) = gather(rows({}, source="judge.jsonl"), lambda _: [], read)
    assert (found.name, found.results, found.read) == ("judge", [], 0)


def test_an_id_may_stand_in_two_subsets_where_the_texts_say_what_is_meant(rows):
    def placed(fields):
        case_id(fields, "id")
        return {name: fields.value.get(name) for name in ("subset", "problem")}

    values = [{"id": "a", "subset": subset, "problem": "What?"} for subset in ("one", "two", "one")]
    found = one_scorer(rows(*values), placed)
    assert ([result["subset"] for result in found.results], noted(found)) == (
        ["one", "two"],
        [("note", "repeated-id", 3)],
    )
    # Nothing but the id joins these.
    bare = one_scorer(rows(*({**value, "problem": None} for value in values)), placed)
    assert [result["subset"] for result in bare.results] == ["one"]
