r"""math-verify in its child process; against the real package where it is installed."""

import threading

import pytest

from scoring.formats.reading import math_verify
from scoring.formats.reading.math_verify import MOST_LOST, MathVerify, math_verify_version

needs_math_verify = pytest.mark.skipif(math_verify_version() is None, reason="math-verify is not installed")


def test_without_the_package_every_pair_is_undecided(monkeypatch):
    monkeypatch.setattr(math_verify, "find_spec", lambda _: None)
    with MathVerify() as asked:
        assert asked.version is None
        assert asked.equal("1", "1") is None
        assert asked.lost == 0


def test_a_child_that_does_not_start_is_given_up(monkeypatch):
    monkeypatch.setattr(math_verify, "math_verify_version", lambda: "0")
    monkeypatch.setattr(math_verify, "_CHILD", "scoring.no_such_module")
    monkeypatch.setattr(math_verify, "MOST_LOST", 2)
    monkeypatch.setattr(math_verify, "_decided", {})
    with MathVerify() as asked:
        assert [asked.equal("x", str(number)) for number in range(4)] == [None] * 4
        assert asked.lost == 2


@needs_math_verify
@pytest.mark.parametrize(
    ("reference", "answer", "equal"),
    [
        ("(x+1)^{2}", "x^{2}+2x+1", True),
        (r"2\sqrt{3}", r"\sqrt{12}", True),
        (r"\frac{\sqrt{2}}{2}", r"\frac{1}{\sqrt{2}}", True),
        ("x^{2}", "x^{3}", False),
        ("{", "1", None),
        ("", "", None),
        # Text from an answer is no code.
        ("__import__('os').abort()", "1", False),
    ],
)
def test_expressions_are_compared_in_any_thread(reference, answer, equal):
    found = []

    def ask():
        with MathVerify() as asked:
            found.append(asked.equal(reference, answer))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert found[0] is equal or (not equal and not found[0])


@needs_math_verify
def test_a_pair_that_takes_too_long_ends_the_child_and_the_next_is_answered():
    with MathVerify() as asked:
        assert asked.equal("9^{9^{9^{9}}}", "1") is None
        assert asked.lost == 1 < MOST_LOST
        assert asked.equal("a+b", "b+a") is True
        # It is not asked again.
        assert asked.equal("9^{9^{9^{9}}}", "1") is None
        assert asked.lost == 1
