"""The app on a workspace in a bucket shows what others send, and sends what a person says."""

import asyncio

import making
import reference
from inspector.app.services import following
from opened import inspected, opened
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from scoring.workspace.remote import finish
from scoring.workspace.triage.journal import Journal
from scoring.workspace.workspace import Workspace
from screen_text import until

CASES = [reference.Case(3, 1, (0.9, 0.2, 0.8)), reference.Case(2, -1, (0.7, 0.9))]


async def test_the_app_follows_a_bucket_and_sends_a_ruling(machine, address, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(following, "SYNC_SECONDS", 0.1)
    monkeypatch.setattr(following, "FOLLOW_SECONDS", 0.1)
    other = machine("other")
    other.sync()
    making.workspace(other.root, CASES, [(making.scorer("one"), CASES)])
    other.sync()
    async with opened(Query(workspace=address)) as pilot:
        assert [one.scorer.name for one in inspected(pilot).results.evaluations] == ["one"]
        two = making.scorer("two")
        keys = Workspace.open(other.root).cases()[0]["key"]
        RewardParts(other.root / "rewards" / two.folder).append(making.rewards(CASES, keys))
        two.save(other.root / "rewards" / two.folder)
        await asyncio.to_thread(other.sync)
        await until(pilot, lambda: len(inspected(pilot).results.evaluations) == 2)
        results = inspected(pilot).results
        results.labels.journal.rule(results.cases["case"].to_list()[:1], "gold wrong")

        def heard():
            other.sync()
            return Journal(other.root / "triage").triage.rulings

        while not await asyncio.to_thread(heard):
            pass
        theirs = Journal(other.root / "triage")
        theirs.note(results.cases["case"].to_list()[1:2], "from elsewhere")
        await asyncio.to_thread(other.sync)
        await until(pilot, lambda: inspected(pilot).results.labels.journal.triage.notes)
    assert finish() == ([], False)
