from scoring.engines.server.sameness import ENOUGH, Sameness

LONG, OTHER = "a" * 50, "b" * 50


def test_equal_answers_to_many_asks_are_told_of_once():
    sameness = Sameness()
    assert [sameness.seen([LONG, LONG, None]) for _ in range(8)] == [i == ENOUGH - 1 for i in range(8)]


def test_one_ask_with_two_answers_settles_it():
    sameness = Sameness()
    assert not sameness.seen([LONG, OTHER])
    assert not any(sameness.seen([LONG, LONG]) for _ in range(20))


def test_short_and_single_answers_prove_nothing():
    sameness = Sameness()
    assert not any(sameness.seen(texts) for texts in ([], [LONG], [None, LONG], ["2", "2"]) for _ in range(20))
