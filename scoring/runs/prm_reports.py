"""What is told about one PRM, each as one JSON object: the tokens of a case, and the checks of its adapter."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from scoring.data.errors import InputError, MissingExtra, UsageError
from scoring.data.readout import Encoded, Vocabulary
from scoring.data.reward_keys import further_texts
from scoring.importing.sources import read_source
from scoring.models.prms.about import ABOUT
from scoring.models.prms.family_facts import range_of, rule_of
from scoring.models.prms.output_labels import OPTION, labels_of
from scoring.models.prms.own import own_family
from scoring.models.prms.prm_catalogue import ADAPTERS, family
from scoring.runs.arguments import prm_of_arguments
from scoring.runs.head_outputs import Outputs, outputs_of
from scoring.runs.opened import LoadedPrm, open_prm
from scoring.runs.prm_check.adapter_checks import checks, declaration, unopened
from scoring.runs.prm_check.encoding import EncodingCheck
from scoring.runs.token_texts import TokenTexts
from scoring.runs.xray import Case, add_numbers, longest, xray
from scoring.workspace.workspace import Workspace

CASES = 32
"""Cases of the user's file whose tokens are looked at."""


def explain(args: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    """Exit code and document of the token X-ray of one case; a refusal is part of what is told.

    Raises:
        UsageError: there is no such case.
        InspectError: what the checkpoint or its engine raise.
    """
    workspace = _workspace(args)
    cases, texts = workspace.cases(args.benchmark, twins=True)
    rows = (cases["case"] == args.case).arg_true()
    if not rows.len():
        raise UsageError(f"there is no case {args.case!r}.", "Give its whole name: BENCHMARK/ID.")
    prm = _opened(args, workspace, args.model)
    read = texts.row(rows[0])
    case = _case(prm.adapter.reads, cases.row(rows[0], named=True), read)
    tokens = xray(prm.encoder, prm.tokenizer, case, separated=prm.facts.separated)
    encoded, _, _ = longest(prm.encoder, case)
    notes, engine = [prm.note] if prm.note else [], None
    if encoded is not None and not args.tokens_only:
        engine = _numbers(prm, encoded, tokens, notes)
    about = {
        "case": args.case,
        "model": prm.checkpoint.name,
        "family": prm.adapter.scale.family,
        "settings": dict(prm.adapter.settings),
        "reads": list(prm.adapter.reads),
        "scale": asdict(prm.adapter.scale),
        "range": range_of(prm.adapter.scale),
        "rule": rule_of(prm.adapter.scale),
        "outputs": asdict(_outputs(prm)),
        "engine": engine,
        "notes": notes,
    }
    return 0, {"event": "xray", **about, **tokens.document()}


def check(args: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    """Exit code and document of the adapter contract test: 1 where a check failed.

    Raises:
        UsageError: there is no such adapter.
        InspectError: what the checkpoint or the user's file of cases raise.
    """
    if args.model is None:
        # Where there are no weights to make an adapter for, a class can still be looked at.
        results = unopened("give the checkpoint with --weights DIR", declaration(_family(args.adapter)))
        what: dict[str, Any] = {"model": None, "family": None, "dtype": None}
    else:
        prm = _opened(args, _workspace(args), args.model)
        cases = _cases_of(args.cases, prm.adapter.reads) if args.cases else []
        results = list(checks(prm, args.adapter, cases, limit=CASES, chosen=bool(args.option)))
        what = {"model": prm.checkpoint.name, "family": prm.adapter.scale.family, "dtype": prm.dtype}
    failed = any(result.status == "failed" for result in results)
    return int(failed), {"event": "checked", "adapter": args.adapter, **what, "results": _documents(results)}


def _documents(results: Sequence[EncodingCheck]) -> list[dict[str, str]]:
    return [{**asdict(result), "next_step": result.next_step} for result in results]


def _workspace(args: argparse.Namespace) -> Workspace:
    return Workspace.open(Path(args.workspace)) if args.workspace else Workspace(None)


def _opened(args: argparse.Namespace, workspace: Workspace, model: str) -> LoadedPrm:
    return open_prm(
        workspace,
        model,
        **prm_of_arguments(args),
        device=args.device,
        tell=lambda sentence: print(sentence, file=sys.stderr),
    )


def _numbers(prm: LoadedPrm, encoded: Encoded, tokens: Any, notes: list[str]) -> str | None:
    """Run the case and put its numbers beside the tokens; the engine's name, None where there is none here."""
    try:
        engine = prm.engine()
    except MissingExtra as error:
        notes.append(f"No logits and rewards: {error.sentence} {error.next_step}")
        return None
    from scoring.engines.trace import trace

    add_numbers(tokens, trace(engine, encoded))
    return engine.name


def _outputs(prm: LoadedPrm) -> Outputs:
    readout, settings = prm.adapter.readout, prm.adapter.settings
    own = hasattr(prm.adapter, "made")
    about = None if own else ABOUT.get(str(settings.get("adapter")))
    meanings: Sequence[str] = about.outputs if about else ()
    if OPTION in settings:
        meanings = str(settings[OPTION]).split(",")
    # A single output is called like its layer.
    names: Sequence[str] = meanings if len(meanings) > 1 else ()
    if not isinstance(readout.head, Vocabulary):
        names = labels_of(prm.checkpoint.config, readout.head[-1].outputs).names or names
    return outputs_of(readout, TokenTexts(prm.tokenizer), names)


def _family(name: str) -> Any:
    family_class = family(name) if name in ADAPTERS else own_family(name)
    if family_class is None:
        raise UsageError(f"there is no adapter {name!r}.", f"Known are {', '.join(ADAPTERS)}; or give a FILE.py.")
    return getattr(family_class, "made", family_class)


def _cases_of(path: str, reads: Sequence[str]) -> list[Case]:
    imported = read_source(path).imported
    if not imported:
        raise InputError(f"{path} holds no cases.", "Give a benchmark's file, such as ProcessBench's gsm8k.json.")
    frame = imported[0].cases
    if "steps" not in frame.columns:
        raise InputError(f"{path} is too large to be looked at whole.", "Give a smaller file.")
    return [_case(reads, row, row) for row in frame.iter_rows(named=True)]


def _case(reads: Sequence[str], case: Mapping[str, Any], texts: Mapping[str, Any]) -> Case:
    return Case(texts["problem"], tuple(texts["steps"]), tuple(text for _, text in further_texts(reads, case, texts)))
