"""Solutions rewritten by rule: which rewards move that should not."""

import math
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec.structs import replace

from inspector.analyses import Option, OptionValue, Page, Params, analysis
from inspector.analyses.stress.stress_cuts import CUT_NOTE, CUTTING, cuts_page
from inspector.analyses.stress.stress_parts import OF_STEP, PARTS, WHOSE, case_parts
from inspector.analyses.stress.stressed import CASES, StressedScorer, stressed
from inspector.render.blocks import Block, CommandLine, Facts, Note, Section
from inspector.render.table_blocks import Cell, Column, Kind, Table, count, figure, p_value, table, text
from inspector.render.texts.sentences import counted
from inspector.render.view import View
from inspector.state.provenance import provenance
from scoring.runs.stress.measuring import MovedStep, Vulnerability, vulnerabilities
from scoring.runs.stress.rewriting import LAWS, Rewriting
from scoring.runs.stress.trials import REWRITINGS, VERSION
from scoring.selection.result_set import ResultSet

TABLE, VIOLATIONS, CUTS = "table", "violations", "cuts"
STRESS = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "rewriting": pl.String(),
    # control, preserving or breaking.
    "kind": pl.String(),
    "about": pl.String(),
    "law": pl.String(),
    # Cases that were rewritten and have something of the scorer, those that were not rewritten, and those without.
    "cases": pl.Int64(),
    "refused": pl.Int64(),
    "unscored": pl.Int64(),
    # Steps that the law speaks of; those that violate it, and their share with its 95% interval.
    "steps": pl.Int64(),
    "violations": pl.Int64(),
    "share": pl.Float64(),
    "share_low": pl.Float64(),
    "share_high": pl.Float64(),
    # The mean reward after less before over these steps, in units of the rewards.
    "shift": pl.Float64(),
    "shift_low": pl.Float64(),
    "shift_high": pl.Float64(),
    "flips": pl.Int64(),
    "verdicts": pl.Int64(),
    "noticed": pl.Int64(),
    "problems": pl.Int64(),
    "harmed": pl.Int64(),
    "harmed_by_control": pl.Int64(),
    "p": pl.Float64(),
    "p_holm": pl.Float64(),
    "accused": pl.Boolean(),
    # Why there is no figure. And by reason how many cases were refused.
    "reason": pl.String(),
    "refusals": pl.String(),
}
VIOLATING = {**WHOSE, **OF_STEP}
NOTES = (
    "preserving: " + LAWS["preserving"],
    "breaking: " + LAWS["breaking"],
    "share: of the steps with a gold label that the law speaks of; shift: mean reward after less before over these",
    "low and high: 95%, whole problems resampled; not adjusted for how many rewritings there are",
    "flips: verdicts at the threshold that name another step of the case; noticed: those that name the broken step",
    "p: exact one-sided sign test of the problems with more violations under the rewriting, or under the control",
    "p_holm: by Holm over the rewritings; accused below 0.05, which an invariant scorer is in at most 5% of tables",
    "a scorer without rewards violates where its verdict moves",
)


def _rewritings_offered(_results: ResultSet, _params: Params) -> Iterator[OptionValue]:
    yield OptionValue(None, "all of them", "as usual")
    yield from (OptionValue(each.name, each.name, each.about) for each in REWRITINGS)


def _case_offered(results: ResultSet, _params: Params) -> Iterator[OptionValue]:
    yield OptionValue(None, "all of them", "as usual")
    yield from (OptionValue(name, name) for name in results.cases["case"].gather(results.shown[:CASES]))


def _whole(word: str) -> int:
    if (number := int(word)) < 1:
        raise ArgumentTypeError(f"{word} is not a number of cases: give one from 1 on")
    return number


def _amount(word: str) -> float:
    if not math.isfinite(number := float(word)) or number < 0:
        raise ArgumentTypeError(f"{word} is not a tolerance: give a number from 0 on")
    return number


@analysis(
    "Stress",
    (
        Page(TABLE, "Rewritings", "focus"),
        Page(VIOLATIONS, "Violations", "focus", help="every step that violates a law (the largest first)"),
        Page(CUTS, "Cuts", "focus", help="solutions cut in five ways; what that does to verdicts"),
    ),
    scorers="the scorer that is tried (its name or a unique part of it)",
    options=(
        Option("cases", f"so many cases of a benchmark, drawn by --seed (default {CASES})", metavar="N", type=_whole),
        Option("tolerance", "what a reward may move (default: a tenth of the range)", metavar="X", type=_amount),
        Option(
            "rewriting",
            "one rewriting alone (with --violations)",
            "Rewriting",
            choices=tuple(each.name for each in REWRITINGS),
            pages=(VIOLATIONS,),
            offered=_rewritings_offered,
        ),
        Option(
            "case",
            "one case alone, part by part (with --violations or --cuts)",
            "Case",
            metavar="CASE",
            pages=(VIOLATIONS, CUTS),
            offered=_case_offered,
        ),
    ),
    examples=(
        "prm-inspect stress my-prm",
        "prm-inspect stress my-prm --violations --case arithmetic-007",
    ),
    needs="Rewritings are held against a scorer of {benchmark}.",
    help="What a scorer makes of solutions that are rewritten by rule: of those that say the same it should make the "
    "same, and a step that was broken must not gain. Each number opens its cases.",
    slow=True,
)
def stress(results: ResultSet, params: Params, intervals: bool) -> View:
    """Hold the chosen scorers to the laws of the rewritings, on cases drawn from those shown."""
    subjects = list(stressed(results, params))
    command = results.query.command("stress", *params.words, form=params.form)
    facts = {
        **provenance(results, command, (*NOTES, *((CUT_NOTE,) if params.page == CUTS else ()))),
        "rewritings": f"version {VERSION}, seed {results.query.seed}",
    }
    facts["cases"] = {each.benchmark: each.cases for each in subjects}
    facts["tolerance"] = {each.name: each.tolerance for each in subjects}
    missing = [each for each in subjects if each.judged is None]
    there = [each for each in subjects if each.judged is not None]
    page = params.page or TABLE
    rows: list[dict[str, Any]] = []
    blocks: list[tuple[str, list[Block]]] = []
    for each in there:
        own, of_page = _PAGES[page](each, params, intervals)
        rows += own
        if of_page:
            blocks.append((each.title, of_page))
    of_case = PARTS if params.get("case") is not None else VIOLATING
    schema = {TABLE: STRESS, VIOLATIONS: of_case, CUTS: CUTTING}[page]
    words = "" if there else " ".join(dict.fromkeys(each.nothing for each in missing)) or "No case is shown."
    beside = [Note(each.nothing, "quiet") for each in missing]

    def sections() -> tuple[Section, ...]:
        made = [Section(title, f"stress-{at}", tuple(of_page)) for at, (title, of_page) in enumerate(blocks)]
        return (*made[:-1], replace(made[-1], blocks=(*made[-1].blocks, *beside))) if made else ()

    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return View(frame, facts, title="Stress", lay_out=sections, empty=words)


# -- the pages: rows, and what people see


def _table_page(each: StressedScorer, _params: Params, intervals: bool) -> tuple[list[dict[str, Any]], list[Block]]:
    assert each.judged is not None  # noqa: S101  # asked for these alone
    seed = each.scope.query.seed if intervals else None
    trials = {rewriting: each.judged.trials(rewriting) for rewriting in REWRITINGS}
    held = vulnerabilities(trials, each.tolerance, seed)
    rows = [_row(each, made) for made in held]
    return rows, list(_table_blocks(each, held, rows))


def _row(each: StressedScorer, made: Vulnerability) -> dict[str, Any]:
    assert each.judged is not None  # noqa: S101  # asked for these alone
    refusals = each.contents.refused[made.rewriting.name]
    row: dict[str, Any] = {
        "scorer": each.name,
        "benchmark": each.benchmark,
        "rewriting": made.rewriting.name,
        "kind": made.kind,
        "about": made.rewriting.about,
        "law": made.rewriting.law,
        "cases": made.cases,
        "refused": refusals.total(),
        "unscored": each.judged.unscored(made.rewriting),
        "steps": made.steps,
        "violations": len(made.violations),
        "flips": made.flips,
        "verdicts": made.decided,
        "noticed": made.noticed,
        "problems": made.problems,
        "harmed": made.harmed,
        "harmed_by_control": made.harmed_by_control,
        "p": made.p,
        "p_holm": made.p_holm,
        "accused": None if made.kind == "control" or made.p is None else made.accused,
        "reason": _why_none(each, made),
        "refusals": "; ".join(f"{reason}: {n}" for reason, n in refusals.most_common()) or None,
    }
    for name, values in (("share", made.share), ("shift", made.shift)):
        known = [None, None, None] if values is None else [None if math.isnan(value) else value for value in values]
        row |= {name: known[0], f"{name}_low": known[1], f"{name}_high": known[2]}
    return row


def _why_none(each: StressedScorer, made: Vulnerability) -> str | None:
    if made.steps:
        return None
    if not made.cases:
        return "no case could be rewritten" if each.contents.refused[made.rewriting.name] else "nothing was scored"
    return "the scorer gives no rewards" if made.decided else "no step has a gold label"


def _table_blocks(
    each: StressedScorer, held: Sequence[Vulnerability], rows: Sequence[Mapping[str, Any]]
) -> Iterator[Block]:
    accused = [made.rewriting.name for made in held if made.accused]
    tested = sum(made.p is not None for made in held)
    verdict = f"accused of {counted(len(accused), 'rewriting')}: {', '.join(accused)}" if accused else "accused of none"
    yield Note(f"{each.name} is {verdict} (of {tested} tested).", "warning" if accused else "lead")
    for kind, title in (
        ("control", "The control: nothing that a reader sees is changed"),
        ("preserving", "Rewritings that say the same"),
        ("breaking", "Rewritings that break a right step"),
    ):
        of_kind = [(made, row) for made, row in zip(held, rows, strict=True) if made.kind == kind and made.cases]
        if of_kind:
            yield _held_table(each, of_kind, title)
    if silent := [row for made, row in zip(held, rows, strict=True) if not made.cases]:
        yield Note(
            "Without a case: " + "; ".join(f"{row['rewriting']} ({row['reason']})" for row in silent) + ".", "quiet"
        )
    yield Facts(
        (
            ("same", LAWS["preserving"]),
            ("broken", LAWS["breaking"]),
            (
                "tolerance",
                f"{each.tolerance:g}, where rewards go from {each.seen.scorer.low:g} to {each.seen.scorer.high:g}",
            ),
            ("accused", "more problems have more violations than under the control: exact sign test, Holm, below 0.05"),
        )
    )
    yield from _refusals(each)
    if each.missing:
        yield Note(
            f"{counted(len(each.missing), 'solution')} of {len(each.contents.every):,} not scored yet.", "warning"
        )
    yield CommandLine(
        replace(each.scope.query, scorers=()).command("stress", each.name, "--violations"), "Every step that violates"
    )


def _refusals(each: StressedScorer) -> Iterator[Block]:
    """Why cases were not rewritten, and by which rewritings."""
    by_reason: dict[str, list[str]] = {}
    for name, counts in each.contents.refused.items():
        for reason, n in counts.items():
            by_reason.setdefault(reason, []).append(f"{name} {n:,}")
    if by_reason:
        lines = [[text(reason), text(", ".join(names))] for reason, names in by_reason.items()]
        columns = [Column("", right=False, wraps=True), Column("cases of", right=False, wraps=True)]
        yield table("Why cases were not rewritten", columns, lines)


def _held_table(each: StressedScorer, held: Sequence[tuple[Vulnerability, Mapping[str, Any]]], title: str) -> Table:
    lines = []
    breaking = held[0][0].kind == "breaking"
    for made, row in held:
        link = each.link(
            [step.case for step in made.violations], f"violate the law under {made.rewriting.name}", made.rewriting.name
        )
        share = {"value": row["share"], "low": row["share_low"], "high": row["share_high"], "reason": row["reason"]}
        shift = {"value": row["shift"], "low": row["shift_low"], "high": row["shift_high"], "reason": row["reason"]}
        flipped = Cell(made.flips, Kind.COUNT, note=f"of {made.decided:,}", style="" if made.flips else "dim")
        lines.append(
            [
                text(made.rewriting.name, "strong" if made.accused else ""),
                count(made.cases),
                count(row["refused"]),
                figure(share, link=link),
                _mean(shift),
                flipped,
                *([Cell(made.noticed, Kind.COUNT, note=f"of {made.decided:,}")] if breaking else []),
                p_value(made.p_holm),
                text("accused" if made.accused else "", "bad"),
                text(made.rewriting.about, "dim"),
            ]
        )
    columns: list[str | Column] = [
        "",
        "cases",
        Column("refused", 2),
        Column("violate %", 1),
        Column("shift", 1),
        Column("flips"),
        *([Column("noticed")] if breaking else []),
        "p Holm",
        Column("", right=False),
        Column("what is done", 2, right=False),
    ]
    return table(title, columns, lines, counted="cases")


def _mean(row: Mapping[str, Any]) -> Cell:
    """A mean of rewards' differences with its interval, in units of the rewards; strong where that leaves 0 out."""
    made = figure(row, Kind.REWARD)
    apart = made.low is not None and made.high is not None and (made.low > 0 or made.high < 0)
    return replace(made, style="strong") if apart else made


def _violations_page(
    each: StressedScorer,
    params: Params,
    intervals: bool,  # noqa: ARG001  # nothing here is resampled
) -> tuple[list[dict[str, Any]], list[Block]]:
    assert each.judged is not None  # noqa: S101  # asked for these alone
    if params.get("case") is not None:
        return case_parts(each, params)
    chosen = params.get("rewriting")
    rows: list[dict[str, Any]] = []
    blocks: list[Block] = []
    for rewriting in REWRITINGS:
        if chosen not in (None, rewriting.name):
            continue
        (made,) = vulnerabilities({rewriting: each.judged.trials(rewriting)}, each.tolerance, None)
        own = [_violation(each, rewriting, step) for step in made.violations]
        if own:
            blocks.append(_violation_table(each, rewriting, own))
        rows += own
    law = LAWS["preserving"] if chosen is None else next(r.law for r in REWRITINGS if r.name == chosen)
    blocks.append(Note(f"The law: {law}. The tolerance is {each.tolerance:g}." if rows else "No step violates a law."))
    return rows, blocks


def _violation(each: StressedScorer, rewriting: Rewriting, step: MovedStep) -> dict[str, Any]:
    names = each.contents.cases["case"]
    row = int((names == step.case).arg_max() or 0)
    content = each.contents.every[each.contents.place[row, rewriting.name]]
    return {
        "scorer": each.name,
        "benchmark": each.benchmark,
        "rewriting": rewriting.name,
        "case": step.case,
        "step": step.origin,
        "rewritten_step": step.step,
        "gold": "broken" if rewriting.kind == "breaking" else "right" if step.right else "wrong",
        "before": step.before,
        "after": step.after,
        "shift": step.shift,
        "text": each.contents.texts.row(row)["steps"][step.origin],
        "rewritten_text": content.made.steps[step.step].text,
    }


def _violation_table(each: StressedScorer, rewriting: Rewriting, rows: Sequence[Mapping[str, Any]]) -> Table:
    lines = [
        [
            text(row["case"], link=each.link([row["case"]], row["case"], rewriting.name)),
            Cell(row["step"], Kind.COUNT),
            text(row["gold"]),
            Cell(row["before"], Kind.REWARD),
            Cell(row["after"], Kind.REWARD),
            text(row["rewritten_text"]),
        ]
        for row in rows
    ]
    rewritten = Column("as rewritten", right=False, wraps=True)
    columns: list[str | Column] = ["case", "step", "gold", "before", "after", rewritten]
    return table(f"{rewriting.name}: {rewriting.about}", columns, lines)


_PAGES = {TABLE: _table_page, VIOLATIONS: _violations_page, CUTS: cuts_page}
