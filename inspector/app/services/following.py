"""What changes on the disk while the app is open is followed: rewards, benchmarks, gold labels, tags and notes."""

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.worker import get_current_worker

from inspector.app.services.host import ServiceHost
from inspector.app.services.navigation import INSPECT, Navigation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    from inspector.state.screen_state import ScreenState
    from scoring.selection.query import Query
    from scoring.selection.result_set import ResultSet
    from scoring.workspace.remote import Mirror
    from scoring.workspace.triage.journal import Journal
    from scoring.workspace.workspace import Workspace

FOLLOW_SECONDS = 1.5
"""How often the rewards folder is looked at: another process may be writing there."""
LOOK_SECONDS = 2.0
"""How often the journals are looked at."""
SYNC_SECONDS = 3.0
"""How often a mirror is made equal to what lies on object storage."""


class Following:
    """Reads all again where rewards or benchmarks have come or gone, or where labels are others after triage.

    Not for labels while a person triages: every ruling would have it read again. Tags and notes that another process
    writes, or that are copied here, are read alone.
    """

    def __init__(self, host: ServiceHost, navigation: Navigation) -> None:
        self._host, self._navigation = host, navigation
        self.seen: frozenset[str] | None = None
        """The files and benchmarks that were read; None: they are to be read again."""
        self._known: frozenset[str] = frozenset()
        """The benchmarks when it was looked last."""
        self._heard: object = None
        """What people said when labels were made anew last."""
        self._n_reads = 0
        """How often reading was begun: what was read before the last time is not shown after it."""
        self._awaited = ""
        """The scorer to look through once its rewards have been read; "" where none is."""
        self._syncing = False
        self._unsent = ""
        """Why the last of what was written could not be sent; "" where it was."""

    def begin(self, results: "ResultSet") -> None:
        """Begin to look, from what was read."""
        self._note_what_is_there(results.loaded.workspace)
        self._host.app.set_interval(FOLLOW_SECONDS, self.look)
        self._host.app.set_interval(LOOK_SECONDS, self._look_at_journals)
        if (mirror := results.loaded.workspace.mirror) is not None:
            # What fails is tried again soon, and whoever quits does not wait for long.
            mirror.store.patience = SYNC_SECONDS
            self._host.app.set_interval(SYNC_SECONDS, partial(self._sync, mirror))
        self._keep(results)

    def _keep(self, results: "ResultSet") -> None:
        """Keep what had to be computed for the next time, and nothing that is of no use any more.

        Quitting waits for one scorer of it at most.
        """

        def keep() -> None:
            from scoring.evaluation.derived import remove_unasked

            worker = get_current_worker()
            for result in results.loaded.unkept:
                if worker.is_cancelled:
                    return
                result.keep()
            remove_unasked(results.loaded.workspace)

        self._host.run_in_thread(keep, "keep", exclusive=True)

    # -- looking

    def look(self) -> None:
        """Look now, and read all again where something is different."""
        if self._host.held:
            return
        now = self._host.state.results
        there = self._there(now.loaded.workspace)
        if self.would_interrupt(now.loaded.workspace) or (there == self.seen and not self._labels_late(now)):
            return
        self._note_what_is_there(now.loaded.workspace)
        self.read_again()

    def look_through(self, scorer: str) -> None:
        """Look now, because a scorer has just scored a case; once that has been read, look through it."""
        self._awaited = scorer
        self.look()

    def look_for_labels(self) -> None:
        """Look now where labels are behind: who comes back from triage need not wait for the next look."""
        if self._host.state.results.labels.outdated:
            self._host.app.call_later(self.look)

    def would_interrupt(self, workspace: "Workspace") -> bool:
        """Return whether a benchmark came, and none went, while a person looks at cases: then it waits for them."""
        names, front = self._names(workspace), self._host.front
        return front is not None and front.NAME != "board" and names > self._known

    def _labels_late(self, now: "ResultSet") -> bool:
        """Whether labels are to be made of what people say by now; True once for the same words."""
        front = self._host.front
        if not now.labels.outdated or now.labels.journal is None or front is None or front.NAME == "triage":
            return False
        before, self._heard = self._heard, now.labels.journal.triage
        return before is not self._heard

    def _note_what_is_there(self, workspace: "Workspace") -> None:
        self.seen, self._known = self._there(workspace), self._names(workspace)

    def _there(self, workspace: "Workspace") -> frozenset[str]:
        """The files of rewards, the benchmarks, and the generations of those that were read: their cases may grow."""
        read = self._host.state.results.benchmarks
        cases = {str(folder) for folder in workspace.generations(read)} if read else set()
        return workspace.reward_files(read) | self._names(workspace) | cases

    def _names(self, workspace: "Workspace") -> frozenset[str]:
        """The benchmarks that are there, among those that the app was opened on."""
        names, wanted = frozenset(workspace.benchmarks()), self._host.initial_query.benchmarks
        return names.intersection(wanted) if wanted else names

    # -- object storage

    def _sync(self, mirror: "Mirror") -> None:
        """Have a mirror brought up to date in a thread, unless that is still being done; others look at its files."""
        if self._syncing:
            return
        self._syncing = True

        def sync() -> None:
            from scoring.data.errors import InspectError
            from scoring.workspace.remote import kept

            try:
                unsent = mirror.sync(wait=False).unsent
                problem = "" if unsent is None else kept(unsent).words
            except InspectError as error:
                problem = error.words
            finally:
                self._syncing = False
            if problem and problem != self._unsent:
                self._host.tell(problem, "warning")
            self._unsent = problem

        self._host.run_in_thread(sync, "remote")

    # -- reading again

    def read_at_once(self, then: "Callable[[], object]") -> None:
        """Read all again although nobody looked, because something is known to have come; then do what is left."""
        self._note_what_is_there(self._host.state.results.loaded.workspace)
        self.read_again(then)

    def read_again(self, then: "Callable[[], object]" = lambda: None) -> None:
        """Read what was asked for anew, less what has gone; say so where that is everything. Then do what is left."""
        host = self._host
        query = _query_again(host.initial_query, host.state.results)
        if query is None:
            gone = ", ".join(host.initial_query.benchmarks)
            host.warn(f"{gone}: removed from the workspace. What is on screen was read before, and has no texts.")
            then()
            return
        self._n_reads += 1
        host.run_in_thread(partial(self._read, query, then, self._n_reads), "reload", exclusive=True)

    def _read(self, query: "Query", then: "Callable[[], object]", number: int) -> None:
        """In a thread."""
        from inspector.analyses._own import load_own
        from scoring.data.errors import InspectError
        from scoring.selection.loading import load

        try:
            load_own(query.plugins)
            self._host.app.call_later(self._show_latest, load(query), then, number)
        except InspectError as error:
            self._host.tell(str(error), "warning")
            self._host.app.call_later(then)

    def _show_latest(self, results: "ResultSet", then: "Callable[[], object]", number: int) -> None:
        if number == self._n_reads:
            self.show(results, then)
        else:
            then()

    def show(self, results: "ResultSet", then: "Callable[[], object]" = lambda: None) -> None:
        """Show the same with the rewards that there are now, and do what is left; look through whom one waits for.

        Where a person moved a threshold or searched while they were read, they are read again under that.
        """
        self._show(results, self._host.state)
        then()
        state, name = self._host.state, self._awaited
        there = name in (evaluation.scorer.name for evaluation in state.results.evaluations)
        if there and not self._host.held:
            self._awaited = ""
            self._host.put(state.focused(name, state.focus.benchmark))

    def _show(self, results: "ResultSet", before: "ScreenState") -> None:
        host = self._host
        names = [evaluation.scorer.name for evaluation in results.evaluations]
        moved = not _begins_with(results.cases["case"], before.cases["case"])
        late = moved and host.app.current_mode != INSPECT
        if host.held or late or _asked(results, names) != _asked(before.results, names):
            self.seen = None
            return
        now = _same_view(before, results)
        for problem in results.problems:
            if problem not in before.results.problems:
                host.warn(problem)
        for sentence in _what_is_gone(before, now):
            host.warn(sentence)
        if moved:
            # They know cases by their rows, and these are other cases' now.
            self._navigation.close_all_above()
        self._keep(results)
        host.put(now)

    # -- tags and notes

    def _look_at_journals(self) -> None:
        if self._host.held:
            return
        journal = self._host.state.results.labels.journal
        if journal is not None and journal.changed:
            self._host.run_in_thread(partial(self._read_journals, journal), "triage", exclusive=True)

    def _read_journals(self, journal: "Journal") -> None:
        """In a thread: there may be very many actions."""
        self._host.app.call_later(self.show_journal, journal.again())

    def show_journal(self, journal: "Journal") -> None:
        """Show the same with the tags and notes that there are now.

        Not where somebody has written since they were read: the next look reads that too.
        """
        if not self._host.held and not journal.changed:
            self._host.put(self._host.state.triaged(journal))


def _query_again(initial: "Query", now: "ResultSet") -> "Query | None":
    """What is to be read in the place of what is on screen, less what has gone; None where that is everything."""
    from inspector.state.renewing import held_conditions
    from scoring.data.scorer import FILE
    from scoring.formats.benchmarks import demo
    from scoring.metrics.baselines import BASELINES
    from scoring.metrics.deciding import speaks_of
    from scoring.selection.searching import search_fields

    known = {demo.NAME, *now.loaded.workspace.benchmarks()}
    benchmarks = tuple(name for name in initial.benchmarks if name in known)
    if initial.benchmarks and not benchmarks:
        return None
    names = [
        evaluation.scorer.name
        for evaluation in now.evaluations
        if evaluation.scorer.name not in now.loaded.folders
        or (now.loaded.folders[evaluation.scorer.name] / FILE).exists()
    ]
    gone = {evaluation.scorer.name for evaluation in now.evaluations} - {*names}
    there = held_conditions(initial.where, now)
    query = replace(
        initial,
        benchmarks=benchmarks,
        # Baselines that were taken away would come back where one of them is named.
        scorers=tuple(name for name in initial.scorers if now.query.baselines or name not in BASELINES),
        thresholds=_of(names, now.query.thresholds),
        rules=_of(names, initial.rules),
        redundancy=_of(names, initial.redundancy),
        slices=(),
        where=tuple(text for text in there if not any(speaks_of(name, (text,)) for name in gone)),
        baselines=now.query.baselines,
    )
    return replace(query, **search_fields(now.matches))


def _same_view(before: "ScreenState", results: "ResultSet") -> "ScreenState":
    """The same view of what was read anew; of another benchmark, where the one in focus has gone."""
    from inspector.state.opening import inspect
    from inspector.state.renewing import held_conditions, renewed

    if before.focus.benchmark in results.cases["benchmark"]:
        return renewed(before, results)
    base = held_conditions(before.base, results)
    return inspect(replace(results, query=replace(results.query, where=base, subsets=())))


def _what_is_gone(before: "ScreenState", now: "ScreenState") -> "Iterator[str]":
    """Say what has gone, and what is on screen in its place."""
    left = now.cases["benchmark"].unique()
    gone = [name for name in before.cases["benchmark"].unique(maintain_order=True) if name not in left]
    if gone:
        instead = f"On screen is {now.focus.benchmark}." if now.focus.benchmark else "There is no other."
        removed = f"{', '.join(gone)}: removed from the workspace."
        yield f"{removed} {instead}" if before.focus.benchmark in gone else removed
    if before.focus.benchmark not in gone and before.focus.scorer not in {None, now.focus.scorer}:
        instead = (
            "There is no other scorer." if now.focus.scorer is None else f"What is on screen is {now.focus.scorer}'s."
        )
        yield f"The rewards of {before.focus.scorer} are gone. {instead}"
    for text in before.base:
        if text not in now.base:
            yield f"No longer filtered by {text}: a column that it reads is gone."


def _asked(results: "ResultSet", names: "Sequence[str]") -> object:
    """What a person may have changed that was read with the rewards, as far as it is about these scorers."""
    from scoring.selection.searching import search_fields

    return _of(names, results.query.thresholds), results.query.baselines, search_fields(results.matches)


def _begins_with(names: "pl.Series", beginning: "pl.Series") -> bool:
    return names.head(beginning.len()).equals(beginning)


def _of(names: "Sequence[str]", pairs: "Sequence[tuple[str | None, str]]") -> tuple[tuple[str | None, str], ...]:
    """The pairs of a scorer, by name or a part of it, and a value whose scorer is one of these, or all."""
    every = [name.lower() for name in names]
    return tuple(pair for pair in pairs if pair[0] is None or any(pair[0].lower() in name for name in every))
