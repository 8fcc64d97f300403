"""The app in a real browser: keys that are pressed there, clicks, downloads, people who go away, pages that attack."""

import json
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from chromium import needed
from devtools import browser, until
from served import child, children, command, gone

pytestmark = [pytest.mark.browser, needed]


@pytest.fixture
async def served(tmp_path, monkeypatch):
    """A server of the demo, a browser, and a way to come in: the process, and a function that gives a page by name."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    async with AsyncExitStack() as stack:
        process, url = await stack.enter_async_context(command("--benchmark", "demo", cwd=tmp_path))
        chromium = await stack.enter_async_context(browser(tmp_path / "profile"))

        async def come_in(name):
            page = await chromium.page(url)
            await page.says("Who are you?")
            await page.holds("document.activeElement.name === 'name'")
            await page.call("Input.insertText", text=name)
            await page.press("Enter")
            await page.shows("240 cases", "? help")
            return page

        yield process, url, come_in


async def test_a_visitor_uses_it_is_attacked_in_vain_and_writes_beside_another(served, tmp_path):
    process, url, come_in = served
    page = await come_in("ann")
    await keys_clicks_downloads_and_copies(page, url, tmp_path)
    await another_page_of_the_same_browser_gets_nowhere(page, url, process)
    await two_visitors_write_two_journals_and_one_who_goes_away_loses_nothing(page, come_in, process, tmp_path)


async def keys_clicks_downloads_and_copies(page, url, tmp_path):
    # The first key, before anything was clicked, opens the panel; one more moves in it, and one closes it.
    await page.press("?")
    await page.shows("Everything that can be done here", ">Enter ")
    await page.press("ArrowDown")
    await page.shows(">s ")
    await page.press("Escape")
    await page.hides("Everything that can be done here")
    await page.press("j")
    await page.shows("▌blend")
    await page.click("ledger")
    await page.shows("▌ledger")
    await page.click("? help")
    await page.shows("Everything that can be done here")
    await page.press("Escape")
    await page.hides("Everything that can be done here")
    # Whoever hesitates is told what may follow.
    await page.press("g")
    await page.shows("Papers")
    await page.press("Escape")
    await page.hides("Papers")

    await page.downloads_to(tmp_path / "downloads")
    await page.press("e", "c")
    await page.shows("Wrote 7 rows to demo-board.csv")
    file = tmp_path / "downloads" / "demo-board.csv"
    await until(file.exists)
    assert file.read_text().startswith("kind,scorer,")
    assert [path.name for path in tmp_path.iterdir() if path.suffix] == []

    await page.allow("clipboardReadWrite", "clipboardSanitizedWrite")
    await page.press("y")
    await page.shows("Copied")
    await page.holds("navigator.clipboard.readText()", lambda copied: '"scorer": "ledger"' in (copied or ""))

    root, token = url.split("/?token=")
    assert [one for one in page.asked if not one.startswith((root, root.replace("http", "ws")))] == []
    assert token not in await page.evaluate("location.href + document.referrer")
    history = (await page.call("Page.getNavigationHistory"))["entries"]
    assert [entry["url"] for entry in history if token in entry["url"]] == []
    assert await page.evaluate("document.cookie") == ""

    await page.press("q")
    await page.says("Until next time.")
    await page.press("Enter")
    await page.shows("Scorers", "? help")


async def another_page_of_the_same_browser_gets_nowhere(page, url, process):
    root, _ = url.split("/?")
    place = await page.evaluate("document.body.dataset.place")
    cookies = []

    async def evil(request):
        cookies.append(request.headers.get("Cookie"))
        return web.Response(text="<body>mine</body>", content_type="text/html")

    # On this machine, on another port, which cookies do not tell apart: the worst place for a page to be from.
    app = web.Application()
    app.router.add_get("/{rest:.*}", evil)
    async with TestServer(app) as server:
        await page.open(f"http://127.0.0.1:{server.port}/")
        await page.says("mine")
        # It is even told where the app is, and may send the cookie along.
        socket = f"""new Promise(done => {{
            const socket = new WebSocket('{root.replace("http", "ws")}{place}ws');
            socket.onopen = () => done('open'); socket.onerror = () => done('refused');
        }})"""
        assert await page.evaluate(socket) == "refused"
        for mode in ("cors", "no-cors"):
            got = f"fetch('{root}{place}', {{mode: '{mode}', credentials: 'include'}}).then(a => a.text(), () => '')"
            assert await page.evaluate(got) == ""
        posted = f"""fetch('{root}{place}', {{method: 'POST', mode: 'no-cors', credentials: 'include',
            body: new URLSearchParams({{name: 'eve'}})}}).then(() => 'sent', () => 'blocked')"""
        assert await page.evaluate(posted) in {"sent", "blocked"}
        framed = f"""new Promise(done => {{
            const frame = document.createElement('iframe'); frame.src = '{root}{place}';
            frame.onload = () => done(frame.contentDocument === null ? 'closed' : 'open'); document.body.append(frame);
        }})"""
        assert await page.evaluate(framed) == "closed"
        assert cookies
        assert {*cookies} == {None}
    await until(lambda: children(process.pid) == [])
    # The name is still the one that was given.
    await page.open(f"{root}{place}")
    await page.shows("240 cases")
    assert b"PRM_INSPECT_USER=ann" in Path(f"/proc/{await child(process.pid)}/environ").read_bytes()


async def two_visitors_write_two_journals_and_one_who_goes_away_loses_nothing(ann, come_in, process, tmp_path):
    first = await child(process.pid)
    bob = await come_in("bob o'neil")
    (second,) = {*children(process.pid)} - {first}
    for page, tag in ((ann, "odd"), (bob, "hard")):
        await page.press("g", "l")
        await page.shows("240 of 240 cases")
        await page.press("w")
        await page.shows("Tag demo/arithmetic-001")
        await page.call("Input.insertText", text=tag)
        await page.shows(tag)
        await page.press("Enter")
        await page.shows(tag)
    journals = tmp_path / "data" / "prm-inspect" / "triage"
    await until(lambda: len(list(journals.glob("*.jsonl"))) == 2)
    await bob.close()
    await gone(second)
    lines = [json.loads(line) for file in journals.glob("*.jsonl") for line in file.read_text().splitlines()]
    assert {line["who"]: line["value"] for line in lines} == {"ann": "odd", "bob o'neil": "hard"}
    # Whoever reads the page again comes back, as who they are, to what they left.
    await ann.call("Page.reload")
    await gone(first)
    await ann.shows("240 cases")
    await ann.press("g", "l")
    await ann.shows("odd")
    process.terminate()
    await ann.says("The server has ended.")
    assert await process.wait() == 0
