"""`export`: the shown cases, one scorer's rewards, people's words or variants, as the rows that other programs read."""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from inspector.analyses.cases import metadata_of
from inspector.case_page.variant_track import variant_rows
from inspector.cli.actions.output import put_bytes, say
from inspector.cli.actions.triage_export import TABLES, judged_cases, put_table
from inspector.cli.query_arguments import query_from
from inspector.render.texts.sentences import counted, threshold_name
from scoring.data.errors import DamagedWorkspace, UnwritableWorkspace, UsageError
from scoring.data.names import name_choices, near_names, without
from scoring.data.reward_keys import reward_keys
from scoring.data.schema import METADATA
from scoring.data.schema import REWARDS as REWARD_COLUMNS
from scoring.data.scorer import Scorer
from scoring.data.storage.files import write_atomically
from scoring.data.texts import Texts
from scoring.evaluation.case_exports import CASE_FORMATS, case_lines
from scoring.evaluation.evaluation import Evaluation
from scoring.evaluation.exported_rows import ExportedRow, json_line, note_sentences
from scoring.evaluation.reward_exports import REWARD_FORMATS, RewardSource, reward_lines
from scoring.evaluation.triage_exports import TRIAGE_FORMATS, triage_lines
from scoring.selection.loading import load
from scoring.selection.result_set import ResultSet
from scoring.workspace.cache import RewardParts
from scoring.workspace.rows_of_cases import cases_with_rows

FORMATS: dict[str, Iterable[str]] = {
    "cases": CASE_FORMATS,
    "rewards": REWARD_FORMATS,
    "triage": (*TABLES, *TRIAGE_FORMATS),
    "variants": ("jsonl",),
}
WITHOUT_IDS = frozenset({"trl", "prm800k"})
"""Formats whose rows have no id."""


def run(args: argparse.Namespace) -> int:
    """Write the rows of `args.what` as `args.to` into a file, whole or not at all, or to stdout."""
    _can_be(args)
    path = _file(args.output)
    results = load(query_from(args))
    if args.what == "triage" and args.to in TABLES:
        return put_table(results, args, path)
    lines, about = _lines(results, args)
    rows, notes = _together(lines)
    if results.shown.size and not rows:
        why = "; ".join(notes) or "nobody rules on them or rates a step"
        raise UsageError(f"nothing here can be written as {args.to} ({why}).", "Choose other cases or another format.")
    if path is None:
        put_bytes(b"".join(rows), json=True)
    else:
        write_atomically(path, b"".join(rows))
    wrote = [] if path is None else [f"Wrote {len(rows)} rows to {path}"]
    say([*results.problems, *about, *notes, *wrote], args)
    return 0


def _can_be(args: argparse.Namespace) -> None:
    """Refuse a format that is none of what is exported, and flags that would be passed over in silence."""
    if args.to not in FORMATS[args.what]:
        there = "; ".join(f"{what} as {', '.join(formats)}" for what, formats in FORMATS.items())
        there = there.replace(" as ", " can be written as ", 1)
        what = "is no triage" if args.what == "triage" else f"are no {args.what}"
        others = near_names(args.to, FORMATS[args.what], "format")
        sentence = f"there {what} in the format {args.to}."
        raise UsageError(sentence, f"{there[0].upper()}{there[1:]}.", instead=others)
    if args.who and args.what != "triage":
        others = without("--who", meaning=f"{args.what} alone")
        raise UsageError("--who says whose triage is written.", f"Leave it out for {args.what}.", instead=others)
    if args.what == "triage" and args.labels != "original":
        sentence = "export triage has the labels after triage beside the cases' own."
        others = without("--labels", meaning="both labels side by side")
        raise UsageError(sentence, "Leave --labels out.", instead=others)


def _lines(results: ResultSet, args: argparse.Namespace) -> tuple[Iterable[ExportedRow], list[str]]:
    """The rows of what is exported, and what is to be said before."""
    if args.what == "variants":
        return _variants(results)
    if args.what == "triage":
        cases, words, about = judged_cases(results, args.who)
    else:
        cases = shown_cases(results) if args.what == "cases" else results.cases[results.shown]
    if args.to not in WITHOUT_IDS:
        _ids_are_unique(cases)
    if args.what == "triage":
        return triage_lines(args.to, cases, words), about
    if args.what == "cases":
        names = metadata_of(results)
        return case_lines(args.to, cases, results.evaluated.table(names)[results.shown] if names else None), []
    return _rewards(results, args.to, args.name)


def _variants(results: ResultSet) -> tuple[list[ExportedRow], list[str]]:
    """The variants of the shown cases, and what is to be said of others."""
    there = results.loaded.workspace.variants
    rows = list(variant_rows(results))
    if not rows:
        raise UsageError("no case here has a variant.", "Make one: W on a case in the app, or choose other cases.")
    ids = {row["variant"] for row in rows}
    others = sum(variant.id not in ids for variant in there.every()) if there else 0
    about = [f"{counted(others, 'variant')} of other cases, or of texts that are no longer here"] if others else []
    return [ExportedRow(row) for row in rows], [*about, *(there.problems() if there else ())]


def _file(output: str | None) -> Path | None:
    """The file that was named, if one can be there; None is stdout."""
    if output in {None, "-"}:
        return None
    path = Path(str(output))
    if path.is_dir():
        raise UnwritableWorkspace(f"{path} is a folder.", "Name a file in it.")
    if not path.parent.is_dir():
        raise UnwritableWorkspace(f"there is no folder {path.parent}.", "Make it, or name another file.")
    return path


def shown_cases(results: ResultSet) -> pl.DataFrame:
    """Return the cases that are shown, in their order, with the columns of CASES."""
    return pl.concat([results.cases, results.loaded.texts.frame()], how="horizontal")[results.shown]


def _ids_are_unique(cases: pl.DataFrame) -> None:
    if cases["id"].n_unique() < cases.height:
        names = cases["benchmark"].unique().sort().to_list()
        sentence = f"some ids are those of several cases in {', '.join(names)}."
        choices = name_choices("--benchmark", names, "benchmark")
        raise UsageError(sentence, "Choose one with --benchmark.", instead=choices)


def _together(lines: Iterable[ExportedRow]) -> tuple[list[bytes], list[str]]:
    """The rows that can be written, and what is to be said of the others."""
    rows: list[bytes] = []
    notes: list[tuple[str, int]] = []
    for line in lines:
        notes += line.notes
        if line.value is not None:
            rows.append(json_line(line.value))
    return rows, note_sentences(notes)


def _rewards(results: ResultSet, form: str, name: str | None) -> tuple[Iterator[ExportedRow], list[str]]:
    """The rows of the one scorer that was asked for, and how they were decided."""
    evaluation = _only_scorer(results)
    scorer, rule = evaluation.scorer, evaluation.rule
    if rule.by_threshold and not rule.is_movable:
        cuts = ", ".join(f"{name} {cut!r}" for name, cut in rule.by_subset.items())
        advice = f"Write one subset after the other with --subset and its number: {cuts}."
        raise UsageError(f"a file of {form} is decided at one threshold, and here they differ by subset.", advice)
    metadata = results.cases.select(list(METADATA))[results.shown]
    cases = reward_keys(metadata, results.loaded.texts.gather(results.shown), scorer.reads)
    rewards = _cached(results, scorer)
    about = [f"{scorer.name}: {threshold_name(rule)} {rule.threshold!r} ({rule.source})"]
    if form == "mr_eval":
        twins, missing = _twins(results, cases, scorer, rewards)
        cases = pl.concat([cases, twins])
        about += note_sentences([("twins left out, no step rewards", missing)] if missing else [])
    decided = RewardSource(name or scorer.name, rule, critic=scorer.kind == "critic")
    return reward_lines(form, cases, rewards, decided), about


def _only_scorer(results: ResultSet) -> Evaluation:
    if not results.chosen:
        raise UsageError("no scorer has rewards for these cases.", "Import or compute rewards first.")
    if len(results.chosen) > 1:
        names = ", ".join(results.chosen)
        choices = name_choices("--scorer", results.chosen, "rewards of")
        raise UsageError("rewards are written of one scorer.", f"Choose it with --scorer: {names}.", instead=choices)
    return results.chosen_evaluations[0]


def _cached(results: ResultSet, scorer: Scorer) -> pl.DataFrame:
    """All rewards of a scorer, whatever the cases."""
    for folder in results.loaded.workspace.reward_folders(results.benchmarks):
        try:
            cached = Scorer.load(folder)
        except DamagedWorkspace:
            continue
        if cached == scorer:
            return RewardParts(folder).read()[0]
    return pl.DataFrame(schema=REWARD_COLUMNS)


def _twins(results: ResultSet, cases: pl.DataFrame, scorer: Scorer, rewards: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The twins of these cases that were scored, and how many were not: mr_eval compares a case with its twin."""
    whole = results.loaded.workspace.twins(cases["benchmark"].unique().to_list())
    twins = reward_keys(whole.select(list(METADATA)), Texts.whole((whole,), (whole.height,)), scorer.reads)
    of_these = twins.join(cases, left_on="twin_of", right_on="case", how="semi", maintain_order="left")
    scored = cases_with_rows(of_these, rewards)
    return scored, of_these.height - scored.height
