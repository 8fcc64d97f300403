"""A worker: it holds one PRM and computes blocks of cases."""

import platform
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from scoring import __version__
from scoring.data.errors import EngineError, InputError, InspectError
from scoring.models.prms.base import Encoder
from scoring.runs.engine_options import EngineOptions
from scoring.runs.events import Notice
from scoring.runs.interrupt import Interrupt
from scoring.runs.preparation import PreparedRun, prepare
from scoring.runs.prm_runs import EncodedCase, encoded, read
from scoring.runs.run import RunUsage
from scoring.runs.run_cases import RowsToSave
from scoring.runs.workers import BlockResult, CaseResult, WorkBlock, WorkerFailed, WorkerPrm, WorkerReady
from scoring.workspace.workspace import Workspace

if TYPE_CHECKING:
    from scoring.engines.base import Engine


class Worker:
    """One PRM, which computes blocks. Several threads may call it: one encodes a block while another runs one."""

    def __init__(self, prm: WorkerPrm) -> None:
        self._asked = prm
        self._encoding, self._computing = Lock(), Lock()
        self._engine: Engine | None = None

    def open(self) -> WorkerReady | WorkerFailed:
        """Load the engine."""
        began = time.monotonic()
        try:
            with self._computing:
                self._engine = self._prepared.engine()
        except InspectError as error:
            return WorkerFailed.of(error, everywhere=False)
        return WorkerReady(self._engine.name, round(time.monotonic() - began, 3), platform.node())

    def compute(self, block: WorkBlock) -> BlockResult | WorkerFailed:
        """Compute the rewards of every case, or why it has none."""
        try:
            with self._encoding:
                window, settled = self._encoded(block)
            return self._computed(block, window, settled)
        except EngineError as error:
            return WorkerFailed.of(error, everywhere=False)
        except InspectError as error:
            # Of the files: weights that are not finite, a tokenizer of another model.
            return WorkerFailed.of(error, everywhere=True)

    @cached_property
    def _prepared(self) -> PreparedRun:
        prm = self._asked
        if prm.version != __version__:
            raise InputError(
                f"{platform.node()} has prm-inspect {__version__}, and the run is one of {prm.version}.",
                "Install the same version on every machine.",
            )
        root = Path(prm.root) if prm.root else None
        if root is None or not root.is_dir():
            # Elsewhere, what was converted and digested is kept for the next worker of this machine.
            root = user_cache_path("prm-inspect", appauthor=False) / "worker"
        prepared = prepare(Workspace(root), prm.model, **prm.prm, running=prm.running)
        if prepared.scorer.fingerprint != prm.fingerprint:
            raise InputError(
                f"what lies at {prm.model} on {platform.node()} is another model than that of the run.",
                "Put the same files there on every machine.",
            )
        return prepared

    @cached_property
    def _encoder(self) -> Encoder:
        return self._prepared.encoder()

    def _encoded(self, block: WorkBlock) -> tuple[list[EncodedCase], list[RowsToSave]]:
        window: list[EncodedCase] = []
        settled: list[RowsToSave] = []
        for missing, case in block.cases:
            made = encoded(self._encoder, missing, case, truncate=self._asked.truncate)
            (window if isinstance(made, EncodedCase) else settled).append(made)  # type: ignore[arg-type]
        return window, settled

    def _computed(self, block: WorkBlock, window: Sequence[EncodedCase], settled: list[RowsToSave]) -> BlockResult:
        spent = RunUsage()
        notices: dict[str, None] = {}
        if window:
            with self._computing:
                assert self._engine is not None  # noqa: S101  # it was opened first
                for came in read(self._engine, window, (), spent, Interrupt()):
                    if isinstance(came, Notice):
                        notices[came.sentence] = None
                    else:
                        settled += came
        places = {missing.row: place for place, (missing, _) in enumerate(block.cases)}
        results = [_result(places[case.missing.row], case) for case in settled]
        return BlockResult(block.number, results, spent, [*notices])


def _result(place: int, settled: RowsToSave) -> CaseResult:
    rows: list[dict[str, Any]] = [{**row} for row in settled.rows]
    return CaseResult(place, rows, settled.reason, settled.scored_steps)


def worker_prm(
    fingerprint: str, model: str, prm: Mapping[str, Any], running: EngineOptions, *, truncate: bool, root: Path | None
) -> WorkerPrm:
    """Return what workers need to know of a PRM; folders are named so that they are found from wherever a worker is."""
    placed = {**prm, **{name: _whole_path(prm[name]) for name in ("base", "reference")}}
    if (adapter := prm["adapter"]) and adapter.endswith(".py"):
        placed["adapter"] = _whole_path(adapter)
    home = str(root.resolve()) if root else None
    return WorkerPrm(fingerprint, _whole_path(model) or model, placed, running, truncate, home, __version__)


def _whole_path(name: str | None) -> str | None:
    """A hub's name as it is; a path that is here from the root on."""
    return str(Path(name).resolve()) if name and Path(name).exists() else name
