"""What actions come to, against a slow account of the same actions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.workspace.triage.actions import (
    DEFER,
    IN_QUEUES,
    NOTE,
    QUEUE,
    RATE,
    REDO,
    RULE,
    RULINGS,
    SKIP,
    SORT,
    TAG,
    UNDO,
    UNTAG,
    Action,
    rating_of,
)
from scoring.workspace.triage.history import History, Triage

CASES = ("b/1", "b/2", "b/3")
VALUES = {
    NOTE: ("x", "y", ""),
    SORT: ("x", "y", ""),
    RULE: (*RULINGS[:2], ""),
    RATE: ("0 -1", "0 1", "12 0", "0 ", "12 "),
    QUEUE: ("some", "others"),
    SKIP: ("",),
    DEFER: ("",),
}
PEOPLE = (("ann", "gpu1"), ("ann", "laptop"), ("bob", "gpu1"))


@st.composite
def journals(draw):
    """Actions of several authors, whose counters may tie; undos and redos speak of earlier actions or of none."""
    counters = dict.fromkeys(PEOPLE, 0)
    actions = []
    for line in range(1, draw(st.integers(0, 14)) + 1):
        author = draw(st.sampled_from(PEOPLE))
        counters[author] += draw(st.integers(1, 3))
        n = counters[author]
        kind = draw(st.sampled_from((TAG, TAG, UNTAG, UNDO, REDO, *VALUES)))
        if kind in {UNDO, REDO}:
            actions.append(Action(n, *author, line, kind, (), "", draw(st.integers(1, max(1, n - 1))), ""))
            continue
        cases = tuple(draw(st.lists(st.sampled_from(CASES), max_size=3)))
        value = draw(st.sampled_from(VALUES.get(kind, ("x", "y"))))
        mine = [one.of for one in actions if one[1:3] == author and one.kind not in {UNDO, REDO}]
        actions.append(Action(n, *author, line, kind, cases, value, draw(st.sampled_from((n, *mine[-1:]))), ""))
    return actions


def holding(actions):
    """The actions that were not undone last, in order."""
    order = sorted(actions, key=lambda one: one[:4])
    for action in order:
        told = [
            later.kind
            for later in order
            if later.kind in {UNDO, REDO} and (*later[1:3], later.of) == (*action[1:3], action.of)
        ]
        if action.kind not in {UNDO, REDO} and told[-1:] != [UNDO]:
            yield action


def slowly(actions):
    """(tags, then notes, rulings, categories and ratings by who said them) by going through everything in order."""
    tags, own = {}, {NOTE: {}, RULE: {}, SORT: {}, RATE: {}}
    for action in holding(actions):
        for case in action.cases:
            if action.kind == TAG:
                tags.setdefault(case, set()).add(action.value)
            elif action.kind == UNTAG:
                tags.setdefault(case, set()).discard(action.value)
            elif action.kind == RATE:
                step, rating = action.value.split(" ")
                own[RATE][case, action.who, int(step)] = rating
            elif action.kind in own:
                own[action.kind][case, action.who] = action.value
    said = [{key: value for key, value in of.items() if value} for of in own.values()]
    return {case: tuple(sorted(of)) for case, of in tags.items() if of}, *said


def slow_queues(actions, who):
    """(words, waiting, ruled, skipped) of a person's queues, the one that was begun or gone on with last at the end."""
    mine = [one for one in holding(actions) if one.who == who]
    begun = [(at, (one.value, one.content, one.cases)) for at, one in enumerate(mine) if one.kind == QUEUE]
    last = {what: at for at, what in begun}
    return [slow_progress(mine, begun, what) for what in sorted(last, key=last.__getitem__)]


def slow_progress(mine, begun, what):
    """Of one queue: what was done last to each of its cases, looked for from the end."""
    at = min(at for at, of in begun if of == what)

    def at_it(place):
        return max((begins, of) for begins, of in begun if begins < place)[1] == what

    since = [one for place, one in enumerate(mine) if place > at and (one.kind not in {SKIP, DEFER} or at_it(place))]
    cases = list(dict.fromkeys(mine[at].cases))

    def last(case):
        for place in range(len(since) - 1, -1, -1):
            one = since[place]
            if case in one.cases and one.kind in {RULE, SKIP, DEFER}:
                # Of cases that were put off at once, those named last come last.
                within = max(at for at, name in enumerate(one.cases) if name == case)
                return (place, within), "" if (one.kind, one.value) == (RULE, "") else one.kind
        return (-1, 0), ""

    late = sorted((case for case in cases if last(case)[1] == DEFER), key=lambda case: last(case)[0])
    waiting = [case for case in cases if not last(case)[1]] + late
    return mine[at].value, waiting, *([case for case in cases if last(case)[1] == kind] for kind in (RULE, SKIP))


def told(triage):
    own = [
        {(case, who): text for case, of in said.items() for who, text in of.items()}
        for said in (triage.notes, triage.rulings, triage.categories)
    ]
    ratings = {
        (case, who, step): str(rating)
        for case, of in triage.ratings.items()
        for who, steps in of.items()
        for step, rating in steps.items()
    }
    notes, rulings, categories = own
    return dict(triage.tags), notes, rulings, categories, ratings


def queues(history):
    return [
        [(found.words, list(found.waiting), list(found.ruled), list(found.skipped)) for found in history.queues(who)]
        for who in ("ann", "bob")
    ]


@given(journals())
def test_it_is_what_going_through_everything_slowly_gives(actions):
    history = History(actions)
    assert told(history.triage) == slowly(actions)
    assert queues(history) == [slow_queues(actions, who) for who in ("ann", "bob")]
    assert [one for one, holds in history.of_case("b/1") if holds] == [
        one for one in holding(actions) if one.kind not in IN_QUEUES for case in one.cases if case == "b/1"
    ]


@given(journals(), st.randoms())
def test_actions_come_to_the_same_in_whatever_order_they_are_read(actions, shuffler):
    mixed = list(actions)
    shuffler.shuffle(mixed)
    assert told(History(mixed).triage) == told(History(actions).triage)
    assert queues(History(mixed)) == queues(History(actions))


@given(journals())
def test_taking_actions_in_one_by_one_comes_to_the_same(actions):
    history = History()
    for action in sorted(actions):
        before, was = history.triage, told(history.triage)
        history.add(action)
        assert told(history.triage) == slowly(history.actions)
        assert queues(history) == [slow_queues(history.actions, who) for who in ("ann", "bob")]
        # Whoever still holds the value before sees it as it was.
        assert told(before) == was
    assert [history.queues(who) for who in ("ann", "bob")] == [History(actions).queues(who) for who in ("ann", "bob")]


def test_what_an_action_does_not_change_stays_the_same_object():
    history = History()
    act(history, TAG, ("b/1",), "x")
    act(history, NOTE, ("b/1",), "odd")
    before = history.triage
    act(history, RULE, ("b/1",), RULINGS[0])
    assert (history.triage.tags, history.triage.rulings) == (before.tags, {"b/1": {"ann": RULINGS[0]}})
    assert history.triage.tags is before.tags
    assert history.triage.notes is before.notes
    act(history, TAG, ("b/1",), "x")
    assert history.triage.tags is before.tags


def act(history, kind, cases=(), value="", of=None):
    """One more action of ann."""
    n = history.last + 1
    history.add(Action(n, "ann", "gpu1", n, kind, tuple(cases), value, n if of is None else of, ""))


def reverse(history, kind):
    """What a journal does on an undo or redo."""
    done, undone = history.stacks("ann", "gpu1")
    stack = done if kind == UNDO else undone
    if stack:
        act(history, kind, of=stack[-1][2])
    return bool(stack)


@given(journals(), st.lists(st.sampled_from((TAG, UNTAG, UNDO, REDO, *VALUES)), max_size=12), st.data())
def test_undo_gives_back_what_was_and_redo_what_was_undone(before, kinds, data):
    history = History(before)
    for kind in kinds:
        if kind in {UNDO, REDO}:
            reverse(history, kind)
        else:
            value = data.draw(st.sampled_from(VALUES.get(kind, "xy")))
            act(history, kind, data.draw(st.lists(st.sampled_from(CASES))), value)
    states = [(told(history.triage), queues(history))]
    while reverse(history, UNDO):
        states.append((told(history.triage), queues(history)))
    for state in reversed(states[:-1]):
        assert reverse(history, REDO)
        assert (told(history.triage), queues(history)) == state


def test_every_action_is_undone_in_reverse_and_nothing_else():
    history = History([Action(5, "bob", "gpu1", 1, TAG, ("b/1",), "bobs", 5, "")])
    for tag in "xyz":
        act(history, TAG, ("b/1", "b/2"), tag)
    for left in (("bobs", "x", "y"), ("bobs", "x"), ("bobs",)):
        assert reverse(history, UNDO)
        assert history.triage.tags["b/1"] == left
    assert not reverse(history, UNDO)
    assert history.triage.tags == {"b/1": ("bobs",)}


def test_a_new_action_leaves_nothing_to_redo():
    history = History()
    act(history, TAG, ("b/1",), "x")
    reverse(history, UNDO)
    act(history, TAG, ("b/1",), "y")
    assert not reverse(history, REDO)
    assert history.triage.tags == {"b/1": ("y",)}


def test_actions_of_one_batch_are_undone_together():
    history = History()
    act(history, TAG, ("b/1",), "x")
    act(history, TAG, ("b/1",), "y", of=None)
    act(history, UNTAG, ("b/1",), "x", of=2)
    assert history.triage.tags == {"b/1": ("y",)}
    assert reverse(history, UNDO)
    assert history.triage.tags == {"b/1": ("x",)}
    assert [one.value for one in history.batch(("ann", "gpu1", 2))] == ["y", "x"]


def test_a_note_belongs_to_who_wrote_it():
    history = History([Action(1, "bob", "gpu1", 1, NOTE, ("b/1",), "odd", 1, "")])
    assert history.triage.note("b/1") == "odd"
    act(history, NOTE, ("b/1",), "fine")
    assert history.triage.note("b/1") == "ann: fine; bob: odd"
    act(history, NOTE, ("b/1",), "")
    assert (history.triage.note("b/1"), history.triage.note("b/2")) == ("odd", "")


def test_tags_in_use_are_counted_the_most_used_first():
    triage = Triage({"b/1": ("x", "y"), "b/2": ("y", "z"), "gone/3": ("y",)})
    assert list(triage.tags_in_use.items()) == [("y", 3), ("x", 1), ("z", 1)]


def test_a_queue_goes_on_where_it_was_and_undo_leads_back_through_it():
    history = History()
    assert history.queue("ann") is None
    act(history, RULE, ("b/2",), RULINGS[4])
    act(history, QUEUE, ("b/1", "b/2", "b/3", "b/4"), "failures of alpha")
    # A ruling from before the queue decides nothing in it.
    assert history.queue("ann").case == "b/1"
    act(history, RULE, ("b/1",), RULINGS[0])
    act(history, DEFER, ("b/2",))
    act(history, SKIP, ("b/3",))
    queue = history.queue("ann")
    assert (queue.case, queue.waiting, queue.ruled, queue.skipped) == ("b/4", ("b/4", "b/2"), ("b/1",), ("b/3",))
    act(history, RULE, ("b/4", "b/2"), RULINGS[1])
    assert (history.queue("ann").case, history.queue("bob")) == (None, None)
    for case in ("b/4", "b/3", "b/2", "b/1"):
        reverse(history, UNDO)
        assert history.queue("ann").case == case
    assert reverse(history, UNDO)
    assert history.queue("ann") is None


def test_another_queue_waits_until_it_is_begun_once_more():
    history = History()
    act(history, QUEUE, ("b/1", "b/2", "b/3"), "first")
    act(history, SKIP, ("b/1",))
    act(history, QUEUE, ("b/2", "b/3", "b/4"), "second")
    act(history, RULE, ("b/2",), RULINGS[0])
    act(history, DEFER, ("b/3",))
    # A ruling decides in both, what was put off only in the one that was at hand.
    assert [(one.words, one.waiting, one.skipped) for one in history.queues("ann")] == [
        ("first", ("b/3",), ("b/1",)),
        ("second", ("b/4", "b/3"), ()),
    ]
    act(history, QUEUE, ("b/1", "b/2", "b/3"), "first")
    assert [one.words for one in history.queues("ann")] == ["second", "first"]
    assert (history.queue("ann").waiting, history.queue("ann").ruled) == (("b/3",), ("b/2",))
    assert reverse(history, UNDO)
    assert history.queue("ann").words == "second"


def test_a_ruling_that_is_taken_away_puts_the_case_back_into_the_queue():
    history = History()
    act(history, QUEUE, ("b/1", "b/2"), "two")
    act(history, RULE, ("b/1",), RULINGS[0])
    act(history, RULE, ("b/1",))
    assert history.queue("ann").case == "b/1"
    assert history.triage.rulings == {}


@pytest.mark.parametrize(("value", "means"), [("0 -1", (0, -1)), ("12 1", (12, 1)), ("3 ", (3, None))])
def test_a_rating_names_its_step(value, means):
    assert rating_of(value) == means


@pytest.mark.parametrize("value", ["", "3", "-1 1", "3 2", "x 1", "3  1", "٣ 1", "3 +1", "1.0 1"])
def test_what_is_no_rating_is_refused(value):
    with pytest.raises(ValueError, match="is not a step and rating"):
        rating_of(value)
