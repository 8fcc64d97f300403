"""Lines of a journal that are decoded many at once come to what each comes to alone."""

import json
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from scoring.workspace.triage import journal_lines
from scoring.workspace.triage.actions import Action
from scoring.workspace.triage.journal_lines import ReadJournal, read_file

SOUND = {"v": 1, "n": 3, "who": "ann", "machine": "gpu", "time": "", "action": "tag", "cases": ["b/1"], "value": "x"}


def line(**changes):
    return json.dumps({key: value for key, value in {**SOUND, **changes}.items() if value is not None}).encode()


PIECES = (
    line(),
    line(n=7, value="naïve"),
    line(action="rule", value="unsure", content="abc"),
    line(action="rate", value="3 -1", batch=2),
    line(action="undo", cases=None, value=None, of=2),
    line(action="redo", cases=None, value=None, of=3),
    line(action="rule", value="nonsense"),
    line(action="rate", value="x"),
    line(action="paint"),
    line(v=2, n=90),
    line(n=0),
    line(cases="b/1"),
    line(value=5),
    line(who=None),
    line()[:-9],
    line()[9:],
    line() + line(n=4),
    line() + b" " + line(n=4),
    line() + b"\r",
    line(value="x").replace(b"x", b"\xff"),
    b'{"a": [' + line(),
    line() + b", 1]}",
    b"",
    b"  ",
    b"7",
    b"{}",
)


def alone(lines, *, ended):
    """What every line comes to by itself, by the one way that tells what is wrong with it."""
    cut = "was cut short while it was written and does nothing; the next action of its author takes its place"
    actions, problems, unknown, last = [], [], Counter(), 0
    for number, one in enumerate(lines, 1):
        value = journal_lines._value(one)
        found = journal_lines._action(value, number)
        if isinstance(found, str):
            told = f"{found}; the line does nothing" if found else ""
            if number == len(lines) and not ended and found == "is not a whole JSON object":
                told = cut
            problems += [f"triage/j.jsonl:{number}: {told}"] if told else []
            continue
        if isinstance(found, Action):
            actions.append(found)
        else:
            unknown[journal_lines._word(value)] += 1
        last = max(last, found.n if isinstance(found, Action) else found)
    return ReadJournal(tuple(actions), tuple(problems), unknown, last)


@given(
    st.lists(st.one_of(st.just(PIECES[0]), st.sampled_from(PIECES)), max_size=12), st.booleans(), st.integers(0, 600)
)
def test_many_lines_at_once_come_to_what_each_comes_to(tmp_path_factory, lines, ended, together):
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n" * ended)
    before = journal_lines._TOGETHER
    journal_lines._TOGETHER = together
    try:
        assert read_file(path) == alone(lines, ended=ended)
    finally:
        journal_lines._TOGETHER = before


def test_sound_lines_are_decoded_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(journal_lines, "_line", None)
    path = tmp_path / "j.jsonl"
    path.write_bytes(b"".join(line(n=n) + b"\n" for n in range(1, 2_500)))
    assert [one.line for one in read_file(path).actions] == [*range(1, 2_500)]
