"""Debian's Chromium without a window, told what to do: keys are pressed in it, and what the app paints is read."""

import asyncio
import base64
import contextlib
import itertools
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pyte

from chromium import PROGRAM

PATIENCE = 60
"""Seconds."""
KEYS = {"Enter": ("\r", 13), "Escape": ("", 27), "ArrowDown": ("", 40)}
"""Keys that are no character: their text, and the number that they have in a browser."""


class NavigationError(Exception):
    """The page went to another address while it was asked."""


class Page:
    """One page (a tab), in a profile with cookies of its own, and what its terminal shows."""

    def __init__(self, browser: "Browser", session: str, context: str) -> None:
        self._browser, self._session, self._context = browser, session, context
        self.screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self.screen)
        self.asked: list[str] = []
        """Addresses that it loaded."""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Have the browser do something with it."""
        return await self._browser.call(method, self._session, **params)

    def hear(self, method: str, params: dict[str, Any]) -> None:
        """Take what the browser tells of it."""
        if method == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.asked.append(params["url"])
            if size := re.search(r"width=(\d+)&height=(\d+)", params["url"]):
                self.screen.resize(int(size[2]), int(size[1]))
                self.screen.reset()
        elif method == "Network.webSocketFrameReceived" and params["response"]["opcode"] == 2:
            self._stream.feed(base64.b64decode(params["response"]["payloadData"]))

    async def open(self, url: str) -> None:
        """Go to an address."""
        await self.call("Page.navigate", url=url)

    async def evaluate(self, script: str) -> Any:
        """The value of an expression in it."""
        found = await self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return found["result"].get("value")

    async def press(self, *keys: str) -> None:
        """Press keys, each a character or one of KEYS, as a person does: nothing has been clicked."""
        for key in keys:
            text, number = KEYS[key] if key in KEYS else (key, ord(key.upper()))
            told = {"key": key, "text": text, "windowsVirtualKeyCode": number}
            await self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **told)
            await self.call("Input.dispatchKeyEvent", type="keyUp", **told)

    async def click(self, words: str) -> None:
        """Click on the first cell of words that the terminal shows."""
        line, column = next((at, text.index(words)) for at, text in enumerate(self.lines) if words in text)
        box = await self.evaluate(
            "(b => [b.left, b.top, b.width, b.height])(document.querySelector('.xterm-screen').getBoundingClientRect())"
        )
        x = box[0] + (column + 0.5) * box[2] / self.screen.columns
        y = box[1] + (line + 0.5) * box[3] / self.screen.lines
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    @property
    def lines(self) -> list[str]:
        """What stands in the terminal."""
        return self.screen.display

    async def shows(self, *words: str) -> None:
        """Wait until the terminal shows all of these."""
        await until(lambda: all(any(word in line for line in self.lines) for word in words), lambda: (words, self.text))

    async def hides(self, words: str) -> None:
        """Wait until the terminal shows this no more. Two keys of which the first is Escape would be one."""
        await until(lambda: words not in self.text, lambda: self.text)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    async def says(self, words: str) -> None:
        """Wait until the page itself, and not its terminal, says this."""
        await self.holds("document.body?.innerText", lambda said: words in (said or ""))

    async def holds(self, script: str, holds: Callable[[Any], bool] = bool) -> None:
        """Wait until something holds of the value of an expression in it."""
        end, value = time.monotonic() + PATIENCE, None
        while True:
            with contextlib.suppress(NavigationError):
                if holds(value := await self.evaluate(script)):
                    return
            assert time.monotonic() < end, (script, value)
            await asyncio.sleep(0.05)

    async def picture(self, path: Path) -> None:
        """Write what it looks like as a PNG."""
        found = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))

    async def downloads_to(self, folder: Path) -> None:
        """Say where downloads go."""
        await self._browser.call(
            "Browser.setDownloadBehavior", behavior="allow", browserContextId=self._context, downloadPath=str(folder)
        )

    async def allow(self, *permissions: str) -> None:
        """Grant what a person would be asked for, and have it in front, as a page in use is."""
        await self._browser.call(
            "Browser.grantPermissions", permissions=list(permissions), browserContextId=self._context
        )
        await self.call("Page.bringToFront")

    async def close(self) -> None:
        """Close it, as a person closes a tab."""
        await self.call("Page.close")


class Browser:
    """The browser; see `browser`."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._awaited: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}

    async def listen(self) -> None:
        """Take in what it says, until it ends."""
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                self._awaited.pop(told["id"]).set_result(told)
            elif told.get("sessionId") in self._pages:
                self._pages[told["sessionId"]].hear(told["method"], told["params"])

    async def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Have it do something; what came of it."""
        number = next(self._numbers)
        answer = self._awaited[number] = asyncio.get_running_loop().create_future()
        told = {"id": number, "method": method, "params": params}
        await self._socket.send_json(told | ({"sessionId": session} if session else {}))
        found = await asyncio.wait_for(answer, PATIENCE)
        if "navigated" in found.get("error", {}).get("message", ""):
            raise NavigationError
        assert "error" not in found, (method, found["error"])
        return found["result"]

    async def page(self, url: str, *, width: int = 1280, height: int = 800) -> Page:
        """A page of somebody else than the others, at an address."""
        context = (await self.call("Target.createBrowserContext"))["browserContextId"]
        target = await self.call("Target.createTarget", url="about:blank", browserContextId=context)
        session = (await self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session, context)
        await page.call("Network.enable")
        await page.call("Page.enable")
        await page.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        await page.open(url)
        return page


@contextlib.asynccontextmanager
async def browser(profile: Path) -> AsyncIterator[Browser]:
    """Start it, with its own profile, and end it."""
    assert PROGRAM is not None
    argv = [
        *(PROGRAM, "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync"),
        *("--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0"),
        *("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--user-data-dir={profile}", "about:blank"),
    ]
    process = await asyncio.create_subprocess_exec(
        *argv, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stderr is not None
        url = ""
        async with asyncio.timeout(PATIENCE):
            while not url:
                line = (await process.stderr.readline()).decode()
                assert line, "Chromium has ended"
                url = line.partition("DevTools listening on ")[2].strip()
        async with aiohttp.ClientSession() as client, client.ws_connect(url, max_msg_size=0) as socket:
            found = Browser(socket)
            listening = asyncio.create_task(found.listen())
            drained = asyncio.create_task(process.stderr.read())
            yield found
            listening.cancel()
            drained.cancel()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def until(holds: Callable[[], bool], why: Callable[[], object] = lambda: "") -> None:
    """Wait until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, why()
        await asyncio.sleep(0.05)
