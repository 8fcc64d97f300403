"""What people said of cases: rulings, ratings, tags, notes; CASE its history."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import polars as pl

from inspector.analyses import Option, Params, analysis
from inspector.render.blocks import Block, Facts, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import Cell, Column, count, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.provenance import provenance
from inspector.state.triage.annotations import annotation_facts, annotation_rows, annotations, gone_words, journal_of
from inspector.state.triage.history import case_named, done_words, history_rows, signed, time_words
from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.data.schema import Row
from scoring.selection.result_set import ResultSet
from scoring.workspace.filtering.filters import Facet
from scoring.workspace.triage.actions import RULINGS
from scoring.workspace.triage.annotations import Annotation

CASE = Option(
    "case",
    "who did what to it, when, and what was undone (its name or a unique part of it)",
    metavar="CASE",
    words="?",
    positional=True,
)
WHO = Option("who", "only this person: a name or a unique part of it", metavar="NAME")
GONE = Option("gone", "the cases that are in no benchmark here any more instead")
LISTED = 12
"""Tags that people see."""
NOTE_OF_ORDER = "order: the journals' counter n, which grows whatever clocks say; `holds` is false of what was undone"
_MINUTES = len("2026-01-31T12:34")
"""Letters of a time as it is shown, which is UTC."""


@analysis(
    "What people said",
    whose="none",
    examples=("prm-inspect triage --who ann", "prm-inspect triage gsm8k-12"),
    options=(CASE, WHO, GONE),
    help="What people said of the cases, a line a case and person, and how far they are.",
)
def triage(results: ResultSet, params: Params, intervals: bool) -> View:  # noqa: ARG001  # nothing is resampled
    """List what people say of the shown cases, in their order, by person; or of cases that are gone; or of one case.

    Raises:
        UsageError: there is no folder that could hold it, or no such person or case.
    """
    who, only_gone = params.get("who", ""), bool(params.get("gone"))
    if (case := params.get("case")) is None:
        return _annotations(results, params, who, only_gone=only_gone)
    if who or only_gone:
        others = without("--who", "--gone", meaning="the history of this case")
        sentence = "the history of a case is that of all people."
        raise UsageError(sentence, "Leave --who and --gone out.", instead=others)
    return _history(results, params, case)


# -- what people say


def _annotations(results: ResultSet, params: Params, who: str, *, only_gone: bool) -> View:
    people = annotations(results, who)
    words = people.gone if only_gone else people.shown
    flags = (*(WHO.line(people.people[0]) if who else ()), *GONE.line(only_gone))
    command = results.query.command("triage", *flags, form=params.form)
    rows = annotation_rows(results, words)
    facts = annotation_facts(results, people, words, command, only_gone=only_gone)
    facts["outdated"] = rows.filter("outdated")["case"].n_unique()
    lost = f"{gone_words(facts['gone'])}." if facts["gone"] and not only_gone else ""

    def blocks() -> Iterator[Block]:
        yield _annotation_table(rows)
        yield from _summary(words, facts, only_gone=only_gone)
        if lost:
            yield Note(lost)

    nothing = "Nobody has said anything" if not who else f"{people.people[0]} has said nothing"
    nothing = f"{nothing} of {'cases that are gone' if only_gone else 'these cases'}. {lost}".strip()
    return View(
        rows,
        facts,
        title="What people said",
        lay_out=lambda: (Section("What people said", "triage", tuple(blocks())),),
        empty="" if rows.height else nothing,
    )


def _annotation_table(rows: pl.DataFrame) -> Block:
    """A line a case and person: ratings in one text, tags that were taken off with a minus, the time in minutes.

    Beside a ruling or ratings of another text of the case it says so.
    """
    columns = [Column(title) for title in ("case", "who", "ruling", "ratings", "", "tags", "category")]
    columns += [Column("last", 2), Column("note", wraps=True)]
    lines = []
    for row in rows.iter_rows(named=True):
        # A case that is gone cannot be opened.
        link = None if row["outdated"] is None else _link((row["case"],), row["case"])
        tags = [*row["tags"], *(f"-{tag}" for tag in row["without_tags"])]
        lines.append(
            [
                text(row["case"], link=link),
                text(row["who"]),
                text(row["ruling"]),
                text(_ratings(row)),
                text("another text" if row["outdated"] else None),
                text(" ".join(tags)),
                text(row["category"]),
                text((row["last"] or "")[:_MINUTES].replace("T", " ", 1)),
                text(row["note"]),
            ]
        )
    return table("By case and person", columns, lines, labels=2)


def _ratings(row: Row) -> str:
    return " ".join(f"{step}:{signed(rating)}" for step, rating in zip(row["rated_steps"], row["ratings"], strict=True))


def _link(cases: Sequence[str], words: str) -> CaseLink:
    """The cases of these names: no column tells what one person alone said."""
    return CaseLink((Facet("case", tuple(cases)).sql,), len(cases), words)


def _summary(words: Sequence[Annotation], facts: Row, *, only_gone: bool) -> Iterator[Block]:
    """Rulings by person, how far their queues are, tags in use, and what was said of other texts."""
    if facts["rulings"]:
        yield _rulings(words, tuple(facts["rulings"]), only_gone=only_gone)
    if facts["queues"]:
        aside = (
            (f"put aside by {who}", sentence) for who, of in facts.get("queues_aside", {}).items() for sentence in of
        )
        far = [(f"queue of {who}", progress) for who, progress in facts["queues"].items()]
        yield Facts((*far, *aside))
    if facts["tags"]:
        lines = [
            [
                text(tag),
                _cases((spoken.case for spoken in words if tag in spoken.tags), f"tagged {tag}", only_gone=only_gone),
            ]
            for tag in list(facts["tags"])[:LISTED]
        ]
        yield table("Tags, the most used first", ["tag", "cases"], lines)
        if (more := len(facts["tags"]) - LISTED) > 0:
            yield Note(f"And {counted(more, 'more tag')}.", "quiet")
    if outdated := facts["outdated"]:
        whose = "was ruled on or rated when its" if outdated == 1 else "were ruled on or rated when their"
        yield Note(
            f"{counted(outdated, 'case')} {whose} problem or steps were others (outdated): that counts for no label "
            "and no row for other programs until it is said anew."
        )


def _rulings(words: Sequence[Annotation], people: Sequence[str], *, only_gone: bool) -> Block:
    """How often each of these people ruled what."""
    lines = []
    for who in people:
        cases = {
            ruling: [spoken.case for spoken in words if (spoken.who, spoken.ruling) == (who, ruling)]
            for ruling in RULINGS
        }
        line = [text(who)]
        for ruling, ruled in cases.items():
            line.append(_cases(ruled, f"{who} ruled: {ruling}", only_gone=only_gone) if ruled else text(""))
        line.append(_cases(chain(*cases.values()), f"{who} ruled", only_gone=only_gone))
        lines.append(line)
    return table("Rulings", ["who", *(Column(ruling, right=True) for ruling in RULINGS), "cases"], lines)


def _cases(cases: Iterable[str], words: str, *, only_gone: bool) -> Cell:
    """How many cases, each once, which opens those that are there."""
    names = tuple(dict.fromkeys(cases))
    return count(len(names), None if only_gone else _link(names, words))


# -- one case


def _history(results: ResultSet, params: Params, wanted: str) -> View:
    """Everything that anybody did to one case, in order, with what was undone and by what."""
    case = case_named(results, wanted)
    actions = journal_of(results).history.told(case)
    rows = history_rows(actions)
    command = results.query.command("triage", case, form=params.form)
    facts = provenance(results, command, (NOTE_OF_ORDER,), decides=False)
    here = results.cases.filter(pl.col("case") == case).to_dicts()
    undone = sum(holds is False for _, holds in actions)
    parts = [counted(len(actions), "action")]
    parts += [f"{undone:,} of them {'is' if undone == 1 else 'are'} undone"] if undone else []
    made = {
        **{name: facts[name] for name in ("command", "version", "notes")},
        "case": case,
        **({name: here[0][name] for name in ("subset", "earliest_error")} if here else {"gone": True}),
        "people": sorted({action.who for action, _ in actions}),
        "coverage": "; ".join(parts),
    }

    def blocks() -> Iterator[Block]:
        yield Note(case, "lead")
        lines = []
        for row in rows.iter_rows(named=True):
            style = "dim" if row["holds"] is False else ""
            author = f"{row['who']}@{row['machine']}"
            lines.append([count(row["n"]), text(time_words(row["time"])), text(author), text(done_words(row), style)])
        yield table("", ["n", "time", "who", Column("what was done", wraps=True)], lines)

    return View(
        rows,
        made,
        title="History of a case",
        lay_out=lambda: (Section("What was done to a case", "history", tuple(blocks())),),
        empty="" if rows.height else f"Nobody has done anything to {case}.",
    )
