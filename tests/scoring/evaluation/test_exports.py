import json

import hypothesis
import polars as pl
import pytest
from hypothesis import strategies as st

import making
import reference
import rows_out
from inspector.cli.actions.triage_export import TABLES
from inspector.cli.commands.export import FOREIGN
from rows_out import case, decided, given, labelled
from scoring.data.schema import METADATA, REWARDS
from scoring.evaluation.case_exports import (
    CASE_FORMATS,
    case_lines,
    grben_row,
    prmbench_id,
    prmbench_row,
    processbench_row,
    trl_row,
)
from scoring.evaluation.exported_rows import ExportedRow, json_line, note_sentences
from scoring.evaluation.reward_exports import (
    REWARD_FORMATS,
    RewardSource,
    ScorerOutput,
    grben_details_row,
    mr_eval_row,
    reward_lines,
    scorer_outputs,
)
from scoring.evaluation.triage_exports import TRIAGE_FORMATS, triage_lines
from scoring.evaluation.verdicts import LABELS_AS_GIVEN

BENCH = [reference.Case(2, 1, (0.9, 0.1), error_steps=(1,)), reference.Case(3, None), reference.Case(1, -1)]


def test_the_command_line_offers_exactly_these_formats():
    assert set(FOREIGN) == {*TABLES} | CASE_FORMATS.keys() | REWARD_FORMATS.keys() | TRIAGE_FORMATS.keys()


@pytest.mark.parametrize("name", CASE_FORMATS)
def test_there_is_a_line_for_every_case(name):
    frame = making.full_frame(BENCH, error_type=["slip", None, None])
    lines = list(case_lines(name, frame))
    assert [line.value is not None for line in lines] == [True, False, name != "prmbench"]
    assert [len(line.notes) for line in lines] == [0, 1, int(name == "prmbench")]


@pytest.mark.parametrize("name", REWARD_FORMATS)
def test_there_is_a_line_for_every_case_that_a_scorer_could_have_scored(name):
    lines = list(reward_lines(name, making.frame(BENCH), making.rewards(BENCH), rows_out.decided()))
    assert [line.value is not None for line in lines] == [True, False, False]
    assert [len(line.notes) for line in lines] == [0, 1, 1]


@pytest.mark.parametrize("name", [*CASE_FORMATS, *REWARD_FORMATS, *TRIAGE_FORMATS])
def test_no_case_gives_no_line(name):
    frame = making.full_frame([])
    assert name not in CASE_FORMATS or list(case_lines(name, frame)) == []
    assert name not in TRIAGE_FORMATS or list(triage_lines(name, frame, [])) == []
    empty = pl.DataFrame(schema=REWARDS)
    assert name not in REWARD_FORMATS or list(reward_lines(name, frame, empty, rows_out.decided())) == []


@hypothesis.given(st.lists(st.lists(rows_out.texts(), max_size=3), min_size=1, max_size=5))
def test_a_row_is_one_line_to_every_reader_and_its_texts_come_back(rows):
    raw = b"".join(json_line({"steps": steps}) for steps in rows)
    # This knows more ends of lines than any other reader.
    found = raw.decode().splitlines()
    assert [json.loads(line)["steps"] for line in found] == rows
    assert raw.endswith(b"\n")


def test_only_what_ends_a_line_or_steers_a_terminal_is_escaped():
    assert json_line({"a": "é 中 \U0001d54f\u200d"}) == '{"a": "é 中 \U0001d54f\u200d"}\n'.encode()
    assert json_line({"a": "\x00\x1b\x7f\x9b\x85\u2028\u2029"}) == (
        b'{"a": "\\u0000\\u001b\\u007f\\u009b\\u0085\\u2028\\u2029"}\n'
    )


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_lacks_is_not_written(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_line({"a": number})


def test_numbers_come_back_as_they_were():
    numbers = [0.1 + 0.2, 5e-324, 1.7976931348623157e308, -0.0, 1 / 3]
    assert json.loads(json_line({"a": numbers}))["a"] == numbers


def test_notes_are_added_up_the_largest_first():
    notes = [("cases cut", 1), ("steps left out", 3), ("cases cut", 1), ("steps left out", 1_000)]
    assert note_sentences(notes) == ["Steps left out: 1,003", "Cases cut: 2"]
    assert note_sentences([]) == []


def test_a_case_becomes_a_row_with_the_official_keys_in_their_order():
    assert list(processbench_row(case()).value.items()) == [
        ("id", "sums-4"),
        ("generator", "a-model"),
        ("problem", "What is 4 + 1?"),
        ("steps", ["Take 4.", "Add 2.", "So 6."]),
        ("final_answer_correct", False),
        ("label", 1),
    ]
    assert processbench_row(case()).notes == ()


@pytest.mark.parametrize("label", [-1, 0, 2, 3, 70])
def test_labels_stay_as_they_are_even_beyond_the_end(label):
    assert processbench_row(case(earliest_error=label)).value["label"] == label


def test_what_is_not_known_is_null_for_official_code_reads_the_keys():
    value = processbench_row(case(generator=None, final_answer_correct=None)).value
    assert (value["generator"], value["final_answer_correct"]) == (None, None)


def test_a_case_without_gold_is_left_out_with_a_reason():
    assert processbench_row(case(earliest_error=None)) == ExportedRow(
        None, (("cases left out, no earliest error is labelled", 1),)
    )


@pytest.mark.parametrize(
    ("id_", "subset", "extra"),
    [
        ("sums-4", "sums", {}),
        ("a-b-4", "a-b", {}),
        ("sums-4", None, {}),
        ("a-b-4", "a", {"subset": "a"}),
        ("four", "sums", {"subset": "sums"}),
        ("sums-x", "sums", {"subset": "sums"}),
        ("s\n-4", "s\n", {"subset": "s\n"}),
    ],
)
def test_a_subset_that_the_id_does_not_say_is_said(id_, subset, extra):
    value = processbench_row(case(id=id_, subset=subset)).value
    assert {key: value[key] for key in value if key == "subset"} == extra


def test_a_case_becomes_a_row_with_the_official_keys_in_their_order_prmbench():
    assert list(prmbench_row(labelled()).value.items()) == [
        ("original_question", "What is 4 + 1?"),
        ("modified_question", "What is 4 + 1?"),
        ("original_process", ["Take 4.", "Add 1.", "So 5."]),
        ("modified_process", ["Take 4.", "Add 2.", "So 6."]),
        ("modified_steps", [2, 3]),
        ("error_steps", [2, 3]),
        ("reason", "4 + 1 is no 6."),
        ("idx", "sums-4"),
        ("question", "4 + 1 = ?"),
        ("classification", "slip"),
    ]


def test_error_steps_count_from_1_wherever_they_lie():
    assert prmbench_row(labelled(error_steps=[])).value["error_steps"] == []
    assert prmbench_row(labelled(error_steps=[0, 9], earliest_error=0)).value["error_steps"] == [1, 10]
    assert prmbench_row(labelled(error_steps=[9], earliest_error=None)).value["error_steps"] == [10]


def test_what_is_not_known_is_null():
    bare = labelled(original_problem=None, original_steps=None, modified_steps=None, reason=None, question=None)
    value = prmbench_row(bare).value
    assert {key for key in value if value[key] is None} == {
        "original_question",
        "original_process",
        "modified_steps",
        "reason",
        "question",
    }


@pytest.mark.parametrize("missing", ["error_steps", "error_type"])
def test_a_case_without_a_label_for_every_step_or_without_a_class_is_left_out(missing):
    left = prmbench_row(labelled(**{missing: None}))
    assert left.value is None
    assert [number for _, number in left.notes] == [1]


def test_a_domain_and_a_reference_answer_are_said_where_there_are_any():
    value = prmbench_row(labelled(subset="physics", reference_answer="5")).value
    assert (value["domain"], value["ground_truth"]) == ("physics", "5")
    assert "domain" not in prmbench_row(labelled(subset=None)).value


def test_the_official_id_is_what_the_official_loader_makes_of_the_row():
    for one in (labelled(), labelled(id="sums-4"), labelled(id="slip_slip_4"), labelled(id="slip_")):
        value = prmbench_row(one).value
        assert prmbench_id(one) == f"{value['classification']}_{value['idx']}"


def test_the_official_id_of_a_twin_and_of_a_case_without_a_class_is_its_own():
    assert prmbench_id(labelled(id="correct_7", twin_of="bench/redundency_7")) == "correct_7"
    assert prmbench_id(case()) == "sums-4"


STEPS = case()["steps"]


def labels(**changes):
    value = trl_row(case(**changes)).value
    assert value["completions"] == STEPS[: len(value["labels"])]
    return value["labels"]


def test_a_row_has_the_official_keys():
    assert trl_row(case(error_steps=[1])).value == {
        "prompt": "What is 4 + 1?",
        "completions": STEPS,
        "labels": [True, False, True],
    }


def test_every_label_is_written_where_every_step_is_labelled():
    assert labels(error_steps=[0, 2], earliest_error=0) == [False, True, False]
    assert labels(error_steps=[], earliest_error=-1) == [True, True, True]
    assert labels(error_steps=None, earliest_error=-1) == [True, True, True]


@pytest.mark.parametrize(("earliest", "kept"), [(0, [False]), (1, [True, False]), (2, [True, True, False])])
def test_what_follows_the_only_labelled_error_is_cut_and_counted(earliest, kept):
    assert labels(earliest_error=earliest) == kept
    numbers = [number for _, number in trl_row(case(earliest_error=earliest)).notes]
    assert numbers == ([1, 3 - len(kept)] if len(kept) < 3 else [])


def test_labels_beyond_the_last_step_are_left_out_and_counted():
    assert labels(error_steps=[1, 3, 9]) == [True, False, True]
    (note,) = trl_row(case(error_steps=[1, 3, 9])).notes
    assert note[1] == 2


@pytest.mark.parametrize(
    "changes", [{"earliest_error": None}, {"earliest_error": None, "error_steps": [7]}, {"earliest_error": 3}]
)
def test_a_case_whose_labels_name_no_step_is_left_out_rather_than_called_right(changes):
    left = trl_row(case(**changes))
    assert left.value is None
    assert [number for _, number in left.notes] == [1]


def test_a_case_becomes_a_row_with_the_official_keys_in_their_order_grben():
    value = grben_row(case(error_type="logical", reason="4 + 1 is no 6.")).value
    assert list(value.items()) == [
        ("id", "sums-4"),
        ("domain", "sums"),
        ("generator", "a-model"),
        ("problem", "What is 4 + 1?"),
        ("steps", ["Take 4.", "Add 2.", "So 6."]),
        ("label", 2),
        ("final_answer_correct", False),
        ("error_type", "logical"),
        ("reason", "4 + 1 is no 6."),
    ]


@pytest.mark.parametrize(("ours", "theirs"), [(-1, -1), (0, 1), (2, 3), (7, 8)])
def test_labels_count_from_1(ours, theirs):
    assert grben_row(case(earliest_error=ours)).value["label"] == theirs


def test_an_error_type_or_reason_that_is_not_there_is_null_as_in_the_official_file():
    value = grben_row(case()).value
    assert (value["error_type"], value["reason"]) == (None, None)


@pytest.mark.parametrize("missing", ["earliest_error", "subset"])
def test_a_case_that_would_stop_or_mislead_the_official_code_is_left_out(missing):
    left = grben_row(case(**{missing: None}))
    assert left.value is None
    assert [number for _, number in left.notes] == [1]


CASES = [reference.Case(2, 1), reference.Case(3, -1)]


def found(*rows):
    cases = making.frame(CASES)
    rewards = [{"vote": 0, "key": cases["key"][row.pop("of")], **row} for row in rows]
    pairs = list(scorer_outputs(cases, pl.DataFrame(rewards, schema=REWARDS, orient="row")))
    assert [list(case) for case, _ in pairs] == [list(METADATA)] * 2
    assert [case["id"] for case, _ in pairs] == cases["id"].to_list()
    return [given for _, given in pairs]


def test_rewards_stand_beside_their_case_in_the_order_of_the_cases():
    first, second = [0.5, 0.25], [1.0, 0.0, -1.0]
    assert found({"of": 1, "rewards": second}, {"of": 0, "rewards": first}) == [
        ScorerOutput(first),
        ScorerOutput(second),
    ]


def test_a_case_that_was_not_tried_has_nothing_and_a_refused_one_its_reason():
    assert found({"of": 0, "reason": "over length"}) == [ScorerOutput(refused="over length"), ScorerOutput()]


def test_the_lowest_vote_counts():
    given, _ = found({"of": 0, "vote": 1, "rewards": [0.0, 0.0]}, {"of": 0, "rewards": [1.0, 1.0]})
    assert given == ScorerOutput([1.0, 1.0])


def test_redundancy_and_labels_come_along():
    more = {"redundancy": [0.0, 0.5], "labels": [True, False], "redundancy_labels": [False, True]}
    assert found({"of": 0, "rewards": [1.0, 0.0], **more})[0] == ScorerOutput([1.0, 0.0], **more)
    assert found({"of": 0, "labels": [True, False]})[0] == ScorerOutput(labels=[True, False])


@pytest.mark.parametrize("redundancy", [[0.5], [0.5, None], [0.5, float("nan")], [0.5, float("inf")]])
def test_what_is_not_whole_is_not_there(redundancy):
    assert found({"of": 0, "rewards": [1.0, 0.0], "redundancy": redundancy})[0] == ScorerOutput([1.0, 0.0])


@pytest.mark.parametrize("rewards", [[0.5], [0.5, None], [0.5, float("nan")], [0.5, -float("inf")]])
def test_rewards_that_are_not_whole_are_refused_with_a_reason(rewards):
    given = found({"of": 0, "rewards": rewards})[0]
    assert given.rewards is None
    assert given.refused


def test_cases_of_equal_text_have_beside_them_what_names_them():
    cases = making.frame([reference.Case(2), reference.Case(2)]).with_columns(key=pl.lit("k"))
    rows = [
        {"key": "k", "case": cases["case"][1], "vote": 0, "rewards": [0.25, 0.5], "redundancy": [1.0, 0.0]},
        {"key": "k", "vote": 0, "rewards": [1.0, 0.0], "redundancy": [0.0, 1.0]},
    ]
    assert [given for _, given in scorer_outputs(cases, pl.DataFrame(rows, schema=REWARDS))] == [
        ScorerOutput([1.0, 0.0], [0.0, 1.0]),
        ScorerOutput([0.25, 0.5], [1.0, 0.0]),
    ]


def test_rewards_become_a_row_with_the_official_keys_in_their_order():
    assert list(grben_details_row(case(), given(0.9, 0.2, 0.1), decided()).value.items()) == [
        ("id", "sums-4"),
        ("domain", "sums"),
        ("generator", "a-model"),
        ("gt_label", 2),
        ("pred_label", 2),
        ("threshold", 0.5),
        ("probs", [0.9, 0.2, 0.1]),
        ("is_correct_prediction", True),
    ]


@pytest.mark.parametrize(
    ("gold", "rewards", "labels", "right"),
    [
        (-1, (0.9, 0.8, 0.5), (-1, -1), True),
        (-1, (0.9, 0.8, 0.4), (-1, 3), False),
        (0, (0.4, 0.1, 0.1), (1, 1), True),
        (2, (0.9, 0.1, 0.1), (3, 2), False),
        (2, (0.9, 0.9, 0.9), (3, -1), False),
        (3, (0.9, 0.9, 0.1), (4, 3), False),
    ],
)
def test_labels_count_from_1_and_the_first_reward_below_the_threshold_decides(gold, rewards, labels, right):
    value = grben_details_row(case(earliest_error=gold), given(*rewards), decided()).value
    assert ((value["gt_label"], value["pred_label"]), value["is_correct_prediction"]) == (labels, right)


def test_rewards_that_no_threshold_decides_are_left_out_for_the_official_code_would():
    left = grben_details_row(case(), given(0.9, 0.2, 0.1), RewardSource("a-critic", LABELS_AS_GIVEN))
    assert left == ExportedRow(None, (("cases left out, not decided by a threshold on its rewards", 1),))


def test_another_threshold_is_the_one_in_the_row_and_decides():
    value = grben_details_row(case(), given(0.9, 0.6, 0.1), decided(0.7)).value
    assert (value["threshold"], value["pred_label"]) == (0.7, 2)


def test_a_reward_on_the_threshold_is_right_and_said_where_the_rule_is_another():
    for comparison, notes in (("<", []), ("<=", [2])):
        found = grben_details_row(case(), given(0.5, 0.5, 0.9), decided(comparison=comparison))
        assert found.value["pred_label"] == -1
        assert [number for _, number in found.notes] == notes


def test_a_case_without_a_subset_has_no_domain_for_the_official_code_then_says_unknown():
    assert "domain" not in grben_details_row(case(subset=None), given(0.9, 0.2, 0.1), decided()).value


@pytest.mark.parametrize(
    ("one", "rewards", "why"),
    [
        (case(), given(), "no step rewards"),
        (case(), given(labels=[True, False, True]), "no step rewards"),
        (case(), given(refused="over length"), "refused by the scorer"),
        (case(), given(0.9, 0.2, 0.1, labels=[True, False, True]), "not decided by a threshold on its rewards"),
        (case(earliest_error=None), given(0.9, 0.2, 0.1), "no earliest error is labelled"),
    ],
)
def test_what_the_official_code_would_count_wrongly_is_left_out(one, rewards, why):
    assert grben_details_row(one, rewards, decided()) == ExportedRow(None, ((f"cases left out, {why}", 1),))


def scores(found):
    return found.value["results"]["scores"]


def test_rewards_become_a_line_of_a_checkpoint():
    assert mr_eval_row(labelled(), given(0.9, 0.2, 0.7), decided()) == ExportedRow(
        {
            "task_name": "prmtest_classified",
            "model_name": "a-prm",
            "results": {
                "scores": {
                    "step_level_validity_scores": [0.9, 0.2, 0.7],
                    "step_level_validity_labels": [True, False, True],
                },
                "idx": "slip_sums-4",
            },
        }
    )


def test_a_step_on_the_threshold_is_wrong_and_said_where_the_rule_is_another():
    for comparison, notes in (("<=", []), ("<", [2])):
        found = mr_eval_row(labelled(), given(0.5, 0.5, 0.9), decided(comparison=comparison))
        assert scores(found)["step_level_validity_labels"] == [False, False, True]
        assert [number for _, number in found.notes] == notes


def test_labels_that_the_scorer_gave_stay_whatever_the_rewards():
    labels = [False, True, True]
    found = mr_eval_row(labelled(), given(0.9, 0.2, 0.5, labels=labels), decided())
    assert found.notes == ()
    assert scores(found) == {
        "step_level_validity_scores": [0.9, 0.2, 0.5],
        "step_level_validity_labels": labels,
    }
    assert scores(mr_eval_row(labelled(), given(labels=labels), decided())) == {"step_level_validity_labels": labels}


def test_rewards_without_labels_need_a_threshold():
    rule = RewardSource("a-critic", LABELS_AS_GIVEN)
    left = mr_eval_row(labelled(), given(0.9, 0.2, 0.7), rule)
    assert left == ExportedRow(None, (("cases left out, not decided by a threshold on its rewards", 1),))
    assert scores(mr_eval_row(labelled(), given(labels=[True, False, True]), rule))


def test_redundancy_comes_along_and_is_decided_by_its_own_labels_alone():
    second = {"redundancy": [0.1, 0.15, 0.2]}
    labels = [True, False, False]
    found = mr_eval_row(labelled(), given(0.9, 0.2, 0.7, **second, redundancy_labels=labels), decided())
    assert found.notes == ()
    assert scores(found)["step_level_redundancy_scores"] == second["redundancy"]
    assert scores(found)["step_level_redundancy_labels"] == labels
    found = mr_eval_row(labelled(), given(0.9, 0.2, 0.7, **second), decided())
    assert "step_level_redundancy_labels" not in scores(found)
    assert [number for _, number in found.notes] == [1]


def test_a_prompted_judge_says_that_its_answer_is_valid():
    found = mr_eval_row(labelled(), given(0.9, 0.2, 0.7), decided(critic=True))
    assert found.value["results"]["validity"] is True


def test_a_refused_case_is_invalid_and_one_that_was_not_tried_is_left_to_mr_eval():
    found = mr_eval_row(labelled(), given(refused="over length"), decided())
    assert found.value["results"] == {"scores": {}, "idx": "slip_sums-4", "validity": False}
    assert [number for _, number in found.notes] == [1]
    assert mr_eval_row(labelled(), given(), decided()) == ExportedRow(None, (("cases left out, no step rewards", 1),))


@pytest.mark.parametrize(
    ("one", "idx"),
    [
        (labelled(id="correct_7", twin_of="bench/slip_7", error_type=None), "correct_7"),
        (case(), "sums-4"),
        (case(earliest_error=None), "sums-4"),
    ],
)
def test_a_twin_and_a_case_without_class_or_gold_have_lines_too(one, idx):
    assert mr_eval_row(one, given(0.9, 0.2, 0.7), decided()).value["results"]["idx"] == idx
