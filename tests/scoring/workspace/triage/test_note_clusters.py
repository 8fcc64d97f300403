from collections import Counter
from math import log, sqrt

from hypothesis import given
from hypothesis import strategies as st

from scoring.evaluation.similar import ALIKE, clusters
from scoring.workspace.triage.case_notes import CaseNote

words = st.sampled_from(["sign", "minus", "table", "unit", "the", "lost", "x", "12"])
texts = st.lists(st.lists(words, max_size=4).map(" ".join), max_size=9)


def noted(found):
    return [CaseNote(f"b/{at}", "ann", text, "", "") for at, text in enumerate(found)]


def slowly(found):
    """The sets of notes, by the definition: the middle of the most unclustered notes takes all of them, and so on."""
    bags = [Counter(word for word in text.split() if len(word) > 1) for text in found if text]
    held = Counter(word for bag in bags for word in bag)
    weighted = [
        {word: (1 + log(n)) * log(len(bags) / held[word]) for word, n in bag.items() if held[word] > 1} for bag in bags
    ]
    lengths = [sqrt(sum(weight**2 for weight in bag.values())) or 1 for bag in weighted]

    def alike(a, b):
        dot = sum(weight * weighted[b].get(word, 0) for word, weight in weighted[a].items())
        return a == b or dot / lengths[a] / lengths[b] >= ALIKE

    left, made = set(range(len(bags))), []
    while left:
        sizes = {a: sum(alike(a, b) for b in left) for a in left}
        middle = max(left, key=lambda a: (sizes[a], -a))
        if sizes[middle] < 2:
            break
        made.append(sorted(b for b in left if alike(middle, b)))
        left -= set(made[-1])
    return sorted(made, key=lambda one: -len(one))


@given(texts)
def test_it_is_what_the_definition_gives(found):
    kept = [one for one in noted(found) if one.text]
    assert [[kept.index(one) for one in cluster.notes] for cluster in clusters(noted(found))] == slowly(found)


def test_the_words_are_those_that_the_notes_share_and_others_have_not():
    found = ["a minus is lost", "the minus was lost here", "wrong unit", "no idea", "units mixed up", "who knows"]
    (cluster,) = clusters(noted(found))
    assert cluster.words == ("lost", "minus")
    assert [one.text for one in cluster.notes] == found[:2]


def test_numbers_of_their_own_keep_no_notes_apart():
    found = [f"{what} lost, note {at}" for at, what in enumerate(["minus", "feet", "minus", "table", "minus", "feet"])]
    assert [len(one.notes) for one in clusters(noted(found))] == [3, 2]


def test_notes_without_words_and_few_notes_are_no_clusters():
    assert clusters([]) == []
    assert clusters(noted(["", "", "alone"])) == []
