import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.case_page.original import StepPair, aligned, differing_spans, likeness, repeated_words

WORDS = ("sum", "is", "even", "so", "x", "+", "5", "=", "half", "of", "three", "中", "文")
steps = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), max_size=6).map(tuple)
texts = st.lists(st.sampled_from([*WORDS, " ", "\n", "²", "(", ")"]), max_size=20).map("".join)


def kinds(pairs):
    return [pair.kind for pair in pairs]


@given(steps, steps)
def test_every_step_is_there_once_and_in_order(before, after):
    pairs = aligned(before, after)
    assert [pair.before for pair in pairs if pair.before is not None] == list(range(len(before)))
    assert [pair.after for pair in pairs if pair.after is not None] == list(range(len(after)))
    assert all(pair.before is not None or pair.after is not None for pair in pairs)


@given(steps, steps)
def test_only_equal_steps_are_the_same(before, after):
    for pair in aligned(before, after):
        if pair.same:
            assert before[pair.before].split() == after[pair.after].split()


@given(steps)
def test_a_solution_is_the_same_as_itself(before):
    assert set(kinds(aligned(before, before))) <= {"same"}


@given(steps, steps)
def test_the_pairs_of_a_block_weigh_as_much_as_they_can(before, after):
    """Against every way to pair the steps that are between two equal ones."""
    pairs = aligned(before, after)
    for same, block in itertools.groupby(pairs, key=lambda pair: pair.same):
        found = list(block)
        left = [before[pair.before] for pair in found if pair.before is not None]
        right = [after[pair.after] for pair in found if pair.after is not None]
        if same or max(len(left), len(right)) > 4:
            continue
        least = 0.0 if len(left) == len(right) else 0.3
        weight = sum(alike(before[pair.before], after[pair.after]) + 0.01 for pair in found if pair.kind == "changed")
        assert weight == pytest.approx(heaviest(left, right, least))


def alike(left, right):
    """Slow and from the definition: words taken away one by one."""
    a, b = left.split(), right.split()
    rest = list(b)
    common = 0
    for word in a:
        if word in rest:
            rest.remove(word)
            common += 1
    return 2 * common / (len(a) + len(b)) if a or b else 1.0


def heaviest(left, right, least):
    if not left or not right:
        return 0.0
    ways = [heaviest(left[1:], right, least), heaviest(left, right[1:], least)]
    if alike(left[0], right[0]) >= least:
        ways.append(alike(left[0], right[0]) + 0.01 + heaviest(left[1:], right[1:], least))
    return max(ways)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("a b", "c d"), ("a b", "x y", "c d"), ["same", "added", "same"]),
        (("a b", "x y", "c d"), ("a b", "c d"), ["same", "removed", "same"]),
        (("a b", "one two three"), ("a b", "one two four"), ["same", "changed"]),
        (("a", "quite other"), ("a", "nothing alike"), ["same", "changed"]),
        (("a", "p q r s", "other words here"), ("a", "p q r t"), ["same", "changed", "removed"]),
        (
            ("Step 1: add", "Step 2: halve"),
            ("Step 1: add", "Step 2: check", "Step 3: halve"),
            ["same", "added", "same"],
        ),
        (("1. add\n two",), ("1.  add two",), ["same"]),
        ((), ("a",), ["added"]),
        (("a",), (), ["removed"]),
        ((), (), []),
    ],
)
def test_what_becomes_of_steps(before, after, expected):
    assert kinds(aligned(before, after)) == expected


def test_a_pair_says_which_steps_it_is_about():
    assert aligned(("a b", "c d"), ("new one", "a b")) == (
        StepPair(None, 0),
        StepPair(0, 1, same=True),
        StepPair(1, None),
    )


@given(texts, texts)
@example("中sum+sum", "sum中sumsum+")
def test_what_is_outside_of_the_marked_spans_stands_in_both_texts(before, after):
    old, new = differing_spans(before, after)
    # On each side changes may be one where a single sign that stayed lies between them: what is left is still there.
    assert _in_order(_rest(before, old), after)
    assert _in_order(_rest(after, new), before)
    for text, spans in ((before, old), (after, new)):
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(first[1] < second[0] + 1 for first, second in itertools.pairwise(spans))


@given(texts, texts)
def test_what_is_repeated_and_what_is_new_make_up_the_text(before, after):
    places = sorted((*repeated_words(before, after), *differing_spans(before, after)[1]))
    assert "".join(after[low:high] for low, high in places) == after


def _rest(text, spans):
    kept = "".join(char if not any(a <= at < b for a, b in spans) else " " for at, char in enumerate(text))
    return "".join(kept.split())


def _in_order(signs, text):
    """Whether all of these stand in the text, in this order."""
    rest = iter(text)
    return all(sign in rest for sign in signs)


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        ("so x = 15", "so x = 16", ["15"], ["16"]),
        ("the sum is even", "the sum is odd", ["even"], ["odd"]),
        ("the sum is even", "the whole sum is even", [], ["whole"]),
        ("x is 3.5 cm", "x is 3.7 cm", ["3.5"], ["3.7"]),
        ("因此答案是三个", "因此答案是四个", ["三"], ["四"]),
        ("nothing of this", "was ever there", ["nothing of this"], ["was ever there"]),
        ("same", "same", [], []),
        ("a  b\nc", "a b c", [], []),
        ("", "new words", [], ["new words"]),
    ],
)
def test_which_words_are_marked(before, after, old, new):
    gone, came = differing_spans(before, after)
    assert [before[a:b] for a, b in gone] == old
    assert [after[a:b] for a, b in came] == new


def test_likeness_of_nothing_is_complete():
    from collections import Counter

    assert likeness(Counter(), Counter()) == 1
    assert likeness(Counter("ab"), Counter("cd")) == 0


def test_long_solutions_are_aligned_at_once():
    before = tuple(f"step {n} has {n * 7} words of {n % 13} sorts" for n in range(80))
    after = tuple(f"{text} or {n}" for n, text in enumerate(before[::2]))
    start = time.process_time()
    aligned(before, after)
    assert time.process_time() - start < 1
