from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from scoring.asking import Answer, Ask, Message
from scoring.critics.cost import Estimate, Spent, estimates, spent
from scoring.critics.prices import Price

PRICE = Price(Decimal(2), Decimal(10), "USD")


def ask(*texts, count=1):
    return Ask(0, tuple(Message("user", text) for text in texts), count)


def test_an_estimate_a_subset():
    found = estimates([("gsm8k", ask("abcd", "ef", count=8)), ("math", ask("a" * 9)), ("gsm8k", ask("ab", count=8))])
    assert found == {"gsm8k": Estimate(2, 16, 8, 6), "math": Estimate(1, 1, 9, 9)}
    assert list(found) == ["gsm8k", "math"]
    assert sum(found.values(), Estimate()) == Estimate(3, 17, 17, 9)
    assert found["math"].tokens_in == 3
    assert found["gsm8k"].tokens_out_at_most(8192) == 16 * 8192
    assert found["gsm8k"].tokens_out_at_most(None) is None


def test_estimated_money():
    assert Estimate(1, 1, 4_000_000, 4_000_000).money(PRICE, 100_000) == Decimal(3)


def test_nothing_to_ask():
    assert estimates([]) == {}
    assert Estimate().tokens_in == 0


def test_exact_sums():
    answers = [Answer("a", tokens_in=100, tokens_out=5), Answer("b", tokens_in=0, tokens_out=7)]
    assert spent(answers) == Spent(2, 100, 12)
    assert spent(answers).exact
    assert spent(answers).money(PRICE) == Decimal("0.00032")


def test_a_sum_for_the_whole_call_is_on_its_first_answer():
    answers = [Answer("a", tokens_in=100, tokens_out=20), Answer("b", tokens_in=0), Answer("c", tokens_in=0)]
    assert spent(answers) == Spent(3, 100, 20)


def test_what_is_not_told_is_counted():
    assert spent([Answer("a")]) == Spent(1, 0, 0, 1, 1)
    assert not spent([Answer("a")]).exact
    mixed = [Answer("a", tokens_in=1, tokens_out=1), Answer("b", tokens_in=0), Answer("c", tokens_in=0, tokens_out=2)]
    assert spent(mixed) == Spent(3, 1, 3, 0, 1)


def test_what_failed_is_no_answer_but_its_tokens_are_spent():
    assert spent([Answer(None, reason="no server")]) == Spent()
    assert spent([Answer(None, tokens_in=50, tokens_out=9, reason="empty")]) == Spent(0, 50, 9)


@given(st.lists(st.integers(0, 10**9)), st.lists(st.integers(0, 10**9)))
def test_sums_add_up(first, second):
    def of(counts):
        return sum((spent([Answer("a", tokens_in=n, tokens_out=n)]) for n in counts), Spent())

    assert of(first) + of(second) == of(first + second)
    assert of(first).money(PRICE) + of(second).money(PRICE) == of(first + second).money(PRICE)
