"""`stress`: rewrite cases, have the scorer judge what it was not given yet, and show what it makes of them."""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from inspector.analyses import load
from inspector.analyses.stress.stressed import StressedScorer, stressed
from inspector.cli.actions import analysis
from inspector.cli.actions.output import form_of, say
from inspector.cli.actions.scoring_run import follow
from inspector.cli.query_arguments import query_from
from inspector.render.texts.sentences import counted
from inspector.state.processes.job import Job
from inspector.state.processes.prm_question import prm_words
from inspector.state.processes.weights_place import place_of
from scoring.data.errors import UsageError
from scoring.data.names import without
from scoring.data.scorer import Scorer
from scoring.data.storage.files import expand_home
from scoring.evaluation.votes import by_run, most_answers
from scoring.models.critics.sampling import asked_here, flags_again
from scoring.runs.prompts import kept_template
from scoring.runs.stress.elsewhere import read_rewards, write_contents
from scoring.workspace.cache import BALLOTS, VoteParts
from scoring.workspace.reservation import reserve_scorer
from scoring.workspace.workspace import Workspace
from scoring.workspace.workspace_place import find_workspace

_LISTED = 5
"""Lines that are told one by one."""


def run(args: argparse.Namespace) -> int:
    """Score what is missing and print or write the view; the exit code is that of what failed.

    Where what is missing cannot be scored here, what was judged before is shown.

    Raises:
        UsageError: no one scorer is named, or it is not known what runs it.
        InspectError: as for the workspace and the analysis.
    """
    if args.write and args.read:
        steps = [*without("--read", meaning="write the lines"), *without("--write", meaning="then read their results")]
        raise UsageError("--write and --read are two steps.", "Have the lines judged between them.", instead=steps)
    code = _score(args)
    # Where some are refused the others are shown: how many are is counted.
    if args.write or code not in {0, 1}:
        return code
    return analysis.run(args)


def _score(args: argparse.Namespace) -> int:
    query = query_from(args)
    stress = load("stress")
    # The demo is known everywhere, so it can be tried before anything was imported.
    workspace = find_workspace(query.workspace, create=query.benchmarks == ("demo",))
    params = stress.params(args, form_of(args))
    results = stress.load(replace(query, scorers=(*args.scorers, *query.scorers)), params)
    if len(results.chosen) != 1:
        there = ", ".join(results.chosen) or "none: score the benchmark first"
        raise UsageError("stress scores rewritings with one scorer at a time.", f"Name one of: {there}.")
    if args.read:
        _read(results.chosen_evaluations[0].scorer, workspace, args)
        return 0
    subjects = list(stressed(results, params))
    if args.write:
        _write(subjects, args)
        return 0
    code = 0
    for each in subjects:
        if each.missing:
            try:
                words = _words(each, workspace, args)
            except UsageError as error:
                if each.judged is None:
                    raise
                say([error.words], args)
                continue
            code = max(code, _run(each, workspace, words, quiet=args.quiet))
            if code not in {0, 1}:
                break
    return code


def _run(each: StressedScorer, workspace: Workspace, words: Sequence[str], *, quiet: bool) -> int:
    """Have a scoring process judge the solutions that are missing; the exit code is its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "solutions.jsonl"
        write_contents(file, each.contents.documents(each.missing))
        where = [f"--workspace={workspace.root}", f"--variants={file}"]
        return follow(Job(["score", each.benchmark, *where, *words]), quiet=quiet)


def _write(subjects: Sequence[StressedScorer], args: argparse.Namespace) -> None:
    """Write what is missing, each solution once."""
    every = (document for each in subjects for document in each.contents.documents(each.missing))
    unlike = {(document["problem"], *document["steps"]): document for document in every}
    write_contents(expand_home(args.write), unlike.values())
    n = counted(len(unlike), "solution")
    say([f"{n} written to {args.write}: add `rewards` to each line, a number a step, and --read them."], args)


def _read(scorer: Scorer, workspace: Workspace, args: argparse.Namespace) -> None:
    """Keep what was judged elsewhere, and say which lines cannot be used."""
    rows, findings = read_rewards(expand_home(args.read), scorer.reads)
    say((f"{finding}" for finding in findings[:_LISTED]), args)
    if len(findings) > _LISTED:
        say([f"{counted(len(findings) - _LISTED, 'more line')} like these."], args)
    parts = reserve_scorer(workspace, scorer, variants=True)
    if rows.height:
        scorer.save(parts.folder)
        parts.append(rows)
    say([f"{counted(rows.height, 'solution')} of {scorer.name} read from {args.read}."], args)


def _words(each: StressedScorer, workspace: Workspace, args: argparse.Namespace) -> list[str]:
    """Which scorer it is, and where it runs, as words of `score`.

    Raises:
        UsageError: that is not known here.
    """
    scorer = each.seen.scorer
    if asked_here(scorer):
        if not args.server:
            raise UsageError(f"{scorer.name} is asked on a server.", "Say which: --server URL")
        folder = each.scope.loaded.folders[scorer.name]
        runs = by_run(each.scope.loaded.keyed(scorer), VoteParts(folder).read(BALLOTS)[0])
        votes = most_answers(runs[0]) if runs else 1
        template = kept_template(workspace.root, scorer)
        model = str(scorer.settings["model"])
        return [f"--server={args.server}", f"--model={model}", *flags_again(scorer, votes, 1, template)]
    if args.model is not None:
        return [f"--name={scorer.name}", *prm_words(args)]
    return [f"--name={scorer.name}", *_known(each, workspace, args)]


def _known(each: StressedScorer, workspace: Workspace, args: argparse.Namespace) -> Iterator[str]:
    """The flags of a PRM whose weights lie where it is known here, as it was run; those that are given go first."""
    scorer = each.seen.scorer
    try:
        place = place_of(scorer, workspace.root)
    except UsageError as error:
        raise UsageError(
            f"{scorer.name} is not run here: where its weights lie is not known, or it has none.",
            f"{error.next_step}; or --write FILE, have the solutions judged elsewhere, and --read them.",
        ) from None
    own = argparse.Namespace(**{**vars(args), "model": place.model})
    own.revision, own.reference = own.revision or place.revision, own.reference or place.reference
    own.dtype = place.dtype if own.dtype == "auto" else own.dtype
    own.adapter = own.adapter or scorer.settings.get("adapter")
    yield from prm_words(own)
