from scoring.runs.critic_runs import FEWEST, SameTexts


def counted(*groups):
    found = SameTexts()
    for group in groups:
        found.add((None, answer) if answer is None or isinstance(answer, str) else answer for answer in group)
    return found


def test_the_very_same_text_in_nearly_all_cases_is_noticed():
    same, other = ["a"] * 8, ["a"] * 7 + ["b"]
    assert counted(*[same] * FEWEST).sentence.startswith("in 10 of 10 groups of votes")
    assert counted(*[same] * 95, *[other] * 5).sentence
    assert counted(*[same] * 94, *[other] * 6).sentence is None


def test_few_cases_say_nothing_nor_do_single_answers_and_failures():
    assert counted(*[["a", "a"]] * (FEWEST - 1)).sentence is None
    assert counted(*[["a"]] * 50, *[["a", None]] * 50, *[[None, None]] * 50, *[[]] * 50) == SameTexts(0, 0)
    assert counted(["a", None, "a"]) == SameTexts(1, 1)
    assert counted(["", " \n", ""], ["a", "", "a"]) == SameTexts(1, 1)
    assert counted([("x", ""), ("y", "")], [("x", ""), ("x", "")]) == SameTexts(2, 1)


def test_equal_answers_after_other_reasoning_were_sampled():
    assert counted([("x", "a"), ("y", "a")], [("x", "a"), ("x", "a")]) == SameTexts(2, 1)
