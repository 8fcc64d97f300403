"""A PRM's run as the command line asks for it."""

import argparse
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import polars as pl

from scoring.claim import claim, placed
from scoring.events import Event
from scoring.files import check_writable
from scoring.interrupt import Interrupt
from scoring.missing_texts import missing_texts
from scoring.preparation import prepare
from scoring.run import score
from scoring.running import Running
from scoring.shards import run_shards
from scoring.texts import Texts
from scoring.workspace import Workspace

if TYPE_CHECKING:
    from scoring.engines.base import Engine


def prm_events(
    args: argparse.Namespace,
    workspace: Workspace,
    cases: pl.DataFrame,
    texts: Texts,
    rows: list[int],
    interrupt: Interrupt,
    tell: Callable[[str], object],
) -> Generator[Event, None, None]:
    """The run that the arguments ask for. Nothing here imports an engine until one is needed.

    Raises:
        InspectError: the request cannot be granted, or what an engine and the workspace raise.
    """
    devices = args.device.split(",")
    here = args.engine == "transformers" and not args.server and not args.dry_run
    if len(devices) > 1 and here and {*devices} != {"cpu"}:
        # Otherwise the others would compute their shares before one of the processes says that it has no device.
        from scoring.engines.transformers_engine import check_devices

        check_devices(devices)
    with interrupt.at_once():
        prepared = prepare(
            workspace,
            args.model,
            revision=args.revision,
            base=args.base,
            reference=args.reference,
            allow_pickle=args.allow_pickle,
            adapter=args.adapter,
            options=dict(args.option),
            name=args.name,
            dtype=args.dtype,
            running=_running(args),
            tell=tell,
        )
        parts = claim(workspace, prepared.scorer)
        scorer, where = placed(
            prepared.scorer, parts, model=args.model, series=args.series, at=args.at, dry_run=args.dry_run
        )
        notes = (*prepared.notes, *where, *missing_texts(texts, rows, scorer.reads))

    def engine() -> "Engine":
        # Known before minutes are spent on loading a model and computing what could not be kept.
        check_writable(parts.folder)
        return prepared.engine()

    if len(devices) > 1 and not args.dry_run:
        # Everything that could be wrong with the request has been found above, once.
        yield from run_shards(args.words, devices, interrupt, tell)
        return
    yield from score(
        cases,
        texts,
        scorer,
        parts,
        encoder=prepared.encoder,
        engine=engine,
        rows=rows,
        retry_refused=args.retry_refused,
        truncate=args.truncate,
        dry_run=args.dry_run,
        notes=notes,
        interrupt=interrupt,
    )


def _running(args: argparse.Namespace) -> Running:
    return Running(
        args.engine,
        args.device,
        args.token_budget,
        tuple(args.server),
        args.served_model,
        args.endpoint,
        args.concurrency,
        args.timeout,
        args.tries,
    )
