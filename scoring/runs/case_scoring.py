"""`python -m scoring cases`: scores cases that are handed in one by one, and keeps the PRM loaded between them.

A line of standard input is a JSON object: `n`, which every answer to it repeats, `prm` and `case`.

    prm     model (folder or hub name), and where they are known: revision, dtype, adapter, reference (a folder or hub
            name), and scorer, the folder of a scorer whose very rewards are wanted
    case    case (its name), problem, steps, and what else of `scoring.data.schema.TEXTS` a PRM may read; step_messages,
            the 0-based places of a trajectory's steps among its messages, without which its context is not read; into,
            the folder for rewards that are not the workspace's, where they are of no case of it; edited, steps
            (0-based) that a person wrote

An answer is a line of standard output: `loading` where a PRM has to be, then `scored`, with what is saved of the case
now and what is to be said of it, or `failed` with an error in words. Rewards are computed and saved by
`scoring.runs.run`, as those of any run; a case that has some already is not computed again. The process ends when its
standard input is closed, so that it never outlives who started it, however that one ended.
"""

import gc
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import polars as pl

from scoring.data.errors import InputError, InspectError
from scoring.data.reward_keys import further_texts, reward_key
from scoring.data.schema import content_key
from scoring.data.scorer import Scorer
from scoring.data.storage.files import check_writable
from scoring.data.texts import Texts
from scoring.engines.base import Engine
from scoring.models.prms.output_labels import OPTION
from scoring.models.prms.prm_catalogue import adapter_of
from scoring.runs.engine_options import EngineOptions
from scoring.runs.opened import LoadedPrm, open_prm
from scoring.runs.preparation import PreparedRun, missing_texts, prepare
from scoring.runs.prm_runs import Encoding
from scoring.runs.run import score
from scoring.runs.xray import Case, held_separators
from scoring.workspace.cache import RewardParts
from scoring.workspace.reservation import placed, reserve_scorer
from scoring.workspace.variants import content_frames
from scoring.workspace.workspace import Workspace

_NOT_ADAPTERS = frozenset({"weights", "reference", "dtype", "reads", "sources"})
"""Settings of a scorer that its adapter does not have."""
TellEvent = Callable[[Mapping[str, Any]], None]


@dataclass(eq=False)
class WarmPrm:
    """One PRM, loaded when the first case needs it. `asked` is the `prm` of the requests that it answers."""

    workspace: Workspace
    asked: Mapping[str, Any]
    device: str = "auto"
    loaded: Engine | None = field(default=None, init=False)

    @cached_property
    def wanted(self) -> Scorer | None:
        """The scorer whose very rewards are wanted; None where any that the checkpoint gives will do."""
        folder = self.asked.get("scorer")
        return Scorer.load(Path(folder)) if folder else None

    @cached_property
    def options(self) -> dict[str, str]:
        """The options of the adapter with which the scorer that is wanted was made; none where any will do.

        Raises:
            InputError: no options give its settings.
            InspectError: what the checkpoint raises.
        """
        if self.wanted is None:
            return {}
        # A checkpoint whose config.json contradicts the adapter is opened with a decision alone.
        decided = {OPTION: self.wanted.settings[OPTION]} if OPTION in self.wanted.settings else {}
        usual = open_prm(self.workspace, **self._place, options=decided)
        # Settings are not the words of an option: it may stand there under another name, or as a number.
        settings = {name: value for name, value in self.wanted.settings.items() if name not in _NOT_ADAPTERS}
        for values in product(*usual.facts.options.values()):
            options = decided | dict(zip(usual.facts.options, values, strict=True))
            made = adapter_of(usual.checkpoint, self._place["adapter"], options)
            if json.loads(json.dumps(dict(made.settings))) == settings:
                return options
        raise InputError(
            f"this version does not make the settings that {self.wanted.name} was computed with.",
            "Score the benchmark again under another name; then its cases can be scored one by one.",
        )

    @cached_property
    def opened(self) -> LoadedPrm:
        """Its checkpoint, adapter and tokenizer.

        Raises:
            InspectError: as for `scoring.runs.opened.open_prm`, or there are no options that fit.
        """
        return open_prm(self.workspace, **self._place, options=self.options)

    @cached_property
    def prepared(self) -> PreparedRun:
        """Who the scorer is, and what makes its engine.

        Raises:
            InputError: it is not the scorer that is wanted.
            InspectError: as for `scoring.runs.preparation.prepare`, or there are no options that fit.
        """
        prepared = prepare(
            self.workspace,
            **self._place,
            options=self.options,
            name=self.wanted.name if self.wanted else None,
            running=EngineOptions(device=self.device),
        )
        if self.wanted is not None and prepared.scorer.fingerprint != self.wanted.fingerprint:
            raise InputError(
                f"what lies at {self._place['model']} is not what {self.wanted.name} was computed with.",
                "Give that checkpoint by its own path: it is a scorer of its own.",
            )
        return prepared

    @property
    def _place(self) -> dict[str, Any]:
        named = {name: self.asked.get(name) for name in ("model", "revision", "adapter", "reference")}
        return {**named, "dtype": self.asked.get("dtype") or "auto"}

    @property
    def scorer(self) -> Scorer:
        """Who gives the rewards. Raises InspectError as `prepared` does, where it is not known before."""
        return self.wanted or self.prepared.scorer

    def score(self, case: Mapping[str, Any], loading: Callable[[], object]) -> dict[str, Any]:
        """Return what is saved of a case, which is computed where that is nothing, and what is to be said of it.

        `loading` is called where it takes a model that is not there yet.

        Raises:
            InspectError: what the checkpoint, its engine or the cache raise.
        """
        began = time.monotonic()
        kept = self._kept(case, [Path(self.asked["scorer"])] if self.wanted else [])
        if kept is None and self.loaded is None:
            loading()
        frame, texts = content_frames([case])
        scorer = self.scorer
        folder = self._folder(case)
        kept = kept or self._kept(case, [folder, *self._beside(case)])
        row, folder = kept or (self._computed(frame, texts, RewardParts(folder), case), folder)
        results = {name: row[name] for name in ("rewards", "redundancy", "reason")}
        truncated = [row["reason"]] if row["reason"] and row["rewards"] else []
        notes = [*truncated, *missing_texts(texts, [0], scorer.reads), *self._cautions(case)]
        seconds = round(time.monotonic() - began, 3)
        about = {"case": case["case"], "scorer": scorer.name, "folder": str(folder), "computed": kept is None}
        return {**about, **results, "notes": notes, "seconds": seconds}

    def _folder(self, case: Mapping[str, Any]) -> Path:
        """Where the rewards of a case go.

        Raises:
            ScorerConflict: the name is another scorer's in the workspace, for which it would be taken.
            NoWorkspace: they would go into a workspace, and there is none.
        """
        if "into" not in case:
            return reserve_scorer(self.workspace, self.scorer).folder
        if self.workspace.root is not None:
            reserve_scorer(self.workspace, self.scorer)
        return Path(case["into"]) / self.scorer.folder

    def _beside(self, case: Mapping[str, Any]) -> list[Path]:
        """Where else rewards of the very scorer are for a case of a benchmark: the demo comes with some."""
        if "into" in case:
            return []
        benchmark, _, _ = case["case"].partition("/")
        return [folder for folder in self.workspace.reward_folders([benchmark]) if folder.name == self.scorer.folder]

    def _computed(
        self, frame: pl.DataFrame, texts: Texts, parts: RewardParts, case: Mapping[str, Any]
    ) -> dict[str, Any]:
        """What comes of a case in the loop of every run, which encodes, checks what the engine says, and saves."""
        # Who it is has to be sure before anything is saved in that name.
        prepared, scorer = self.prepared, self.scorer
        if "into" not in case:
            model = self._place["model"]
            scorer, _ = placed(scorer, parts, model=model, series=None, at=None, dry_run=False)
        events = score(
            frame,
            texts,
            scorer,
            parts,
            Encoding(lambda: self.opened.encoder),
            engine=lambda: self._engine(prepared, parts),
            retry_refused=True,
            # Somebody looks on: a run that has begun a thousand cases may take an hour to come to this one.
            waits=False,
        )
        list(events)
        row = _row(parts.folder, _key(case, scorer))
        if row is None:
            raise InputError(f"nothing was saved of {case['case']}.", "Look into scoring.log in the workspace.")
        return row

    def _kept(self, case: Mapping[str, Any], folders: Sequence[Path]) -> tuple[dict[str, Any], Path] | None:
        """The rewards of a case and in which of these folders; of a truncated one, those of its first steps."""
        for folder in folders:
            row = _row(folder, _key(case, self.scorer))
            n_rewards = 0 if row is None else len(row["rewards"] or ())
            if row is not None and n_rewards and (row["reason"] or n_rewards == len(case["steps"])):
                return row, folder
        return None

    def _engine(self, prepared: PreparedRun, parts: RewardParts) -> Engine:
        if self.loaded is None:
            # Known before a model is loaded for what could not be kept.
            check_writable(parts.folder)
            self.loaded = prepared.engine()
        return self.loaded

    def _cautions(self, case: Mapping[str, Any]) -> Iterator[str]:
        """A sentence for each step that a person wrote in which the PRM could see another step's end."""
        if not case.get("edited"):
            return
        opened = self.opened
        further = tuple(text for _, text in further_texts(opened.adapter.reads, case, case))
        read = Case(case["problem"], tuple(case["steps"]), further)
        yield from held_separators(
            opened.encoder, opened.tokenizer, read, case["edited"], separated=opened.facts.separated
        )


def _key(case: Mapping[str, Any], scorer: Scorer) -> str:
    """What a scorer's rewards of a case are joined on."""
    return reward_key(content_key(case["problem"], case["steps"]), further_texts(scorer.reads, case, case))


def _row(folder: Path, key: str) -> dict[str, Any] | None:
    """What is saved of a content, in whatever case."""
    rows = RewardParts(folder).of(key).filter(pl.col("case").is_null() & (pl.col("vote") == 0))
    return rows.row(0, named=True) if rows.height else None


# -- the process


def serve(workspace: Workspace, device: str, requests: BinaryIO, tell: TellEvent) -> None:
    """Answer requests until there are no more; only the PRM of the last one stays loaded.

    Where requests end while one is being answered the process ends there and then: what was saved is whole.
    """
    waiting: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting.put), daemon=True).start()
    prm: WarmPrm | None = None
    while line := waiting.get():
        request = json.loads(line)
        if prm is None or prm.asked != request["prm"]:
            # The one before lets go of its memory first; a cycle of what the library caught while it was made holds it.
            prm = None
            gc.collect()
            prm = WarmPrm(workspace, request["prm"], device)
        loading = {"event": "loading", "n": request["n"]}
        try:
            tell({"event": "scored", "n": request["n"], **prm.score(request["case"], partial(tell, loading))})
        except InspectError as error:
            tell({"event": "failed", "n": request["n"], "error": error.fields})
            prm = None


def _listen(requests: BinaryIO, put: Callable[[bytes], object]) -> None:
    """In a thread: pass on every line; when there are no more, end the process whatever it does."""
    for line in requests:
        put(line)
    os._exit(0)
