"""Who is let in, what pages hold, and what becomes of the apps behind them: over real sockets, without a browser."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
import threading
import zlib
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import aiohttp
import msgspec
import pytest
from aiohttp.test_utils import TestClient, TestServer
from yarl import URL

import hostile_folder
from inspector import cli
from inspector.cli.actions import browser as shell
from inspector.cli.serving import server
from inspector.cli.serving.page_messages import Blur, Focused, PageSize, Ping, Resized, Stdin, read_message
from inspector.cli.serving.server import COOKIE, Doorkeeper
from inspector.cli.serving.visitor import VisitorOpening
from inspector.state.visit import Visit
from inspector.widgets.textual_compat import Packets
from scoring.selection.query import Query
from scoring.workspace.triage.journal import Author
from served import PATIENCE, STUBBORN, child, children, command, gone

DEMO = Query(benchmarks=("demo",))


def opening(who, query=DEMO):
    return VisitorOpening(query, Visit(who, writes=False, root="/nowhere"))


@asynccontextmanager
async def doors(open_for=opening):
    """The server, and a client that keeps what cookies it is given."""
    keeper = Doorkeeper(open_for)
    # A cookie of an address without a name is kept too.
    async with TestClient(TestServer(keeper.app()), cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        yield keeper, client


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


def origin(client):
    return {"Origin": f"http://127.0.0.1:{client.port}"}


async def let_in(keeper, client, name="ann"):
    """Come in with the token, and say a name; the path of the app."""
    answer = await client.get("/", params={"token": keeper.token})
    place = re.search(r"0;url=(/[\w-]{20,}/)", await answer.text())[1]
    if name:
        await client.post(place, data={"name": name}, headers=origin(client))
    return place


async def shown(page, words):
    """Read what the app paints, until it has painted these words."""
    seen = b""
    async with asyncio.timeout(PATIENCE):
        while words not in seen:
            message = await page.receive()
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), (message, seen)
            seen += message.data if isinstance(message.data, bytes) else message.data.encode()


# -- who is let in


async def test_the_token_gives_a_cookie_for_one_path_and_everything_else_asks_for_it():
    async with doors() as (keeper, client):
        answer = await client.get("/", params={"token": keeper.token})
        cookie = answer.cookies[COOKIE]
        place = cookie["path"]
        assert (cookie["httponly"], cookie["samesite"], cookie["domain"], cookie["max-age"]) == (True, "Strict", "", "")
        assert len(cookie.value) > 40
        assert keeper.token not in await answer.text()
        for path in (place, f"{place}static/js/textual.js", f"{place}page.js"):
            assert (await client.get(path)).status == 200
        client.session.cookie_jar.clear()
        for path in (
            place,
            f"{place}static/js/textual.js",
            f"{place}page.js",
            f"{place}ws",
            f"{place}download/x",
            "/x",
        ):
            answer = await client.get(path)
            assert (answer.status, "Open the link" in await answer.text()) == (403, True)
        forged = await client.get(place, headers={"Cookie": f"{COOKIE}=; {COOKIE}=x"})
        assert forged.status == 403


@pytest.mark.parametrize("token", ["", "x", "é", "%00"])
async def test_a_wrong_token_gives_nothing_but_a_sentence(token):
    async with doors() as (keeper, client):
        for params in ({}, {"token": token}, {"token": keeper.token[:-1]}):
            answer = await client.get("/", params=params)
            text = await answer.text()
            assert (answer.status, dict(answer.cookies)) == (403, {})
            assert "Open the link that prm-inspect serve printed" in text
            assert keeper._place not in text


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "localhost:x", "10.0.0.1", ""]
)
async def test_another_host_is_refused_on_page_and_socket(host):
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        own = {"Host": host, "Origin": f"http://{host}"}
        for path in (f"/?token={keeper.token}", place, f"{place}static/js/textual.js"):
            answer = await client.get(path, headers=own)
            assert (answer.status, dict(answer.cookies)) == (403, {})
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{place}ws", headers=own)
        assert refused.value.status == 403
        assert children() == []


@pytest.mark.parametrize(
    "told", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", None]
)
async def test_another_origin_is_refused_on_page_and_socket(told):
    async with doors() as (keeper, client):
        place = await let_in(keeper, client, "")
        wrong = {} if told is None else {"Origin": told.format(port=client.port)}
        if told is not None:
            for path in (f"/?token={keeper.token}", place):
                assert (await client.get(path, headers=wrong)).status == 403
        assert (await client.post(place, data={"name": "eve"}, headers=wrong)).status == 403
        assert "Who are you?" in await (await client.get(place)).text()
        await client.post(place, data={"name": "ann"}, headers=origin(client))
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{place}ws", headers=wrong)
        assert refused.value.status == 403
        assert children() == []


async def test_another_port_at_the_end_of_a_tunnel_is_no_other_host():
    async with doors() as (keeper, client):
        place = await let_in(keeper, client, "")
        told = {"Host": "localhost:9000", "Origin": "http://localhost:9000"}
        answer = await client.post(place, data={"name": "ann"}, headers=told)
        assert (answer.status, "textual.js" in await answer.text()) == (200, True)


NO_NAMES = ("", "  ", "\u200b", "123", "...", "..", "../..", "_", "-", "/", "\0", "\u202e", "😀", "2/3", "\u0661")


async def test_nobody_without_a_name_gets_the_app():
    async with doors() as (keeper, client):
        place = await let_in(keeper, client, "")
        for name in NO_NAMES:
            answer = await client.post(place, data={"name": name}, headers=origin(client))
            assert "contains a letter" in await answer.text()
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{place}ws", headers=origin(client))
        assert refused.value.status == 403
        assert children() == []


@pytest.mark.parametrize("name", ["a", "题", "é", "1ß", "a/b", "../a", "Ж.", "con"])
async def test_a_name_with_a_letter_of_any_script_is_taken_and_is_no_path(name, monkeypatch):
    async with doors() as (keeper, client):
        place = await let_in(keeper, client, name)
        assert name in keeper._names.values()
        assert "textual.js" in await (await client.get(place)).text()
    monkeypatch.setenv("PRM_INSPECT_USER", name)
    assert Path(Author.me().file).name == Author.me().file


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"name=" + b"x" * (1 << 20), {}, 413),
        (b"name=\xff\xfe", {}, 400),
        (b"name=x", {"Content-Type": "application/x-www-form-urlencoded; charset=bogus"}, 415),
        (b"name=x", {"Content-Type": "multipart/form-data"}, 415),
        (b"name=x", {"Content-Type": "multipart/form-data; boundary=x"}, 415),
        (b'{"name": "x"}', {"Content-Type": "application/json"}, 415),
        (zlib.compress(b"name=x"), {"Content-Encoding": "deflate"}, 415),
    ],
    ids=range(7),
)
async def test_a_form_that_no_page_of_ours_sends_is_refused(body, headers, status):
    async with doors() as (keeper, client):
        place = await let_in(keeper, client, "")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = await client.post(place, data=BytesIO(body), headers={**origin(client), **form, **headers})
        assert answer.status == status
        assert {*keeper._names.values()} == {""}


@pytest.mark.parametrize("path", ["download/x", "download/%00", f"static/{'x' * 3000}", "static/%00", "x"])
async def test_an_address_that_is_nowhere_is_not_found(path):
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        assert (await client.get(URL(f"{place}{path}", encoded=True))).status in {403, 404}


async def test_pages_load_and_name_nothing_from_elsewhere():
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        for path in ("/", place, f"{place}page.js", f"{place}static/js/textual.js", f"{place}static/css/xterm.css"):
            answer = await client.get(path)
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
            assert answer.headers["Referrer-Policy"] == "same-origin"
            text = re.sub(r"/\*.*?\*/", "", await answer.text(), flags=re.DOTALL)
            assert re.findall(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//[^\"' ]+|url\([\"']?(?:https?:)?//", text) == []
        static = await client.get(f"{place}static/")
        assert static.status == 403


# -- the app behind a page


def starting(code):
    """Return what starts this program in the place of the app."""

    async def start(_module, *_, environment, **streams):
        return await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=environment, **streams)

    return start


HOSTILE = [
    *("no json", "", "{}", "[]", "null", "7", '"stdin"', '["stdin"]', '["stdin", 5]', '["stdin", "a", "b"]'),
    *('["stdin", "a"] x', '["stdin", "\\ud800"]', '["stdin", null]', '["resize"]', '["resize", {}]', '["resize", 7]'),
    *(
        '["resize", {"width": 1}]',
        '["resize", {"width": "a", "height": 1}]',
        '["resize", {"width": 1e999, "height": 1}]',
    ),
    *('["quit"]', '["deliver_chunk_request", {}]', '["focus", 1]', '["blur", []]', '["ping", {}]', '["ping", [[[1]]]]'),
    *(
        "[" * 100_000,
        f'["ping", {"[" * 100_000}',
        '{"a":' * 50_000,
        "\0",
        '[["stdin"], "x"]',
        b"\0\1",
        b'["stdin", "x"]',
    ),
]


def test_each_message_of_our_page_is_read_and_no_other():
    for said in HOSTILE:
        assert isinstance(said, bytes) or read_message(said) is None, said
    assert read_message('["stdin", "a\\u0000"]') == Stdin("a\0")
    assert read_message('["resize", {"width": 80, "height": 24}]') == Resized(PageSize(80, 24))
    assert read_message('["ping", "1700000000000"]') == Ping("1700000000000")
    assert (read_message('["focus"]'), read_message('["blur"]')) == (Focused(), Blur())
    assert read_message('["stdin", "\ud800"]') is None


@pytest.mark.parametrize(
    "said", ['["stdin", 5]', '["resize", {}]', '["quit"]', '["stdin", "\\ud800"]', "[" * 100_000, b"\0\1"], ids=range(6)
)
async def test_what_no_page_of_ours_says_closes_it(here, monkeypatch, said):
    monkeypatch.setattr(server, "start_python_async", starting(STUBBORN))
    monkeypatch.setattr(server, "_GRACE", 0.2)
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        async with client.ws_connect(f"{place}ws", headers=origin(client)) as page:
            number = await child()
            await (page.send_bytes(said) if isinstance(said, bytes) else page.send_str(said))
            last = await asyncio.wait_for(page.receive(), PATIENCE)
            assert (last.type, last.data) == (aiohttp.WSMsgType.CLOSE, aiohttp.WSCloseCode.POLICY_VIOLATION)
        await gone(number)


async def test_an_app_that_does_not_end_is_killed(here, monkeypatch):
    monkeypatch.setattr(server, "start_python_async", starting(STUBBORN))
    monkeypatch.setattr(server, "_GRACE", 0.2)
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        async with client.ws_connect(f"{place}ws", headers=origin(client)):
            number = await child()
        await gone(number)


async def test_an_app_that_cannot_show_anything_says_why_on_the_page(here):
    async with doors(lambda who: opening(who, Query(benchmarks=("demo",), scorers=("nobody",)))) as (keeper, client):
        place = await let_in(keeper, client)
        async with client.ws_connect(f"{place}ws", headers=origin(client)) as page:
            await shown(page, b"no scorer matches 'nobody'")
            assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
    assert children() == []


async def test_one_that_cannot_be_started_says_so(here, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        async with client.ws_connect(f"{place}ws", headers=origin(client)) as page:
            await shown(page, b"The app does not start here: No such file")


async def test_an_app_that_takes_too_much_memory_is_ended_and_the_page_says_so(here, monkeypatch):
    greedy = STUBBORN.replace("time.sleep", "x = b'x' * (200 << 20); time.sleep")
    monkeypatch.setattr(server, "start_python_async", starting(greedy))
    monkeypatch.setattr(server, "_MEMORY", 100 << 20)
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        async with client.ws_connect(f"{place}ws", headers=origin(client)) as page:
            await shown(page, b"GB of memory and was ended")
            assert (await page.receive()).type is aiohttp.WSMsgType.CLOSE
    assert children() == []


async def test_an_app_that_a_signal_ends_says_that_and_not_the_last_line_of_a_trace(here, monkeypatch):
    dying = "import os, sys; os.write(1, b'__GANGLION__\\n'); os.write(2, b'a trace'); os.abort()"
    monkeypatch.setattr(server, "start_python_async", starting(dying))
    async with doors() as (keeper, client):
        place = await let_in(keeper, client)
        async with client.ws_connect(f"{place}ws", headers=origin(client)) as page:
            await shown(page, b"(signal 6)")


async def test_a_hostile_visitor_gets_no_traceback_and_another_one_goes_on(tmp_path):
    """Over the sockets of the command itself: messages, malformed requests, absurd keys and a costly condition."""
    async with command("--benchmark", "demo", cwd=tmp_path) as (process, url):
        port = int(url.partition("/?")[0].rpartition(":")[2])
        async with page_of(url, "bob") as other:
            await shown(other, b"240 cases")
            for said in HOSTILE[::5]:
                async with page_of(url, "eve") as page:
                    await (page.send_bytes(said) if isinstance(said, bytes) else page.send_str(said))
                    async with asyncio.timeout(PATIENCE):
                        while (last := await page.receive()).type is not aiohttp.WSMsgType.CLOSE:
                            assert last.type in {aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT}
                    assert last.data == aiohttp.WSCloseCode.POLICY_VIOLATION
            for request in (
                b"GARBAGE",
                b"GET / HTTP/9.9",
                b"FOO / HTTP/1.1",
                b"GET /?token=" + b"x" * 9000 + b" HTTP/1.1",
            ):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(request + b"\r\n\r\n")
                assert b" 400 " in await asyncio.wait_for(reader.readline(), PATIENCE)
                writer.close()
            # Numbers beyond any key, an empty message, and a condition that would take the process.
            for typed in ("", "\x1b[1114112u", f"\x1b[<{'9' * 5000};1;1M"):
                await other.send_str(json.dumps(["stdin", typed]))
            for typed, seen in (
                ("gl", b"arithmetic-002"),
                (":", b"add"),
                ("LPAD(case, 50000000, 'x') = 'x'\r", b"use shorter texts"),
            ):
                await other.send_str(json.dumps(["stdin", typed]))
                await shown(other, seen)
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
        told = (await process.stderr.read()).decode()
        assert "Traceback" not in told
        assert "token=x" not in told


# -- the command


@pytest.fixture
def refused(capsys, tmp_path, monkeypatch):
    """The sentence with which the command is refused."""
    monkeypatch.setenv("PRM_INSPECT_WORKSPACE", "")
    monkeypatch.chdir(tmp_path)

    def call(*words):
        assert cli.main(["serve", *words]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        return err

    return call


@pytest.mark.parametrize(
    ("port", "told"),
    [
        ("6000", "browsers do not open port 6000. Name another: --port N"),
        ("65536", "there is no port 65536."),
        ("taken", "is in use. Name another: --port N (0 takes any that is free)."),
    ],
)
def test_a_port_that_is_no_good_is_told(refused, port, told):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = str(taken.getsockname()[1]) if port == "taken" else port
        assert told in refused("--benchmark", "demo", "--port", number)


def test_what_lacks_is_told_before_anything_listens(refused, monkeypatch):
    assert "nothing was imported here yet" in refused("--port", "0")
    monkeypatch.setattr(shell, "find_spec", lambda _: None)
    assert "pip install 'prm-inspect[serve]'" in refused("--benchmark", "demo", "--port", "0")


@asynccontextmanager
async def page_of(url, name="ann", size=""):
    """A page of the app behind an address, as a browser opens it."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        place = re.search(r"0;url=(\S+/)", await (await client.get(url)).text())[1]
        root = url.partition("/?")[0]
        await client.post(root + place, data={"name": name}, headers={"Origin": root})
        async with client.ws_connect(f"{root}{place}ws{size}", headers={"Origin": root}) as page:
            yield page


async def test_an_app_knows_who_is_there_and_ends_with_the_command_whose_log_holds_no_token(tmp_path):
    # So that aiohttp logs as much as it ever does.
    async with command("--benchmark", "demo", cwd=tmp_path, PYTHONASYNCIODEBUG="1") as (process, url):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{40,}", url)
        token = url.partition("token=")[2]
        async with page_of(url, " ann\x07 \u202e o'neil  ", "?width=100000&height=x") as page:
            await shown(page, b"240 cases")
            number = await child(process.pid)
            variables = Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
            (who,) = [value for value in variables if value.startswith(b"PRM_INSPECT_USER=")]
            assert who.endswith("=ann\u2407 \ufffd o'neil".encode())
            assert {b"COLUMNS=1000", b"ROWS=24"} < {*variables}
            assert not any(token.encode() in value for value in variables)
            process.send_signal(signal.SIGINT)
            await gone(number)
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
        told = (await process.stderr.read()).decode()
        assert token not in told
        assert "Whoever has this link can look at the demo" in told
        assert "Traceback" not in told


async def test_the_app_gets_words_with_quotes_and_blanks_as_they_are_and_ends_with_a_server_that_is_killed(tmp_path):
    condition = "n_steps > 2 and subset <> 'a \"b\" $HOME `x`'"
    async with (
        command("--benchmark", "demo", "--where", condition, "--ascii", cwd=tmp_path) as (process, url),
        page_of(url) as page,
    ):
        await shown(page, b"$HOME `x`")
        number = await child(process.pid)
        process.kill()
        await process.wait()
        await gone(number)
    assert not list(tmp_path.rglob("crash-*"))


async def test_a_visitor_runs_no_code_of_the_folder_that_the_server_was_started_in(tmp_path, monkeypatch):
    log = hostile_folder.enter(tmp_path, monkeypatch)
    async with command("--benchmark", "demo", cwd=Path.cwd()) as (_, url), page_of(url) as page:
        await shown(page, b"240 cases")
    assert hostile_folder.imported(log) == []


# -- what the app writes


def test_packets_of_two_threads_do_not_mix():
    out, into = os.pipe()
    packets = Packets(into, lambda: None)
    data = {letter: letter * 200_000 for letter in (b"a", b"b", b"c")}

    def write(letter):
        for _ in range(20):
            packets.write(data[letter])

    threads = [threading.Thread(target=write, args=(letter,)) for letter in data]
    for thread in threads:
        thread.start()
    with os.fdopen(out, "rb") as file:
        for _ in range(60):
            packet = file.read(200_000)
            assert packet == data[packet[:1]]
    for thread in threads:
        thread.join()
    os.close(into)


def test_of_a_pipe_that_nobody_reads_it_is_told_once():
    out, into = os.pipe()
    os.close(out)
    lost = []
    packets = Packets(into, lambda: lost.append(1))
    packets.write(b"x")
    packets.write(b"x")
    os.close(into)
    assert lost == [1]


def test_what_the_app_is_opened_on_comes_to_its_process_whole():
    told = VisitorOpening(
        Query(workspace="a 'b' \"c\"\n", thresholds=((None, "0.5"),)), Visit("ann", writes=True, root="/x")
    )
    assert msgspec.json.decode(msgspec.json.encode(told), type=VisitorOpening) == told
