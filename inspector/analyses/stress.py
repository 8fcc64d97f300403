"""Solutions rewritten by rule: which rewards move that should not."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from inspector.analyses import Offer, Option, Page, Params, analysis
from inspector.analyses.show import row_of
from inspector.provenance import provenance
from inspector.render.lines import CaseLink
from inspector.render.view import (
    Block,
    Cell,
    Column,
    CommandLine,
    Facts,
    Kind,
    Note,
    Section,
    Table,
    View,
    count,
    figure,
    p_value,
    table,
    text,
)
from inspector.selection import Selection, by_benchmark, within
from inspector.texts.sentences import counted
from scoring.errors import UsageError
from scoring.evaluations.evaluation import Evaluation
from scoring.evaluations.step_rewards import Gold
from scoring.filtering.filters import Facet
from scoring.runs.run import sample
from scoring.schema import Bools, Ints
from scoring.storage.remembered import IdentityCache
from scoring.stress.cutting import GIVEN, WAYS
from scoring.stress.measuring import TOLERANCE, MovedStep, Vulnerability, vulnerabilities
from scoring.stress.rewriting import LAWS, Rewriting
from scoring.stress.trials import REWRITINGS, VERSION, Contents, JudgedContents, contents_of, judged
from scoring.variants import REWARDS, VariantStep

TABLE, VIOLATIONS, CUTS = "table", "violations", "cuts"
CASES = 240
"""Cases that are rewritten, unless another number is asked for."""
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
VIOLATING = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    "rewriting": pl.String(),
    "case": pl.String(),
    # Of the case, and of its rewriting; 0-based.
    "step": pl.Int32(),
    "rewritten_step": pl.Int32(),
    "gold": pl.String(),
    "before": pl.Float64(),
    "after": pl.Float64(),
    "shift": pl.Float64(),
    "text": pl.String(),
    "rewritten_text": pl.String(),
}
CUTTING = {
    "scorer": pl.String(),
    "benchmark": pl.String(),
    # Null = all cases that were cut.
    "case": pl.String(),
    "way": pl.String(),
    "cases": pl.Int64(),
    # Of one case: its steps in this way, the step that the verdict names among them, and in which it begins as given.
    "steps": pl.Float64(),
    "verdict": pl.Int32(),
    "verdict_as_given": pl.Int32(),
    "text": pl.String(),
    # Verdicts that name another step than as given, that find an error where none was found, and the other way round.
    "flips": pl.Int64(),
    "errors_found": pl.Int64(),
    "errors_lost": pl.Int64(),
    "reason": pl.String(),
}
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
CUT_NOTE = (
    "steps are joined by blank lines and cut anew; a verdict is the same where its part holds the step named before"
)
_contents = IdentityCache(4)
NOTHING = "{scorer} was given no rewritten solutions of these cases yet. In a shell: {command}"


def _rewritings_offered(_results: Selection, _params: Params) -> Iterator[Offer]:
    yield Offer(None, "all of them", "as usual")
    yield from (Offer(each.name, each.name, each.about) for each in REWRITINGS)


def _case_offered(results: Selection, _params: Params) -> Iterator[Offer]:
    yield Offer(None, "all of them", "as usual")
    yield from (Offer(name, name) for name in results.cases["case"].gather(results.shown[:CASES]))


def _whole(word: str) -> int:
    if (number := int(word)) < 1:
        raise ValueError(word)
    return number


def _amount(word: str) -> float:
    if not math.isfinite(number := float(word)) or number < 0:
        raise ValueError(word)
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
            "one case alone, part by part (with --cuts)",
            "Case",
            metavar="CASE",
            pages=(CUTS,),
            offered=_case_offered,
        ),
    ),
    examples=(
        "prm-inspect stress my-prm",
        "prm-inspect stress my-prm --violations --rewriting inflation",
    ),
    needs="Rewritings are held against a scorer of {benchmark}.",
    help="What a scorer makes of solutions that are rewritten by rule: of those that say the same it should make the "
    "same, and a step that was broken must not gain. Each number opens its cases.",
    slow=True,
)
def stress(results: Selection, params: Params, intervals: bool) -> View:
    """Hold the chosen scorers to the laws of the rewritings, on cases drawn from those shown."""
    subjects = list(stressed(results, params))
    command = results.request.command("stress", *params.words, form=params.form)
    facts = {
        **provenance(results, command, (*NOTES, *((CUT_NOTE,) if params.page == CUTS else ()))),
        "rewritings": f"version {VERSION}, seed {results.request.seed}",
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
        blocks.append((each.title, of_page))
    schema = {TABLE: STRESS, VIOLATIONS: VIOLATING, CUTS: CUTTING}[page]
    words = "" if there else " ".join(dict.fromkeys(each.nothing for each in missing)) or "No case is shown."
    beside = [Note(each.nothing, "quiet") for each in missing]

    def sections() -> tuple[Section, ...]:
        made = [Section(title, f"stress-{at}", tuple(of_page)) for at, (title, of_page) in enumerate(blocks)]
        return (*made[:-1], replace(made[-1], blocks=(*made[-1].blocks, *beside))) if made else ()

    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return View(frame, facts, title="Stress", lay_out=sections, empty=words)


# -- who is tried on what


class StressedScorer(Struct, frozen=True, eq=False, dict=True):
    """A scorer on the drawn cases of one benchmark; `judged` is None where it was given none of their rewritings."""

    scope: Selection
    benchmark: str
    seen: Evaluation
    contents: Contents
    rows: Ints
    tolerance: float
    judged: JudgedContents | None

    @property
    def name(self) -> str:
        """The scorer's."""
        return self.seen.scorer.name

    @property
    def title(self) -> str:
        """Who is tried, and on what."""
        return f"{self.name} on {self.benchmark}"

    @property
    def cases(self) -> int:
        """How many cases were drawn."""
        return self.rows.size

    @property
    def missing(self) -> Sequence[int]:
        """The places of the solutions that the scorer was not given yet."""
        return range(len(self.contents.every)) if self.judged is None else self.judged.missing

    @property
    def nothing(self) -> str:
        """What to do where nothing was scored."""
        request = replace(self.scope.request, scorers=())
        return NOTHING.format(scorer=self.name, command=request.command("stress", self.name))

    def link(self, cases: Sequence[str], words: str) -> CaseLink | None:
        """Link to cases by their names; None where there are none."""
        names = tuple(dict.fromkeys(cases))
        if not names:
            return None
        where = (*within(self.scope, self.benchmark), Facet("case", names).sql)
        return CaseLink(where, len(names), words, self.name, benchmark=self.benchmark)


def stressed(results: Selection, params: Params) -> Iterator[StressedScorer]:
    """Yield each chosen scorer on each benchmark of which a case is shown, with what it made of rewritten cases.

    Raises:
        DamagedWorkspace: a case's texts, or what was saved, cannot be read.
    """
    for benchmark, inside in by_benchmark(results):
        rows = _drawn(results, inside, params.get("cases", CASES))
        if not rows.size or not results.chosen:
            continue
        contents = rewritten_contents(results, results.chosen_evaluations[0].gold, rows)
        for seen in results.chosen_evaluations:
            folders = _folders(results, seen)
            results_there = judged(contents, seen, folders) if folders else None
            if results_there is not None and not results_there.tried:
                results_there = None
            tolerance = params.get("tolerance", tolerance_of(seen))
            yield StressedScorer(results, benchmark, seen, contents, rows, tolerance, results_there)


def rewritten_contents(results: Selection, gold: Gold, rows: Ints) -> Contents:
    """Rewrite some cases (row ids), once while they and their labels are the same."""
    seed = results.request.seed
    return _contents.of(
        (seed, rows.tobytes()),
        (results.cases, results.texts, gold),
        lambda: contents_of(results.cases, results.texts, gold, rows, seed),
    )


def tolerance_of(seen: Evaluation) -> float:
    """Return the usual tolerance, in units of the rewards: a share of their range, or of 1 where that has no end."""
    reach = seen.scorer.high - seen.scorer.low
    return TOLERANCE * reach if math.isfinite(reach) and reach > 0 else TOLERANCE


def _drawn(results: Selection, inside: Bools, number: int) -> Ints:
    """The row ids of the cases that are rewritten, rising."""
    here = np.flatnonzero(inside)
    chosen = sample(results.cases[here].select("case"), number, seed=results.request.seed)
    return here[np.array(chosen, dtype=np.int64)]


def _folders(results: Selection, seen: Evaluation) -> list[Path]:
    """Where what the scorer gave to rewritings lies."""
    variants = results.workspace.variants
    folder = None if variants is None else variants.folder / REWARDS / seen.scorer.folder
    return [folder] if folder is not None and folder.is_dir() else []


# -- the pages: rows, and what people see


def _table_page(each: StressedScorer, _params: Params, intervals: bool) -> tuple[list[dict[str, Any]], list[Block]]:
    assert each.judged is not None  # noqa: S101  # asked for these alone
    seed = each.scope.request.seed if intervals else None
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
        replace(each.scope.request, scorers=()).command("stress", each.name, "--violations"), "Every step that violates"
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
        link = each.link([step.case for step in made.violations], f"violate the law under {made.rewriting.name}")
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
            text(row["case"], link=each.link([row["case"]], row["case"])),
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


# -- one solution cut in five ways


def _cuts_page(
    each: StressedScorer,
    params: Params,
    intervals: bool,  # noqa: ARG001  # nothing here is resampled
) -> tuple[list[dict[str, Any]], list[Block]]:
    wanted = params.get("case")
    if wanted is None:
        rows = [_cut_row(each, way) for way in WAYS]
        return rows, [_cuts_table(each, rows), Note(f"{CUT_NOTE[:1].upper()}{CUT_NOTE[1:]}.", "quiet")]
    row = row_of(each.scope, wanted)
    if row not in each.contents.right:
        raise UsageError(
            f"{each.scope.cases['case'][row]} is not among the {each.cases} cases that were drawn.",
            "Draw it alone: --where \"case = '...'\", or more of them: --cases N.",
        )
    rows = [_case_row(each, row, way) for way in WAYS]
    return rows, list(_case_cuts(each, row, rows))


def _verdicts(each: StressedScorer, way: str) -> Iterator[tuple[str, int, int]]:
    """Of each case that has both verdicts: its name, the verdict as given, and that on its parts as a step as given."""
    assert each.judged is not None  # noqa: S101  # asked for these alone
    for row in each.rows.tolist():
        whole, parts = (each.judged.of_case(row, name) for name in (GIVEN, way))
        if whole is None or parts is None or whole[1] is None or parts[1] is None:
            continue
        before, after = whole[1].verdict, parts[1].verdict
        if before is not None and after is not None:
            yield each.contents.cases["case"][row], before, _as_given(parts[0].made.steps, after, before)


def _as_given(parts: Sequence[VariantStep], verdict: int, before: int | None) -> int:
    """The step as given that a verdict on parts names: that of `before` if it lies in the part, else where that begins.

    A part reaches to where the next one begins; one of several steps names none of them more than the others.
    """
    if not 0 <= verdict < len(parts):
        return verdict
    first = parts[verdict].origin or 0
    following = parts[verdict + 1].origin if verdict + 1 < len(parts) else None
    inside = before is not None and first <= before and (following is None or before < max(following, first + 1))
    return before if inside and before is not None else first


def _cut_row(each: StressedScorer, way: str) -> dict[str, Any]:
    verdicts = list(_verdicts(each, way))
    parts = [len(each.contents.every[each.contents.place[row, way]].made.steps) for row in each.rows.tolist()]
    return {
        "scorer": each.name,
        "benchmark": each.benchmark,
        "way": way,
        "cases": len(verdicts),
        "steps": float(np.mean(parts)) if parts else None,
        "flips": sum(before != after for _, before, after in verdicts),
        "errors_found": sum(before == -1 != after for _, before, after in verdicts),
        "errors_lost": sum(after == -1 != before for _, before, after in verdicts),
        "reason": None if verdicts else "no case has verdicts on both",
    }


def _cuts_table(each: StressedScorer, rows: Sequence[Mapping[str, Any]]) -> Table:
    lines = []
    for row in rows:
        verdicts = list(_verdicts(each, row["way"]))
        flips = [name for name, before, after in verdicts if before != after]
        now_wrong = [name for name, before, after in verdicts if before == -1 != after]
        lost = [name for name, before, after in verdicts if after == -1 != before]
        lines.append(
            [
                text(row["way"]),
                count(row["cases"]),
                Cell(row["steps"], Kind.MEAN),
                count(row["flips"], each.link(flips, f"another verdict cut by {row['way']}")),
                count(row["errors_found"], each.link(now_wrong, f"an error found when cut by {row['way']}")),
                count(row["errors_lost"], each.link(lost, f"no error found when cut by {row['way']}")),
            ]
        )
    return table("Cut in five ways", ["", "cases", "steps", "other verdict", "error now", "none now"], lines)


def _case_row(each: StressedScorer, row: int, way: str) -> dict[str, Any]:
    assert each.judged is not None  # noqa: S101  # asked for these alone
    cut_way = each.judged.of_case(row, way)
    assert cut_way is not None  # noqa: S101  # every case is cut in every way
    content, judgement = cut_way
    verdict = None if judgement is None else judgement.verdict
    steps = content.made.steps
    named = verdict is not None and 0 <= verdict < len(steps)
    whole = each.judged.of_case(row, GIVEN)
    before = whole[1].verdict if whole and whole[1] else None
    as_given = None if verdict is None else _as_given(steps, verdict, before)
    return {
        "scorer": each.name,
        "benchmark": each.benchmark,
        "case": each.contents.cases["case"][row],
        "way": way,
        "cases": 1,
        "steps": float(len(steps)),
        "verdict": verdict,
        "verdict_as_given": as_given,
        "text": steps[verdict].text if named and verdict is not None else None,
        "flips": None if before is None or as_given is None else int(before != as_given),
        "reason": None if verdict is not None else "no verdict",
    }


def _case_cuts(each: StressedScorer, row: int, rows: Sequence[Mapping[str, Any]]) -> Iterator[Block]:
    case = each.contents.cases["case"][row]
    lines = [
        [
            text(made["way"]),
            Cell(int(made["steps"]), Kind.COUNT),
            text(_named(made["verdict"])),
            text(_named(made["verdict_as_given"])),
            text("another" if made["flips"] else "", "bad"),
            text(made["text"] or ""),
        ]
        for made in rows
    ]
    link = each.link([case], case)
    columns: list[str | Column] = [
        "", "parts", "verdict", "as given", Column("", right=False), Column("names", right=False, wraps=True),
    ]  # fmt: skip
    yield table(case, columns, lines)
    assert each.judged is not None  # noqa: S101  # asked for these alone
    for way in WAYS:
        content, judgement = each.judged.of_case(row, way) or (None, None)
        if content is None or (
            way != GIVEN and content.made.steps == each.contents.every[each.contents.place[row, GIVEN]].made.steps
        ):
            continue
        parts = [
            [
                Cell(at, Kind.COUNT, link=link),
                Cell(judgement.rewards[at], Kind.REWARD)
                if judgement and at < len(judgement.rewards)
                else Cell(None, Kind.REWARD, reason="no reward"),
                text(step.text),
            ]
            for at, step in enumerate(content.made.steps)
        ]
        yield table(way, ["part", "reward", Column("text", right=False, wraps=True)], parts)


def _named(verdict: int | None) -> str:
    if verdict is None:
        return "-"
    return "none" if verdict == -1 else "no step" if verdict < 0 else f"{verdict}"


_PAGES = {TABLE: _table_page, VIOLATIONS: _violations_page, CUTS: _cuts_page}
