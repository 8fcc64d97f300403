"""The app in browsers: a web server on this machine alone, with a process of the app for each page that is open.

Whoever knows the token of the link gets a cookie, which is asked of everything else, and says who they are. The cookie
belongs to a path that nobody can guess: browsers send cookies to every port of a host, and on another port may listen
somebody else.

The page, and how it speaks with the app, are textual-serve's; its server asks nobody who they are, gives the browser's
request to a shell, and waits for ever for a process that does not end.
"""

import asyncio
import json
import logging
import os
import re
import secrets
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from hmac import compare_digest
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote

import msgspec
from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.http import HttpProcessingError
from textual_serve.app_service import AppService
from textual_serve.server import Server

from inspector.cli.serving.page_messages import Blur, Focused, Ping, Resized, Stdin, read_message
from inspector.cli.serving.visitor import VisitorOpening, environment
from inspector.render.texts.text import clean
from scoring.data.python_child import start_python_async

COOKIE = "prm-inspect"
_HERE = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
"""What a browser here, or at the other end of a tunnel, calls this machine; another name was bent to us."""
_GRACE = 15.0
"""Seconds that the app may take to end: a scoring run saves what it has."""
_BEAT = 15.0
"""Seconds after which a page is asked whether it is still there."""
_LOOK = 0.1
"""Seconds between looks at how much memory an app takes."""
_MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 if hasattr(os, "sysconf") else 0
"""Bytes of memory that the app of one visitor may take."""
_LONGEST_NAME = 40
_LONGEST_PATH = 200
"""Characters of the path in a URL; file systems raise errors for longer names."""
_SIZE = range(1, 1001)
"""Columns and lines that a page may have."""
_PAGE = Template((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
_GO_ON = """<meta http-equiv="refresh" content="0;url={}">"""
_NAME = {
    "inside": """<form method="post">
<input name="name" maxlength="40" autocomplete="nickname" aria-label="name" autofocus>
<button>Open</button></form>"""
}
_APP = {
    "head": """<style>
@font-face { font-family: "Roboto Mono"; font-weight: 100 700;
  src: url(static/fonts/RobotoMono-VariableFont_wght.ttf); }
@font-face { font-family: "Roboto Mono"; font-weight: 100 700; font-style: italic;
  src: url(static/fonts/RobotoMono-Italic-VariableFont_wght.ttf); }
</style><link rel="stylesheet" href="static/css/xterm.css">
<script src="static/js/textual.js"></script><script src="page.js" defer></script>""",
    "inside": """<noscript>This page needs JavaScript.</noscript><a id="again" href="">Open it again</a>""",
    "terminal": """<div class="textual-terminal" data-font-size="16"></div>""",
}
_CLOSED = "Open the link that prm-inspect serve printed: this page is for those who have it."
_FORM = "application/x-www-form-urlencoded"


class Guest(AppService):
    """One page that is open and the process of its app, which ends with the page however that goes."""

    def __init__(self, opening: VisitorOpening, page: web.WebSocketResponse, server: Server) -> None:
        """`page` is the other side; downloads go through the manager of the `server`."""

        async def close() -> None:
            await page.close()

        # No command for a shell: the process is started here.
        super().__init__(
            "",
            write_bytes=page.send_bytes,
            write_str=page.send_str,
            close=close,
            download_manager=server.download_manager,
        )
        self._opening = opening
        self._is_too_large = False

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        who = self._opening.visit.who
        self._process = process = await start_python_async(
            "inspector.cli.serving.visitor",
            msgspec.json.encode(self._opening).decode(),
            environment=environment(who, _of_textual(self._build_environment(width, height))),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
        )
        self._stdin = process.stdin
        return process

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Tell the app how large the page is, as far as that makes sense."""
        await super().set_terminal_size(_size(width, 80), _size(height, 24))

    async def run(self) -> None:
        """Pass on what the app writes until it has ended, and then what it had to say."""
        process = self._process
        if process is None or process.stdout is None or process.stderr is None:
            return
        farewell = asyncio.create_task(process.stderr.read())
        watching = asyncio.create_task(self._limit_memory(process))
        try:
            while (line := await process.stdout.readline()) and line != b"__GANGLION__\n":
                pass
            while True:
                kind = await process.stdout.readexactly(1)
                payload = await process.stdout.readexactly(int.from_bytes(await process.stdout.readexactly(4), "big"))
                # A page that is gone must not keep the app from writing: it would never end.
                with suppress(ConnectionError):
                    await self._pass_on(kind, payload)
        except asyncio.IncompleteReadError:
            code = await process.wait()
            words = (await farewell).decode("utf-8", "replace")
            if self._is_too_large:
                words = f"The app took more than {_MEMORY / (1 << 30):.1f} GB of memory and was ended. Open it again."
            elif code < 0:
                words = f"The app stopped unexpectedly (signal {-code}). Open it again."
            await self.say_farewell(words)
        finally:
            farewell.cancel()
            watching.cancel()

    async def _limit_memory(self, process: Process) -> None:
        """Kill the app if it takes more than its share of memory."""
        while memory_of(process.pid) <= _MEMORY:  # noqa: ASYNC110  # the system sends no event
            await asyncio.sleep(_LOOK)
        self._is_too_large = True
        with suppress(ProcessLookupError):
            process.kill()

    async def _pass_on(self, kind: bytes, payload: bytes) -> None:
        if kind == b"D":
            await self.on_data(payload)
        elif kind == b"P":
            await self.on_packed(payload)
        elif json.loads(payload)["type"] != "exit":
            await self.on_meta(payload)

    async def say_farewell(self, text: str) -> None:
        """Say on the page why the app has ended, and close it."""
        lines = text.strip().splitlines()
        with suppress(ConnectionError):
            await self.remote_write_str(json.dumps(["ended", clean(lines[-1]) if lines else ""]))
        await self.remote_close()

    async def stop(self) -> None:
        """Ask the app to end, wait until it has, and kill it if it does not."""
        try:
            async with asyncio.timeout(_GRACE):
                await super().stop()
        except TimeoutError:
            pass
        finally:
            if self._process is not None and self._process.returncode is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()


class Doorkeeper(Server):
    """Lets in who has the token, asks who they are, and opens the app for them."""

    def __init__(self, opening: Callable[[str], VisitorOpening]) -> None:
        """`opening` says on what the app is opened for a visitor of this name."""
        super().__init__("")
        self.token = secrets.token_urlsafe(32)
        self._opening = opening
        self._place = f"/{secrets.token_urlsafe(16)}/"
        self._names: dict[str, str] = {}
        self._pages: set[web.WebSocketResponse] = set()

    def app(self) -> web.Application:
        """Make the web application."""
        app = web.Application(middlewares=[self._guard])
        place = self._place
        app.add_routes(
            [
                web.get("/", self._enter),
                web.get(place, self._show),
                web.post(place, self._take_name),
                web.get(f"{place}ws", self.handle_websocket),
                web.get(f"{place}download/{{key}}", self.handle_download),
                web.get(f"{place}page.js", self._script),
                web.static(f"{place}static", self.statics_path),
            ]
        )
        app.on_response_prepare.append(self._harden)
        app.on_shutdown.append(self.on_shutdown)
        return app

    # -- who may come in

    @web.middleware
    async def _guard(self, request: web.Request, handler: Callable[[web.Request], Any]) -> web.StreamResponse:
        """Refuse what another page has a browser send, and what comes without the cookie."""
        if not _HERE.fullmatch(request.host):
            return self._page("This server answers to 127.0.0.1 and localhost alone.", status=403)
        # Browsers say where a socket or a form is from, and of a page only where it is not the address line.
        origin, names_origin = request.headers.get("Origin"), "Upgrade" in request.headers or request.method != "GET"
        if origin != f"http://{request.host}" and (names_origin or origin is not None):
            return self._page("Another page asked for this one; it is not shown there.", status=403)
        if request.path != "/" and self._cookie(request) not in self._names:
            return self._page(_CLOSED, status=403)
        if len(request.path) > _LONGEST_PATH:
            return self._page("This server has no such page.", status=404)
        response: web.StreamResponse = await handler(request)
        return response

    @staticmethod
    def _cookie(request: web.Request) -> str:
        return request.cookies.get(COOKIE, "")

    async def _enter(self, request: web.Request) -> web.Response:
        """Give a cookie for the token. The page goes on by itself: a redirect of another site's link would lack it."""
        if not compare_digest(request.query.get("token", "").encode(), self.token.encode()):
            return self._page(_CLOSED, status=403)
        key = secrets.token_urlsafe(32)
        self._names[key] = ""
        answer = self._page("Come in", {"head": _GO_ON.format(self._place)})
        answer.set_cookie(COOKIE, key, path=self._place, httponly=True, samesite="Strict")
        return answer

    @staticmethod
    async def _harden(request: web.Request, response: web.StreamResponse) -> None:
        """Nothing from elsewhere is loaded into a page, none is shown in another's, and no address is told."""
        own = "'self'"
        # Not every browser takes a socket for its own.
        sockets = f" ws://{request.host}" if _HERE.fullmatch(request.host) else ""
        policy = {
            **dict.fromkeys(("default-src", "base-uri", "frame-ancestors"), "'none'"),
            **dict.fromkeys(("script-src", "font-src", "img-src", "form-action"), own),
            "connect-src": f"{own}{sockets}",
            # The terminal writes styles of its own.
            "style-src": f"{own} 'unsafe-inline'",
        }
        response.headers["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in policy.items())
        response.headers["Referrer-Policy"] = "same-origin"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
        kept, _, name = response.headers.get("Content-Disposition", "").partition("; filename=")
        if name:
            response.headers["Content-Disposition"] = f"{kept}; filename*=UTF-8''{quote(name)}"

    # -- pages

    @staticmethod
    def _page(words: str, parts: Mapping[str, str] | None = None, *, status: int = 200) -> web.Response:
        """A page that says something; `parts` are what it holds besides, as HTML."""
        blank = {"head": "", "inside": "", "terminal": "", "place": ""}
        text = _PAGE.substitute({**blank, **(parts or {})}, words=escape(words))
        return web.Response(text=text, content_type="text/html", status=status)

    async def _show(self, request: web.Request) -> web.Response:
        if not self._names[self._cookie(request)]:
            return self._page("Who are you? Your tags, notes and rulings are kept under this name.", _NAME)
        return self._page("Opening ...", {**_APP, "place": self._place})

    async def _take_name(self, request: web.Request) -> web.Response:
        """Keep the name that somebody gave, and show the app; a page that is read again must not post it again."""
        compressed = "Content-Encoding" in request.headers
        if compressed or request.content_type != _FORM or (request.charset or "utf-8").lower() != "utf-8":
            return self._page("Send the name as the form of this page does.", status=415)
        try:
            typed = (await request.post()).get("name", "")
        except UnicodeDecodeError:
            return self._page("The name is not valid UTF-8. Enter it again.", _NAME, status=400)
        name = " ".join(clean(str(typed)).split())[:_LONGEST_NAME].strip()
        if not any(map(str.isalpha, name)):
            return self._page("Enter a name that contains a letter.", _NAME)
        self._names[self._cookie(request)] = name
        raise web.HTTPSeeOther(self._place)

    @staticmethod
    async def _script(_request: web.Request) -> web.FileResponse:
        return web.FileResponse(Path(__file__).parent / "page.js")

    # -- the app

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Open the app for a page, and end it with the page."""
        name = self._names[self._cookie(request)]
        if not name:
            # Without one it would be whoever started the server.
            raise web.HTTPForbidden
        page = web.WebSocketResponse(heartbeat=_BEAT)
        await page.prepare(request)
        guest = Guest(self._opening(name), page, self)
        self._pages.add(page)
        try:
            await guest.start(_size(request.query.get("width"), 80), _size(request.query.get("height"), 24))
            await self._pass_messages(page, guest)
        except OSError as error:
            await guest.say_farewell(f"The app does not start here: {error.strerror}")
        finally:
            self._pages.discard(page)
            await guest.stop()
        return page

    @staticmethod
    async def _pass_messages(page: web.WebSocketResponse, guest: Guest) -> None:
        """Forward messages of the page until it disconnects; close it at the first malformed one."""
        async for frame in page:
            match read_message(frame.data) if frame.type is WSMsgType.TEXT else None:
                case Stdin(""):
                    # Textual would take an empty text for the end of the input.
                    pass
                case Stdin(text):
                    await guest.send_bytes(text.encode())
                case Resized(size):
                    await guest.set_terminal_size(size.width, size.height)
                case Ping(stamp):
                    await page.send_json(["pong", stamp])
                case Focused():
                    await guest.focus()
                case Blur():
                    await guest.blur()
                case None:
                    await page.close(code=WSCloseCode.POLICY_VIOLATION)

    async def on_shutdown(self, app: web.Application) -> None:  # noqa: ARG002  # aiohttp's own
        """End every app, and say so."""

        async def end(page: web.WebSocketResponse) -> None:
            with suppress(ConnectionError):
                await page.send_str(json.dumps(["ended", "The server has ended."]))
            await page.close()

        await asyncio.gather(*map(end, self._pages))


def _of_textual(whole: dict[str, str]) -> dict[str, str]:
    """Those variables that tell the app where it is shown."""
    return {name: value for name, value in whole.items() if name.startswith("TEXTUAL") or name in {"COLUMNS", "ROWS"}}


def memory_of(process_id: int) -> int:
    """Return the bytes of private memory of a process, without mapped files; 0 if the system does not tell."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{process_id}/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _size(value: object, usual: int) -> int:
    """A number of columns or lines as a page told it, within reason."""
    with suppress(ValueError, TypeError):
        number = int(str(value))
        return min(max(number, _SIZE.start), _SIZE.stop - 1)
    return usual


def _is_fault_of_server(record: logging.LogRecord) -> bool:
    """Return whether a log record is about more than a malformed request, which is answered with 400."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, (HttpProcessingError, web.RequestPayloadError))


def serve(doorkeeper: Doorkeeper, listening: socket.socket) -> None:
    """Serve until the process is told to end; every app has ended then."""
    logging.getLogger("aiohttp.server").addFilter(_is_fault_of_server)
    # No log: it would hold the token.
    web.run_app(doorkeeper.app(), sock=listening, access_log=None, print=None, shutdown_timeout=2 * _GRACE)
