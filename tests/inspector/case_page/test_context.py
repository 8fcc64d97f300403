"""What stands between the steps of a trajectory on the page of a case."""

import json

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

import making
from benchmark_rows import judged_trajectory, tool, trajectory
from inspector import cli
from inspector.api import analysis
from inspector.case_page.context_lines import LONGEST_MESSAGE, glance_at_hit
from inspector.case_page.copied_text import copied
from inspector.case_page.open_case import DisplayOptions, Stop
from inspector.case_page.prose import FOUND, is_hit
from inspector.render.texts.text import clean
from inspector.state.opening import inspect
from reference import Case
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.filtering.text_query import TextQuery
from scoring.workspace.filtering.text_spans import spans
from shown_case import PLAIN, at_hand, seen

LONG = "word " * 30_000
CASES = [Case(2, 0, (0.2, 0.9), error_steps=(0,))]


def start(root):
    context = [
        {"role": "system", "name": None, "text": "Be\nkind. \x1b[31m"},
        {"role": None, "name": None, "text": "brief"},
        {"role": "tool", "name": "till", "text": LONG},
    ]
    columns = {"context": [context], "step_messages": [[1, 3]], "neutral_steps": [[1]]}
    making.workspace(root, CASES, [(making.scorer("s"), CASES)], **columns)
    return inspect(load(Query(workspace=str(root))))


def test_messages_fold_between_the_steps_unfold_whole_and_never_act(tmp_path):
    state = start(tmp_path)
    page, lines = seen(state, 0, 80)
    places = [next(at for at, line in enumerate(lines) if mark in line) for mark in ("[0]", " 0 ", "[2]", " 1 ", "[4]")]
    assert places == sorted(places)
    assert places[1:3] == [page.starts[0], page.starts[0] + 1]
    assert "system: Be kind. " in lines[places[0]]
    assert not any("\x1b" in line for line in lines)
    assert lines[places[2]].endswith("no role: brief")
    assert "tool till: word word" in lines[places[4]]
    assert max(map(len, lines)) <= 80
    wide = " ".join(seen(state, 0, 120)[1])
    assert f"... {len(LONG):,} characters (Enter)" in wide
    assert lines[places[3]].startswith("neut ")

    stop = Stop("context", 4)
    assert stop in dict(page.stops)
    unfolded, lines = seen(state, 0, 80, turned=frozenset({stop}))
    assert sum(line.count("word") for line in lines) == LONGEST_MESSAGE // len("word ")
    assert f"... {len(LONG) - LONGEST_MESSAGE:,} more characters" in " ".join(lines)
    # The steps that come before it stay where they were.
    assert unfolded.starts == page.starts
    assert copied(at_hand(state, 0), stop) == (LONG, "message 4 of bench/c0")


def test_show_says_how_many_messages_there_are_and_gives_them_to_programs(tmp_path):
    start(tmp_path)
    view = analysis(tmp_path, "show", options={"case": "c0"})
    assert [message["place"] for message in view.provenance["context"]] == [0, 2, 4]
    assert "3 messages of context (system, no role, tool till)" in view.render("markdown")


def hits_of(page):
    """The lines with hits: their texts, and what of them stands out."""
    return [
        ("".join(text for text, _ in line.parts), "".join(text for text, style in line.parts if FOUND in style.split()))
        for line in page.lines
        if is_hit(line.parts)
    ]


def searching(text, *scopes):
    return TextQuery.parse(text, scopes)


def test_a_folded_message_shows_its_first_hit_and_counts_them_and_unfolded_marks_each(tmp_path):
    text = "before " * 400 + "the Ticket\n  is sold " + "behind " * 30 + "ticket"
    far = "x" * (LONGEST_MESSAGE + 5) + " voucher voucher"
    context = [
        {"role": "tool", "name": "ticket_office", "text": "closed"},
        {"role": "tool", "name": "till", "text": text},
        {"role": "user", "name": None, "text": far},
        {"role": "user", "name": None, "text": "free\x1b[31mdom"},
    ]
    making.workspace(tmp_path, CASES, [], context=[context], step_messages=[[0, 2]])
    state = inspect(load(Query(workspace=str(tmp_path))))
    query = searching("ticket")
    page, lines = seen(state, 0, 100, search=query)
    named, folded = hits_of(page)
    assert named[1] == "ticket"
    assert folded[1] == "Ticket"
    assert "the Ticket is sold" in folded[0]
    assert folded[0].endswith(f" ... 2 hits in {len(text):,} characters (Enter)")
    assert lines.index(named[0]) < lines.index(folded[0])
    # Where the line has no room for it, it is a line with hits all the same; other scopes have none here.
    for width in (20, 30, 41, 60):
        narrow, texts = seen(state, 0, width, search=searching("sold"))
        assert len(hits_of(narrow)) == 1
        assert max(map(len, texts)) <= max(width, 45)
    assert not hits_of(seen(state, 0, 100, search=searching("ticket", "steps"))[0])
    assert not hits_of(seen(state, 0, 100, search=searching("tool"))[0])

    unfolded, _ = seen(state, 0, 100, search=query, turned=frozenset({Stop("context", 3)}))
    assert [marked for _, marked in hits_of(unfolded)] == ["ticket", "Ticket", "ticket"]

    query = searching("voucher")
    (folded,) = hits_of(seen(state, 0, 100, search=query)[0])
    assert folded[1].startswith("voucher")
    assert "2 hits" in folded[0]
    beyond = hits_of(seen(state, 0, 100, search=query, turned=frozenset({Stop("context", 4)}))[0])
    assert "more characters with 2 hits" in "".join(text for text, _ in beyond)
    # The screen shows another sign in the place of what would act.
    (only_raw,) = hits_of(seen(state, 0, 100, search=searching(r"/\x1b/"))[0])
    assert only_raw[1] == "[5] "


def test_steps_folded_into_one_line_say_which_of_their_lines_have_hits(tmp_path):
    cases = [Case(9, 8, (0.9,) * 9)]
    context = [{"role": "tool", "name": "till", "text": "needle"}, {"role": "user", "name": None, "text": "hay"}]
    making.workspace(
        tmp_path, cases, [(making.scorer("s"), cases)], context=[context], step_messages=[list(range(2, 11))]
    )
    state = inspect(load(Query(workspace=str(tmp_path))))
    query = searching("needle")
    assert [marked for _, marked in hits_of(seen(state, 0, 100, search=query)[0])] == ["needle"]
    ((folded, _),) = hits_of(seen(state, 0, 100, search=query, prefix=True)[0])
    assert "steps 0-6: right, rewards 0.90 to 0.90, 1 line with hits" in folded


letters = st.text(st.sampled_from("ab \n\t界é"), max_size=60)


@given(letters, st.sampled_from(["a", "ab", '"a b"', "界", "/b+/", "é a"]), st.integers(12, 80))
def test_the_marks_of_a_folded_message_are_hits_of_its_text(text, words, room):
    query = TextQuery.parse(words)
    shown = clean(text, lines=True)
    hits = spans(query, shown)
    if not hits:
        return
    parts = list(glance_at_hit(text, query, room, DisplayOptions(80, PLAIN)))
    line = "".join(part for part, _ in parts)
    assert "\n" not in line
    assert cell_len(line) <= max(room, 24)
    assert is_hit(parts)
    if "hit" not in line:
        marks = ["".join(part.split()) for part, style in parts if FOUND in style.split()]
        assert marks == ["".join(shown[low:high].split()) for low, high in hits]


def test_a_judges_reason_stands_beneath_the_step_that_it_is_of(tmp_path):
    reasons = {"steps": {"2": "It asks\n\x1b[31mthe till.", "5": "A box holds four, " * 30}, "final": "Miscounted."}
    for name, row in (("runs", trajectory()), ("judge", judged_trajectory(explanations=reasons))):
        (tmp_path / f"{name}.jsonl").write_text(f"{json.dumps(row)}\n")
    files = [str(tmp_path / f"{name}.jsonl") for name in ("runs", "judge")]
    assert cli.main(["import", *files, "-w", str(tmp_path / "space"), "-q"]) == 0
    state = inspect(load(Query(workspace=str(tmp_path / "space"))))
    page, lines = seen(state, 0, 100)
    why = [(at, line.strip()) for at, line in enumerate(lines) if "why: " in line]
    assert [at > start for (at, _), start in zip(why, (page.starts[0], page.starts[2]), strict=True)] == [True, True]
    assert why[0][1].startswith("why: It asks ")
    assert why[0][1].endswith("the till.")
    assert lines[why[1][0] + 1].endswith(" ...")
    assert max(map(len, lines)) <= 100
    assert not any("\x1b" in line for line in lines)
    assert not any("why: " in line for line in seen(state, 0, 100, blind=True)[1])


# -- the tools of the agent


def with_tools(root, *tools):
    entries = [
        {"name": name, "about": about, "definition": json.dumps(tool(name, about, of={"type": "string"}))}
        for name, about in tools
    ]
    columns = {"tools": [entries], "context": [[{"role": "user", "name": None, "text": "hi"}]]}
    making.workspace(root, CASES, [], **columns, step_messages=[[1, 2]])
    return inspect(load(Query(workspace=str(root))))


def test_a_few_tools_have_a_line_each_above_the_messages_and_unfold_whole(tmp_path):
    state = with_tools(tmp_path, ("stock", "How many are left.\n\x1b[31mOf anything."), ("till", "Prices. " * 40))
    page, lines = seen(state, 0, 80)
    head = next(at for at, line in enumerate(lines) if line.strip() == "2 tools:")
    assert [line.strip() for line in lines[head + 1 : head + 4]] == [
        "- stock: How many are left. ... (Enter)",
        "- till: Prices. Prices. Prices. Prices. Prices. Prices. ... (Enter)",
        "[0] user: hi",
    ]
    assert page.starts[0] == head + 4
    stop = Stop("tool", 0)
    assert {stop, Stop("tool", 1), Stop("tools")} <= set(dict(page.stops))
    rest = '{"parameters": {"type": "object", "properties": {"of": {"type": "string"}}}}'
    unfolded = [line.strip() for line in seen(state, 0, 120, turned=frozenset({stop}))[1]]
    assert unfolded[head + 1] == "- stock:"
    assert unfolded[head + 2] == "How many are left."
    assert unfolded[head + 3].endswith("Of anything.")
    assert not any("\x1b" in line for line in unfolded)
    assert unfolded[head + 4] == rest
    definition = json.dumps(tool("stock", "How many are left.\n\x1b[31mOf anything.", of={"type": "string"}))
    assert copied(at_hand(state, 0), stop) == (definition, "tool 0 of bench/c0")
    assert json.loads(copied(at_hand(state, 0), Stop("tools"))[0])[0] == json.loads(definition)
    assert not any("stock" in line for line in seen(state, 0, 80, turned=frozenset({Stop("tools")}))[1][head + 1 :])

    view = analysis(tmp_path, "show", options={"case": "c0"})
    assert view.provenance["tools"][0] == json.loads(definition)
    assert "2 tools (stock, till)" in view.render("markdown")


def test_many_tools_stand_in_one_line_that_says_how_many_have_hits(tmp_path):
    tools = [(f"tool{number}", f"Does {'this' if number % 2 else 'that'}.") for number in range(30)]
    state = with_tools(tmp_path, *tools)
    lines = seen(state, 0, 60)[1]
    (line,) = [line for line in lines if "30 tools: tool0, tool1" in line]
    assert line.endswith(" ... (Enter)")
    assert not any("Does" in line for line in lines)
    query = searching("this")
    ((line, _),) = hits_of(seen(state, 0, 80, search=query)[0])
    assert line.endswith("; 15 with hits")
    page, lines = seen(state, 0, 80, search=query, turned=frozenset({Stop("tools")}))
    assert [marked for _, marked in hits_of(page)] == ["this"] * 15
    # A part of the JSON that is not on screen.
    query = searching('/"function"/')
    ((line, _),) = hits_of(seen(state, 0, 80, search=query)[0])
    assert line.endswith("; 30 with hits")
    only_raw = hits_of(seen(state, 0, 80, search=query, turned=frozenset({Stop("tools")}))[0])
    assert [marked for _, marked in only_raw] == ["- "] * 30
    assert not hits_of(seen(state, 0, 80, search=searching("this", "steps"))[0])
    assert max(map(len, lines)) <= 80
