"""Triage against a slow account of the same actions."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.triage import NOTE, REDO, TAG, UNDO, UNTAG, Action, History, Triage

CASES = ("b/1", "b/2", "b/3")
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
        kind = draw(st.sampled_from((TAG, TAG, UNTAG, NOTE, UNDO, REDO)))
        if kind in {UNDO, REDO}:
            actions.append(Action(n, *author, line, kind, (), "", draw(st.integers(1, max(1, n - 1))), ""))
            continue
        cases = tuple(draw(st.lists(st.sampled_from(CASES), max_size=3)))
        value = draw(st.sampled_from(("x", "y", "") if kind == NOTE else ("x", "y")))
        mine = [one.of for one in actions if one[1:3] == author and one.kind not in {UNDO, REDO}]
        actions.append(Action(n, *author, line, kind, cases, value, draw(st.sampled_from((n, *mine[-1:]))), ""))
    return actions


def slowly(actions):
    """(tags, notes) by going through everything once a case and an action."""
    order = sorted(actions, key=lambda one: one[:4])
    tags, notes = {}, {}
    for action in order:
        told = [
            later.kind
            for later in order
            if later.kind in {UNDO, REDO} and (*later[1:3], later.of) == (*action[1:3], action.of)
        ]
        if action.kind in {UNDO, REDO} or told[-1:] == [UNDO]:
            continue
        for case in action.cases:
            if action.kind == TAG:
                tags.setdefault(case, set()).add(action.value)
            elif action.kind == UNTAG:
                tags.setdefault(case, set()).discard(action.value)
            else:
                notes.setdefault(case, {})[action.who] = action.value
    written = {case: {who: text for who, text in of.items() if text} for case, of in notes.items()}
    return {case: tuple(sorted(of)) for case, of in tags.items() if of}, {k: v for k, v in written.items() if v}


def told(triage):
    return dict(triage.tags), {case: dict(notes) for case, notes in triage.notes.items()}


@given(journals())
def test_it_is_what_going_through_everything_slowly_gives(actions):
    assert told(History(actions).triage) == slowly(actions)


@given(journals(), st.randoms())
def test_actions_come_to_the_same_in_whatever_order_they_are_read(actions, shuffler):
    mixed = list(actions)
    shuffler.shuffle(mixed)
    assert told(History(mixed).triage) == told(History(actions).triage)


@given(journals())
def test_taking_actions_in_one_by_one_comes_to_the_same(actions):
    history = History()
    for action in sorted(actions):
        history.add(action)
        assert told(history.triage) == slowly(history.actions)


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


@given(journals(), st.lists(st.sampled_from((TAG, UNTAG, NOTE, UNDO, REDO)), max_size=12), st.data())
def test_undo_gives_back_what_was_and_redo_what_was_undone(before, kinds, data):
    history = History(before)
    for kind in kinds:
        if kind in {UNDO, REDO}:
            reverse(history, kind)
        else:
            act(history, kind, data.draw(st.lists(st.sampled_from(CASES))), data.draw(st.sampled_from("xy")))
    states = [told(history.triage)]
    while reverse(history, UNDO):
        states.append(told(history.triage))
    for state in reversed(states[:-1]):
        assert reverse(history, REDO)
        assert told(history.triage) == state


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
