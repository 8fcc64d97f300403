"""The page of `votes` on critics that label every step: how many answers give a step which label."""

from collections.abc import Iterator

import polars as pl

from inspector.analyses import Params
from inspector.render.blocks import Block, Note, Section
from inspector.render.lines import CaseLink
from inspector.render.table_blocks import count, table, text
from inspector.render.texts.gold_words import gold_word
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.provenance import provenance
from scoring.data.errors import UsageError
from scoring.evaluation.evaluation import Evaluation
from scoring.metrics.label_votes import LABEL_VOTES, LABELS, NONE, TIE, label_votes
from scoring.runs.reparse import gives_labels
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import BALLOTS, VoteParts
from scoring.workspace.filtering.filters import Facet

LABEL_ROWS: dict[str, pl.DataType] = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "case": pl.String(),
    **{name: dtype for name, dtype in LABEL_VOTES.items() if name != "case_row"},
    # `right`, `neutral` or `wrong`; null where the gold labels do not say.
    "gold": pl.String(),
}
GOLD = {"error": "wrong", "error step": "wrong", "right": "right", "neutral": "neutral"}
OPENS = {TIE: "two labels lead on some step", NONE: "no answer labels some step"}
MOST = 20
"""So many steps at most are listed one by one; every step is in the rows."""
NOTES = (
    "answers: those of all runs and votes that a case has; none: never came, could not be read, or label other steps",
    "cases with one answer are left out: nothing votes there",
    "majority: the label that more answers give than any other; it is no verdict and in no figure",
)


def labelled_votes(results: ResultSet, evaluation: Evaluation) -> pl.DataFrame | None:
    """Count the labels that a critic's answers give to the steps of all cases with several, as LABEL_VOTES.

    None of a scorer that labels no steps, or that has no case with several answers.
    """
    name = evaluation.scorer.name
    if name not in results.loaded.folders or not gives_labels(evaluation.scorer):
        return None
    votes = label_votes(
        results.loaded.keyed(evaluation.scorer), VoteParts(results.loaded.folders[name]).read(BALLOTS)[0]
    )
    several = votes.filter(pl.col("answers") > 1)
    return several if several.height else None


def labels_steps(results: ResultSet) -> bool:
    """Return whether any scorer of these cases is a critic that labels steps, however often it answered."""
    return any(gives_labels(each.scorer) for each in results.evaluations)


def label_votes_view(results: ResultSet, params: Params) -> View:
    """Show how the answers of the chosen critics label the steps of the shown cases.

    Raises:
        UsageError: none of them labels steps and has several answers to a case.
    """
    voted = {each.scorer.name: labelled_votes(results, each) for each in results.chosen_evaluations}
    frames = [_named(results, name, votes) for name, votes in voted.items() if votes is not None]
    if not frames:
        raise UsageError(
            "no scorer that was asked for labels steps and has several answers to a case.",
            "Ask again and again: prm-inspect score BENCHMARK --critic agentprocessbench --runs 5 --server URL",
        )
    rows = pl.concat(frames)
    facts = provenance(results, results.query.command("votes", *params.words, form=params.form), NOTES)
    empty = "" if rows.height else "No case is shown."
    return View(rows, facts, title="Labels", lay_out=lambda: _sections(rows), empty=empty)


def _named(results: ResultSet, scorer: str, votes: pl.DataFrame) -> pl.DataFrame:
    """The counts of the shown cases as LABEL_ROWS."""
    own = votes.filter(pl.Series(results.mask).gather(votes["case_row"]))
    cases = {row: results.cases.row(row, named=True) for row in own["case_row"].unique()}
    places = own.select("case_row", "step").rows()
    gold = [GOLD.get(gold_word(cases[row], step) or "") for row, step in places]
    return own.with_columns(
        pl.lit(scorer).alias("scorer"),
        pl.Series("benchmark", [cases[row]["benchmark"] for row, _ in places], dtype=pl.String),
        pl.Series("case", [cases[row]["case"] for row, _ in places], dtype=pl.String),
        pl.Series("gold", gold, dtype=pl.String),
    ).select(LABEL_ROWS.keys())


# -- what people see


def _sections(rows: pl.DataFrame) -> tuple[Section, ...]:
    parts = rows.partition_by("benchmark", "scorer", maintain_order=True)
    return tuple(
        Section(f"{part['scorer'][0]} on {part['benchmark'][0]}", f"labels-{number}", tuple(_blocks(part)))
        for number, part in enumerate(parts)
    )


def _blocks(rows: pl.DataFrame) -> Iterator[Block]:
    steps, agreed = rows.height, rows.filter(pl.max_horizontal(LABELS.keys()) == pl.col("answers")).height
    most = max(rows["answers"].to_list(), default=0)
    yield Note(
        f"All answers give one label to {agreed:,} of {counted(steps, 'step')} "
        f"({counted(rows['case'].n_unique(), 'case')}, {most} answers to one at most).",
        "lead",
    )
    lines = []
    for name in (*LABELS, TIE, NONE):
        own = rows.filter(pl.col("majority").is_null() if name == NONE else pl.col("majority") == name)
        golds = [own.filter(pl.col("gold") == gold).height for gold in LABELS]
        every = own.filter(pl.max_horizontal(LABELS.keys()) == pl.col("answers")).height
        link = _link(own, OPENS.get(name, f"most answers call some step {name}"))
        cells = [text(name), count(own.height), count(every), *map(count, golds)]
        lines.append([*cells, count(own["case"].n_unique(), link)])
    heads = ["majority", "steps", "all answers", *(f"gold {gold}" for gold in LABELS), "cases"]
    yield table("What most answers say of a step", heads, lines)
    split = rows.with_columns(apart=pl.col("answers") - pl.max_horizontal(LABELS.keys())).filter(pl.col("apart") > 0)
    listed = split.sort(pl.col("apart") / pl.col("answers"), descending=True, maintain_order=True)
    if listed.height:
        yield table(
            "Where answers differ most",
            ["case", "step", *LABELS, NONE, "majority", "gold"],
            [
                [
                    text(row["case"], link=_link(listed.filter(pl.col("case") == row["case"]), row["case"])),
                    text(str(row["step"])),
                    *(count(row[name]) for name in (*LABELS, NONE)),
                    text(row["majority"]),
                    text(row["gold"]),
                ]
                for row in listed.head(MOST).iter_rows(named=True)
            ],
            labels=2,
        )
    if (more := listed.height - MOST) > 0:
        yield Note(f"{counted(more, 'step')} more with answers that differ: --csv has every step.", "quiet")


def _link(rows: pl.DataFrame, words: str) -> CaseLink | None:
    """The cases of some rows of one critic on one benchmark."""
    cases = rows["case"].unique(maintain_order=True).to_list()
    if not cases:
        return None
    benchmark, scorer = rows["benchmark"][0], rows["scorer"][0]
    return CaseLink((Facet("case", tuple(cases)).sql,), len(cases), words, scorer, benchmark=benchmark)
