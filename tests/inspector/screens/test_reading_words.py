"""While much is read the app says how far it is."""

import threading

import making
from inspector.app.app import InspectApp
from scoring.data.progress import tell
from scoring.selection import loading
from scoring.selection.query import Query
from screen_text import shows


async def test_who_waits_sees_how_far_reading_is(tmp_path, monkeypatch):
    root = tmp_path / "space"
    making.workspace(root, *making.study())
    load, seen = loading.load, threading.Event()

    def slow(query):
        tell(250_000, 1_000_000, "scorer-3", "cases")
        seen.wait(20)
        return load(query)

    monkeypatch.setattr(loading, "load", slow)
    app = InspectApp(Query(workspace=str(root)))
    async with app.run_test(size=(100, 24)) as pilot:
        await shows(pilot, "reading the workspace: 250,000 of 1,000,000 cases")
        seen.set()
        await shows(pilot, "30 cases")
