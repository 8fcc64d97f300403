"""Searching texts, against slow code that looks at every case with Python's own `re`."""

import json
import re
import unicodedata
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoring.data.errors import DamagedWorkspace
from scoring.data.schema import TEXTS, VOTES
from scoring.data.storage.parquet import write_parquet
from scoring.data.texts import Texts
from scoring.workspace.cache import VoteParts
from scoring.workspace.filtering import text_search
from scoring.workspace.filtering.text_query import SCOPES, TextQuery
from scoring.workspace.filtering.text_search import Searchable, search, search_all
from thoroughness import up_to

# Few letters, so that words are found; a wide, an astral and a combining character, markup and white space.
letters = st.sampled_from("abAB é界𝒳\u0301\n[$\\{}\x1b")
text = st.text(letters, max_size=12)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "ab", None]), "name": st.none() | text, "text": st.none() | text}
)
tools = st.fixed_dictionaries({"name": st.none() | text, "about": st.none() | text, "definition": text})
rows = st.lists(
    st.fixed_dictionaries(
        {
            "problem": text,
            "steps": st.lists(text, max_size=4),
            "reason": st.none() | text,
            "question": st.none() | text,
            "context": st.none() | st.lists(messages, max_size=3),
            "tools": st.none() | st.lists(tools, max_size=2),
        }
    ),
    max_size=12,
)
words = st.lists(st.text(st.sampled_from("abAé界𝒳[$\\{"), min_size=1, max_size=3), min_size=1, max_size=3)


def frame(cases):
    return pl.DataFrame([{name: case.get(name) for name in TEXTS} for case in cases], schema=TEXTS)


def searchable(cases, answers=()):
    texts = frame(cases)
    return Searchable(
        Texts.whole((texts,), (texts.height,)),
        pl.Series([f"k{n}" for n in range(texts.height)], dtype=pl.String),
        answers,
    )


def holds(word, value, *, ignore):
    ways = [{one, unicodedata.normalize("NFD", one)} for one in unicodedata.normalize("NFC", word)]
    forms = {word, *map("".join, product(*ways))}
    flags = re.IGNORECASE if ignore else 0
    return value is not None and any(re.search(re.escape(form), value, flags) for form in forms)


def slow(case, word, scope, *, ignore):
    if scope == "context":
        texts = [message[name] for message in case.get("context") or [] for name in ("name", "text")]
        texts += [value for tool in case.get("tools") or [] for value in tool.values()]
        return any(holds(word, value, ignore=ignore) for value in texts)
    if scope == "steps":
        return any(holds(word, step, ignore=ignore) for step in case["steps"])
    return any(holds(word, case.get(name), ignore=ignore) for name in text_search.COLUMNS[scope])


@given(rows, words, st.sets(st.sampled_from(SCOPES[:4]), min_size=1))
@example(
    [
        {"problem": "a", "steps": ["界𝒳ébA界é", "é\néaAAbbbAA\na\n", "AaA界A"], "reason": None, "question": None},
        {"problem": "bAab", "steps": [], "reason": None, "question": None},
    ],
    ["b", "a"],
    {"problem", "steps"},
)
@up_to(150, 18)
def test_the_same_cases_as_a_slow_reader(cases, wanted, scopes):
    query = TextQuery.parse(" ".join(f'"{word}"' for word in wanted), tuple(scopes))
    found = search_all(query, searchable(cases))
    ignore = not any(character.isupper() for word in wanted for character in word)
    for row, case in enumerate(cases):
        where = [{scope for scope in scopes if slow(case, word, scope, ignore=ignore)} for word in wanted]
        assert found.mask[row] == all(where)
        assert set(found.where(row)) == (set().union(*where) if all(where) else set())
        steps = [n for n, step in enumerate(case["steps"]) if any(holds(word, step, ignore=ignore) for word in wanted)]
        assert found.first_step[row] == (min(steps, default=-1) if "steps" in scopes else -1)


def numbered(n):
    return [{"problem": f"problem {i}", "steps": [f"step {i} a", "rare" if i % 997 == 5 else "b"]} for i in range(n)]


def on_disk(tmp_path, cases, parts=2):
    """Texts of several files, and cases that use their rows in another order; every other row is used."""
    cut = len(cases) // parts
    sources, part, place = [], [], []
    for number in range(parts):
        own = cases[number * cut : (number + 1) * cut]
        path = tmp_path / f"texts-[{number}].parquet"
        write_parquet(path, frame(own), "lz4", row_group_size=256)
        sources.append(path)
        used = np.arange(len(own))[::-2]
        part.append(np.full(used.size, number))
        place.append(used)
    return Texts(tuple(sources), np.concatenate(part), np.concatenate(place)), cut


def test_files_rows_out_of_order_and_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(text_search, "FIRST_BATCH", 300)
    monkeypatch.setattr(text_search, "BATCH", 700)
    cases = numbered(6000)
    texts, cut = on_disk(tmp_path, cases)
    keys = pl.Series([str(n) for n in range(texts.part.size)])
    steps = list(search(TextQuery.parse("rare"), Searchable(texts, keys)))
    expected = ["rare" in cases[p * cut + r]["steps"] for p, r in zip(texts.part, texts.row_in_part, strict=True)]
    assert steps[-1].mask.tolist() == expected
    assert sum(expected) > 2
    seen = [int(step.searched.sum()) for step in steps]
    assert seen == sorted(set(seen))
    assert len(seen) > 5
    assert seen[-1] == keys.len()
    for step in steps:
        assert not (step.mask & ~np.array(expected)).any()


@pytest.mark.parametrize("spread", [1, 7, 500])
def test_only_the_wanted_cases_and_then_the_others(tmp_path, spread, monkeypatch):
    monkeypatch.setattr(text_search, "FEW_RANGES", 3)
    texts, _ = on_disk(tmp_path, numbered(6000))
    among = Searchable(texts, pl.Series([str(n) for n in range(texts.part.size)]))
    query = TextQuery.parse("rare")
    every = search_all(query, among)
    wanted = np.arange(texts.part.size) % spread == 0
    some = search_all(query, among, wanted)
    assert (some.searched == wanted).all()
    assert (some.mask == (every.mask & wanted)).all()
    rest = search_all(query, among, None, some)
    assert (rest.mask == every.mask).all()
    assert (rest.first_step == every.first_step).all()
    assert (some.searched == wanted).all(), "what was given out never changes"
    assert some.covers(wanted)
    assert some.covers(~wanted) == bool((~wanted).sum() == 0)


def test_nothing_to_search_and_no_case():
    assert not search_all(TextQuery.parse("x"), searchable([])).mask.size
    nothing = search_all(TextQuery.parse("  "), searchable(numbered(3)))
    assert nothing.mask.all(), "no query, no condition"
    assert nothing.scopes.tolist() == [0, 0, 0]


def test_several_words_may_lie_in_different_texts():
    cases = [{"problem": "alpha", "steps": ["beta"]}, {"problem": "alpha", "steps": ["gamma"]}]
    found = search_all(TextQuery.parse("beta alpha"), searchable(cases))
    assert found.mask.tolist() == [True, False]
    assert found.where(0) == ("problem", "steps")
    assert found.where(1) == ()
    assert search_all(TextQuery.parse("beta alpha", ("steps",)), searchable(cases)).mask.tolist() == [False, False]


def test_files_that_were_written_before_there_was_context_are_searched_beside_those_that_have_it(tmp_path):
    said = [{"role": "tool", "name": "till", "text": "needle"}]
    late = [{"problem": "p", "steps": ["hay"], "context": said}, {"problem": "needle", "steps": []}]
    early = [{"problem": "q", "steps": ["needle"]}, {"problem": "q", "steps": ["hay"]}]
    write_parquet(tmp_path / "late.parquet", frame(late), "lz4")
    write_parquet(tmp_path / "early.parquet", frame(early).drop("context"), "lz4")
    texts = Texts.whole((tmp_path / "early.parquet", tmp_path / "late.parquet"), (2, 2))
    among = Searchable(texts, pl.Series(list("abcd")))
    found = search_all(TextQuery.parse("needle"), among)
    assert [found.where(row) for row in range(4)] == [("steps",), (), ("context",), ("problem",)]
    for word, mask in (("till", [False, False, True, False]), ("tool", [False] * 4)):
        assert search_all(TextQuery.parse(word, ("context",)), among).mask.tolist() == mask
    without = search_all(TextQuery.parse("needle"), replace(among, trajectories=False))
    assert without.mask.tolist() == [True, False, False, True]
    assert without.searched.all()


def test_a_file_that_has_gone_or_is_too_short(tmp_path):
    texts, _ = on_disk(tmp_path, numbered(20))
    keys = pl.Series([str(n) for n in range(texts.part.size)])
    short = Texts(texts.sources, texts.part, texts.row_in_part + 10_000)
    with pytest.raises(DamagedWorkspace, match="10 rows, and a case uses row 10009"):
        search_all(TextQuery.parse("a"), Searchable(short, keys))
    Path(texts.sources[0]).unlink()
    with pytest.raises(DamagedWorkspace, match="cannot be read"):
        search_all(TextQuery.parse("a"), Searchable(texts, keys))


def vote(key, answer, *, reasoning=None, verdict=1, number=0):
    return {"key": key, "vote": number, "run": 0, "answer": answer, "reasoning": reasoning, "verdict": verdict}


def test_answers_that_count_are_searched(tmp_path):
    parts = VoteParts(tmp_path)
    parts.append(pl.DataFrame([vote("k0", "Needle", verdict=None), vote("k1", "x", reasoning="needle")], schema=VOTES))
    # Case 0 was asked again: what it said first counts no more.
    parts.append(pl.DataFrame([vote("k0", "hay"), vote("k2", None)], schema=VOTES))
    (tmp_path / "votes-zz.parquet").write_bytes(b"no parquet")
    cases = [{"problem": "p", "steps": ["needle"]}, *({"problem": "p", "steps": ["s"]} for _ in range(3))]
    among = searchable(cases, (tmp_path,))
    assert search_all(TextQuery.parse("needle", ("answers",)), among).mask.tolist() == [False, True, False, False]
    found = search_all(TextQuery.parse("needle"), among)
    assert [found.where(row) for row in range(4)] == [("steps",), ("answers",), (), ()]
    assert not search_all(TextQuery.parse("needle", ("notes",)), among).mask.any()


def test_notes_are_searched_and_may_change():
    notes = pl.Series(["a Needle", None, "hay"], dtype=pl.String)
    among = searchable(numbered(3))
    found = search_all(TextQuery.parse("needle"), replace(among, notes=notes))
    assert found.mask.tolist() == [True, False, False]
    assert found.where(0) == ("notes",)
    changed = found.with_notes(pl.Series([None, "needle", None], dtype=pl.String))
    assert changed.mask.tolist() == [False, True, False]
    assert found.mask.tolist() == [True, False, False]
    assert not found.with_notes(None).mask.any()
    steps = search_all(TextQuery.parse("needle", ("steps",)), replace(among, notes=notes))
    assert not steps.with_notes(notes).mask.any()


def test_where_most_cases_match_the_first_steps_are_not_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(text_search, "FIRST_BATCH", 256)
    monkeypatch.setattr(text_search, "BATCH", 256)
    texts, _ = on_disk(tmp_path, numbered(3000))
    among = Searchable(texts, pl.Series([str(n) for n in range(texts.part.size)]))
    every = search_all(TextQuery.parse("step", ("steps",)), among)
    assert every.mask.all()
    assert set(every.first_step.tolist()) == {0, -1}
    rare = search_all(TextQuery.parse("rare", ("steps",)), among)
    assert rare.mask.sum() > 1
    assert (rare.first_step[rare.mask] == 1).all()


def test_of_talks_what_was_written_is_searched_and_not_their_json(tmp_path):
    talk = [['so \\frac{1}{2}\nis "it"', "é"], ["Yes"]]
    answers = [json.dumps(talk, ensure_ascii=False), "no JSON: \\frac", "[1]", None]
    VoteParts(tmp_path).append(pl.DataFrame([vote(f"k{n}", one) for n, one in enumerate(answers)], schema=VOTES))
    among = replace(searchable([{"problem": "p", "steps": ["s"]}] * 4), talks=(tmp_path,))

    def hits(query):
        return search_all(TextQuery.parse(query, ("answers",)), among).mask.tolist()

    assert hits("\\frac{1}{2}") == [True, False, False, False]
    assert hits('/2}\\nis "it"$/') == [False] * 4
    assert hits('/2}\\nis "it"/') == [True, False, False, False]
    assert hits("\\frac") == [True, True, False, False]
    assert hits("yes") == [True, False, False, False]
    assert hits('/"\\]/') == [False] * 4
    assert hits("1]") == [False, False, True, False]


def test_of_cases_of_equal_text_that_one_is_found_whose_answer_it_is(tmp_path):
    rows = [
        {"case": name, **vote("k", answer)} for name, answer in (("b/1", "needle"), ("b/2", "hay"), (None, "needle"))
    ]
    VoteParts(tmp_path).append(pl.DataFrame(rows, schema=VOTES))
    among = replace(
        searchable([{"problem": "p", "steps": ["s"]}] * 3, (tmp_path,)),
        keys=pl.Series(["k"] * 3),
        names=pl.Series(["b/1", "b/2", "b/3"]),
    )
    assert search_all(TextQuery.parse("needle", ("answers",)), among).mask.tolist() == [True, False, True]
