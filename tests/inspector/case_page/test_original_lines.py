import pytest
from rich.cells import cell_len

import originals
from inspector.case_page.case_lines import case_lines
from inspector.case_page.open_case import DisplayOptions, Stop, open_case
from inspector.case_page.original_lines import MODE, original_lines
from inspector.render.charts.glyphs import Glyphs


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    return originals.state(tmp_path_factory.mktemp("originals") / "w")


def written(state, row, width=80, *, ascii_only=False, **display):
    return list(original_lines(open_case(state, row, DisplayOptions(width, Glyphs(ascii_only), mode=MODE, **display))))


def texts(state, row, width=80, **display):
    return ["".join(text for text, _ in line.parts) for line in written(state, row, width, **display)]


def styled(state, row, style, **display):
    """Everything that is written in a style."""
    return [text for line in written(state, row, **display) for text, names in line.parts if names == style]


def line(lines, words):
    return next(text for text in lines if words in text)


def test_below_each_other_every_step_has_a_sign_its_number_and_its_reward(state):
    lines = texts(state, 0)
    assert line(lines, "Let n = 4.").split()[:2] == ["0", "0"]
    assert line(lines, "Let n = 4.").count("0.90") == 2
    assert line(lines, "Twice n").startswith("~-        1 ")
    assert "0.80" in line(lines, "Twice n")
    assert line(lines, "Thrice n").startswith("~+ ")
    assert "0.20✗" in line(lines, "Thrice n")
    assert line(lines, "once more").startswith(" + err        2 ")
    assert line(lines, "That is 8.").startswith(" -        3 ")
    same = line(lines, "Add n")
    assert same.split()[:2] == ["2", "3"]
    assert same.index("0.40") < same.index("0.60")
    assert "0.40✗" in same


def test_the_gold_and_the_predicted_step_are_named_on_either_side(state):
    lines = texts(state, 0)
    assert line(lines, "Thrice n").split()[:3] == ["~+", "exact", "1"]
    assert "On the original: predicted step 2, gold no error: false alarm" in " ".join(lines)


def test_beside_each_other_both_versions_stand_on_one_line(state):
    lines = texts(state, 0, 140)
    changed = line(lines, "Twice n")
    left, right = changed.split("│ ~")
    assert left.startswith("~        1")
    assert "0.80" in left
    assert "Thrice n" in right
    added = line(lines, "once more")
    assert added.split("│")[0].strip() == ""
    assert "│ + err    2" in added
    removed = line(lines, "That is 8.")
    assert removed.startswith("- ")
    assert removed.split(" │ ")[-1].strip() == ""


@pytest.mark.parametrize("width", [20, 40, 79, 80, 119, 120, 121, 200])
@pytest.mark.parametrize("row", [0, 1, 2, 3])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_no_line_is_wider_than_the_pane(state, width, row, ascii_only):
    for text in texts(state, row, width, ascii_only=ascii_only, raw=ascii_only):
        assert cell_len(text) <= max(width, 52)
        assert text.isascii() or not ascii_only


def test_the_words_that_changed_are_marked(state):
    assert styled(state, 0, "bad strong") == ["twice", "Twice", "2", "16"]
    assert styled(state, 0, "good strong") == ["thrice", "exact", "Thrice", "3", "24"]


def test_raw_formulas_are_compared_as_they_were_written(state):
    lines = texts(state, 0, raw=True)
    assert "$2n = \\frac{16}{2}$" in line(lines, "Twice n")


def test_the_question_stands_there_only_where_it_was_changed(state):
    assert line(texts(state, 0), "~-question").endswith(originals.QUESTIONS[0])
    assert line(texts(state, 0), "~+question").endswith(originals.QUESTIONS[1])
    assert not any("~-question" in text for text in texts(state, 1))
    wide = line(texts(state, 0, 140), "~ question")
    assert wide.count("question") == 2


def test_what_the_benchmark_lists_is_held_against_what_differs(state):
    said = " ".join(texts(state, 0))
    assert "2 steps as they were" in said
    assert "1 step changed, 1 step added, 1 step removed" in said
    assert "the question is another" in said
    assert "The benchmark lists steps 1, 3 as modified; what differs is steps 1, 2." in said
    assert "lists" not in " ".join(texts(state, 2))


def test_an_original_that_was_not_scored_has_no_rewards(state):
    lines = texts(state, 2)
    assert "no rewards for it" in " ".join(lines)
    assert "orig" not in line(lines, "mod  ")
    assert "0.70" in line(lines, "Thrice n")


def test_a_case_without_an_original_says_so_and_is_shown_as_ever(state):
    lines = texts(state, 3)
    assert "This case has no original" in " ".join(lines)
    assert any("Thrice n is wanted." in text for text in lines)


def test_blind_nothing_of_the_original_is_told(state):
    lines = texts(state, 0, blind=True)
    assert "Hidden: the original would tell where the error is." in lines
    assert not any("Twice n" in text for text in lines)


def test_every_step_of_the_modified_solution_is_a_stop(state):
    for width in (80, 140):
        page = case_lines(state, 0, DisplayOptions(width, Glyphs(), mode=MODE))
        assert [stop.step for stop, _ in page.stops if stop.kind == "step"] == [0, 1, 2, 3]


def test_long_steps_that_are_the_same_are_cut_until_they_are_unfolded(state):
    cut = texts(state, 0, 40)
    assert any("… " in text and text.endswith(" more") for text in cut)
    whole = texts(state, 0, 40, turned=frozenset({Stop("step", 0), Stop("step", 3)}))
    assert not any(text.endswith(" more") for text in whole)


@pytest.mark.parametrize("row", [0, 1, 2, 3])
def test_it_stands_in_the_place_of_the_steps(state, row):
    page = case_lines(state, row, DisplayOptions(80, Glyphs(), mode=MODE))
    whole = ["".join(text for text, _ in line.parts) for line in page.lines]
    assert "\n".join(texts(state, row)) in "\n".join(whole)
    assert len(page.starts) == state.cases["n_steps"][row]
