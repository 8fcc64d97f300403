"""Addresses, against a real server on this machine alone: nothing here asks for any other address."""

import gzip
import ipaddress
import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import authored
from scoring.data.errors import InspectError, MissingExtra, UnreadableFile, UsageError
from scoring.importing import bringing, downloading
from scoring.importing.batch import ImportOptions, read_sources
from scoring.importing.downloading import Download, Location, _is_public
from scoring.importing.imported_files import original_row
from scoring.workspace.workspace import Workspace

N = 20
CASES = authored.rows(N)
WHOLE = authored.json_lines(CASES)
REWARDS = authored.json_lines({"id": row["id"], "rewards": [0.9, 0.2, 0.4]} for row in CASES)
SECRET = "hf_" + "a1B2c3D4" * 4


class Server(ThreadingHTTPServer):
    """Answers a path with the raw bytes that stand in `answers`; `asked` is what it was asked for."""

    daemon_threads = True

    def __init__(self):
        self.answers, self.asked = {}, []
        super().__init__(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def gives(self, path, raw, *, status="200 OK", length=None, **headers):
        length = len(raw) if length is None else length
        named = {"content-length": length, **{name.replace("_", "-"): value for name, value in headers.items()}}
        lines = [f"{name}: {value}" for name, value in named.items() if value != ""]
        self.answers[path] = "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + raw
        return self.url + path

    def leads(self, path, to):
        return self.gives(path, b"", status="302 Found", location=to)


class Answering(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        self.wfile.write(self.server.answers[self.path.partition("?")[0]])
        self.close_connection = True

    def do_CONNECT(self):
        self.server.asked.append((self.path, dict(self.headers)))
        self.wfile.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _nothing_else_is_asked(monkeypatch):
    """Names stand for what a test says, and no connection leaves this machine."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    connect = socket.socket.connect

    def local(self, address):
        assert address[0] == "127.0.0.1", address
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local)


def read(*urls, tell=lambda _: None):
    return read_sources(urls, ImportOptions(), None, None, tell)


def test_a_file_elsewhere_is_a_source_and_its_size_is_told_first(server):
    told = []

    def tell(line):
        # Nothing of the body was needed for it.
        told.append(line)

    found = read(server.gives("/a/sums.jsonl", WHOLE), tell=tell)
    (imported,) = found.imported
    assert (imported.cases["id"].to_list(), imported.findings) == ([row["id"] for row in CASES], ())
    assert imported.source == imported.path == f"{server.url}/a/sums.jsonl"
    assert told == [f"{server.url}/a/sums.jsonl: {len(WHOLE) / 1000:.1f} kB"]
    ((_, headers),) = server.asked
    assert headers["accept-encoding"] == "identity"


def test_what_comes_may_be_packed_by_name_or_on_the_way(server):
    packed = gzip.compress(WHOLE)
    for url in (
        server.gives("/sums.jsonl.gz", packed),
        server.gives("/sums.jsonl", packed, content_encoding="gzip"),
        server.gives(
            "/chunked.jsonl", b"%x\r\n%s\r\n0\r\n\r\n" % (len(WHOLE), WHOLE), length="", transfer_encoding="chunked"
        ),
    ):
        assert read(url).imported[0].cases.height == N
    url = server.gives("/other.jsonl", packed, content_encoding="br")
    with pytest.raises(UnreadableFile, match="packs its answer in a way that was not asked for"):
        read(url)


def test_a_size_that_is_not_known(server):
    told = []
    found = read(server.gives("/sums.jsonl", WHOLE, length=""), tell=told.append)
    assert found.imported[0].cases.height == N
    assert told == [f"{server.url}/sums.jsonl: size unknown"]


def test_what_stands_after_the_question_mark_is_sent_and_never_kept(server, tmp_path):
    workspace = Workspace.create(tmp_path / "ws")
    told = []
    for path, raw, states in (("/sums.jsonl", WHOLE, []), ("/my-prm.jsonl", REWARDS, ["new", "unchanged"])):
        url = server.gives(path, raw)
        for state in states or [None]:
            # A signed address is another one every time.
            found = read_sources(
                [f"{url}?token={SECRET}&n={len(server.asked)}"], ImportOptions(), workspace, None, told.append
            )
            _, saved = found.put(workspace)
            assert [one.state for one in saved] == [state] * len(saved)
    assert [one.results.name for one in found.joined] == ["my-prm"]
    assert all(SECRET in path for path, _ in server.asked)
    assert not any(SECRET in line or "token" in line for line in told)
    for path in (path for path in workspace.root.rglob("*") if path.is_file()):
        assert SECRET.encode() not in path.read_bytes()
    with pytest.raises(
        UnreadableFile, match=r"it was read from http://127\.0\.0\.1:\d+/sums\.jsonl\. Only files"
    ) as caught:
        original_row(workspace, workspace.cases()[0].row(0, named=True))
    assert SECRET not in str(caught.value)


def test_addresses_that_differ_only_in_what_is_not_kept_are_refused_together(server):
    url = server.gives("/file", WHOLE)
    with pytest.raises(UsageError, match="differ only after the"):
        read(f"{url}?id=1", f"{url}?id=2")
    assert read(f"{url}?id=1", f"{url}?id=1").imported[0].cases.height == N
    assert len(server.asked) == 1


# Servers that lie, fail, or break off.


def test_a_server_that_sends_less_than_it_said(server):
    url = server.gives("/sums.jsonl", WHOLE[:-40], length=len(WHOLE))
    (imported,) = read(url).imported
    assert imported.cases["id"].to_list() == [row["id"] for row in CASES][:-1]
    (finding,) = imported.findings
    assert (finding.severity, finding.code, finding.source) == ("warning", "cut-off", url)
    assert f"{len(WHOLE[:-40]) / 1000:.1f} kB of {len(WHOLE) / 1000:.1f} kB came" in finding.message
    assert f"{N - 1} whole lines of it were read" in finding.message


def test_a_server_that_breaks_off_without_a_size_or_within_a_packed_file(server):
    chunked = b"%x\r\n%s\r\n" % (len(WHOLE) + 99, WHOLE)
    url = server.gives("/sums.jsonl", chunked, length="", transfer_encoding="chunked")
    (imported,) = read(url).imported
    assert (imported.cases.height, [one.code for one in imported.findings]) == (N, ["cut-off"])
    # Bytes of a packed file that look like ends of lines are none.
    for when in (0, 0x0A0A0A0A):
        packed = gzip.compress(WHOLE, mtime=when)
        url = server.gives("/sums.jsonl.gz", packed[: len(packed) * 3 // 4], length=len(packed))
        (imported,) = read(url).imported
        assert 0 < imported.cases.height < N
        assert [one.code for one in imported.findings] == ["cut-off", "cut-off"]


def test_a_server_that_sends_more_than_it_said(server):
    # By the protocol the answer ends where it was said to: its last row is broken, and a finding.
    (imported,) = read(server.gives("/sums.jsonl", WHOLE, length=len(WHOLE) - 40)).imported
    assert (imported.cases.height, [one.code for one in imported.findings]) == (N - 1, ["broken-row"])
    # Where it says so twice, the larger one counts for the library, and the smaller one was told.
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(WHOLE), WHOLE)
    url = server.gives("/more.jsonl", chunked, length=500, transfer_encoding="chunked")
    with pytest.raises(UnreadableFile, match="the server sends more than the 500 bytes that it said"):
        read(url)


def test_what_is_too_large_is_refused_before_and_while_it_comes(server, monkeypatch):
    monkeypatch.setattr(bringing, "free_room", lambda _: 1000)
    for length in (len(WHOLE), ""):
        with pytest.raises(UnreadableFile, match=r"sums\.jsonl is larger than the 1 kB that there is room for"):
            read(server.gives("/sums.jsonl", WHOLE, length=length))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"raw": b"no", "status": "404 Not Found"}, "the server answers 404: there is no such file"),
        ({"raw": b"no", "status": "401 " + SECRET}, "the server answers 401: it wants a login"),
        ({"raw": b"", "status": "204 No Content", "length": ""}, "the server answers 204"),
        ({"raw": b" <!DOCTYPE html><html>"}, "is a web page"),
        ({"raw": b""}, "holds no rows"),
        ({"raw": b"", "length": 100}, "the connection was cut"),
        ({"raw": b"x", "length": "1e3"}, "the connection was cut, or what came is not HTTP"),
        ({"raw": b"", "status": "302 Found", "location": ""}, "leads on more than 5 times"),
        (
            {"raw": b"", "status": "302 Found", "location": "file:///etc/passwd"},
            "leads on to an address that is not read",
        ),
        ({"raw": b"", "status": "302 Found", "location": "http://[::1"}, "what came is not HTTP"),
    ],
)
def test_what_is_no_file_is_one_sentence(server, answer, sentence):
    url = server.gives("/x.jsonl", **answer)
    with pytest.raises(InspectError, match=sentence) as caught:
        read(url)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.next_step


def test_a_server_that_is_not_there_or_says_nothing(server, monkeypatch):
    monkeypatch.setattr(downloading, "SILENCE", 0.2)
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        port = mute.getsockname()[1]
        with pytest.raises(UnreadableFile, match="no connection to its host"):
            read(f"http://127.0.0.1:{port}/x.jsonl")
        mute.listen()
        with pytest.raises(UnreadableFile, match=r"the server fell silent for 0\.2 s"):
            read(f"http://127.0.0.1:{port}/x.jsonl?{SECRET}")
    with pytest.raises(UnreadableFile, match=r"no HTTP|no connection"):
        read(server.url.replace("http", "https") + "/x.jsonl")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here to make a certificate with")
def test_a_certificate_that_nobody_vouches_for_is_refused(server, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    command = ["openssl", *words.split(), "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.gives("/sums.jsonl", WHOLE)
    with pytest.raises(UnreadableFile, match="its certificate is not trusted"):
        read(f"https://127.0.0.1:{server.server_port}/sums.jsonl")
    assert server.asked == []


# Where an address may lead.


def test_redirects_on_the_host_that_was_named_are_followed_and_counted(server):
    server.gives("/end.jsonl", WHOLE)
    for number in range(5):
        server.leads(f"/{number}", f"/{number + 1}?signed={SECRET}" if number < 4 else "end.jsonl")
    found = read(f"{server.url}/0")
    assert (found.imported[0].cases.height, found.imported[0].source) == (N, f"{server.url}/0")
    with pytest.raises(UnreadableFile, match="more than 5 times"):
        read(server.leads("/start", "/0"))


@pytest.mark.parametrize(
    "target",
    [
        "https://10.0.0.1/x.jsonl",
        "https://192.168.1.1:8443/x.jsonl",
        "https://169.254.169.254/latest/meta-data",
        "https://127.0.0.2/x.jsonl",
        "https://localhost/x.jsonl",
        "https://a.localhost./x.jsonl",
        "https://[::1]/x.jsonl",
        "https://[fe80::1%25eth0]/x.jsonl",
        "https://[::ffff:10.0.0.1]/x.jsonl",
        "https://0.0.0.0/x.jsonl",
        "https://0x7f.1/x.jsonl",
        "https://2130706433/x.jsonl",
        "https://inside.example/x.jsonl",
        "//10.0.0.1/x.jsonl",
        "http://10.0.0.1/x.jsonl",
        "http://localhost/x.jsonl",
        "http://public.example/x.jsonl",
        "https://user:word@public.example/x.jsonl",
        "ftp://public.example/x.jsonl",
    ],
)
def test_redirects_into_this_network_or_to_plain_http_are_refused_unasked(server, monkeypatch, target):
    resolve = socket.getaddrinfo

    def named(host, *args, **more):
        known = {"inside.example": "10.1.2.3", "localhost": "127.0.0.1", "a.localhost.": "127.0.0.1"}
        return resolve(known.get(host, host), *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", named)
    url = server.leads("/x.jsonl", target)
    with pytest.raises(UnreadableFile, match=r"own network|plain http|only https|not known") as caught:
        read(url)
    assert "word" not in str(caught.value)
    assert len(server.asked) == 1


def test_a_host_that_stands_for_something_else_once_it_is_asked():
    download = Download("https://public.example/x", 1, lambda _: None)
    elsewhere = Location.read("https://other.example/x")
    download._refuse_inside(elsewhere, [ipaddress.ip_address("93.184.215.14")])
    for inside in ("10.0.0.1", "::1"):
        with pytest.raises(UnreadableFile, match=r"other\.example, in this machine's own network"):
            download._refuse_inside(elsewhere, [ipaddress.ip_address("93.184.215.14"), ipaddress.ip_address(inside)])
    with pytest.raises(UnreadableFile, match="a host that is not known"):
        download._refuse_inside(elsewhere, [])


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::1", False),
    ],
)
def test_which_addresses_are_everybodys(address, public):
    assert _is_public(ipaddress.ip_address(address)) is public


def test_the_machines_proxy_is_used_and_asked_for_the_host_alone(server, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", server.url)
    with pytest.raises(UnreadableFile, match=r"https://data\.example/x\.jsonl: the proxy refuses the connection"):
        read(f"https://data.example/x.jsonl?token={SECRET}")
    ((path, headers),) = server.asked
    assert path == "data.example:443"
    assert SECRET not in json.dumps(headers)
    # But not for this machine itself.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert read(server.gives("/sums.jsonl", WHOLE)).imported[0].cases.height == N


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "nonsense://127.0.0.1"])
def test_a_proxy_that_cannot_be_used_is_one_sentence(monkeypatch, proxy):
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(UnreadableFile, match=r"the proxy or certificates|no connection|no HTTP"):
        read("https://data.example/x.jsonl")


@pytest.mark.parametrize(
    "word",
    [
        "http://example.com/x.jsonl",
        "http://10.0.0.1/x.jsonl",
        "ftp://example.com/x.jsonl",
        "s3://bucket/x.jsonl",
        "https://",
        "https:///x.jsonl",
        "https://a b/x",
        "https://host:99999/x",
        "https://user:passphrase@example.com/x",
        "https://[::1/x",
    ],
)
def test_what_is_no_address_that_is_read_is_one_sentence(word):
    with pytest.raises(UsageError) as caught:
        read(f"{word}?token={SECRET}")
    assert SECRET not in str(caught.value)
    assert "passphrase" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_httpx_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtra) as caught:
        read("https://example.com/x.jsonl")
    assert "pip install 'prm-inspect[server]'" in caught.value.next_step


def test_a_key_within_a_path_is_masked():
    assert SECRET not in Location.read(f"https://example.com/{SECRET}/x.jsonl").name
