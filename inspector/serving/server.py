"""The app in browsers: a web server on this machine alone, with a process of the app for each page that is open.

Whoever knows the token of the link gets a cookie, which is asked of everything else, and says who they are. The cookie
belongs to a path that nobody can guess: browsers send cookies to every port of a host, and on another port may listen
somebody else.

The page, and how it speaks with the app, are textual-serve's; its server asks nobody who they are, gives the browser's
request to a shell, and waits for ever for a process that does not end.
"""

import asyncio
import json
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
from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.server import Server

from inspector.serving.visitor import VisitorOpening, environment
from inspector.texts.text import clean
from scoring.python_child import start_python_async

COOKIE = "prm-inspect"
_HERE = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
"""What a browser here, or at the other end of a tunnel, calls this machine; another name was bent to us."""
_GRACE = 15.0
"""Seconds that the app may take to end: a scoring run saves what it has."""
_BEAT = 15.0
"""Seconds after which a page is asked whether it is still there."""
_LONGEST_NAME = 40
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

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        who = self._opening.visit.who
        self._process = process = await start_python_async(
            "inspector.serving.visitor",
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
            await process.wait()
            await self.say_farewell((await farewell).decode("utf-8", "replace"))
        finally:
            farewell.cancel()

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
        name = " ".join(clean(str((await request.post()).get("name", ""))).split())[:_LONGEST_NAME].strip()
        if not name:
            return self._page("A name needs a letter at least: who are you?", _NAME)
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
            await self._process_messages(page, guest)
        except OSError as error:
            await guest.say_farewell(f"The app does not start here: {error.strerror}")
        except (ValueError, TypeError, LookupError, AttributeError, AssertionError):
            # No page of ours says such a thing.
            await page.close()
        finally:
            self._pages.discard(page)
            await guest.stop()
        return page

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


def _size(value: object, usual: int) -> int:
    """A number of columns or lines as a page told it, within reason."""
    with suppress(ValueError, TypeError):
        number = int(str(value))
        return min(max(number, _SIZE.start), _SIZE.stop - 1)
    return usual


def serve(doorkeeper: Doorkeeper, listening: socket.socket) -> None:
    """Serve until the process is told to end; every app has ended then."""
    # No log: it would hold the token.
    web.run_app(doorkeeper.app(), sock=listening, access_log=None, print=None, shutdown_timeout=2 * _GRACE)
