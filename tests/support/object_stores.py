"""A real server of object storage as a process, and a proxy before it that fails now and then.

The server is moto's: an emulator of S3 with users, keys and policies, whose conditional writes are right and whose
listings are never late. What a real store does beyond that, the proxy does: it answers 503, holds up or cuts an answer,
and gives the listing of a moment ago.
"""

import contextlib
import http.client
import http.server
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request

POLICIES = {
    "writer": {"Effect": "Allow", "Action": "s3:*", "Resource": "*"},
    "reader": {"Effect": "Allow", "Action": ["s3:Get*", "s3:List*"], "Resource": "*"},
    "owner": {"Effect": "Allow", "Action": "*", "Resource": "*"},
}
_CALLS_A_USER = 3


class StoreServer:
    """moto's server with one user a policy. `keys` are their credentials, as variables of the environment; in
    `environment` those of the one who may write stand beside where the store is.
    """

    scheme = "s3"
    endpoint = "AWS_ENDPOINT_URL"

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        # So many calls are needed to make the users; after them every request is checked.
        free = str(len(POLICIES) * _CALLS_A_USER)
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "moto.server", "-p", str(self.port)],
                env={**without_credentials(), "INITIAL_NO_AUTH_ACTION_COUNT": free},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/moto-api/data.json").close()  # noqa: S310  # of our own
                break
            except OSError:
                assert self._process.poll() is None
                time.sleep(0.02)
        self.keys = {name: self._user(name, policy) for name, policy in POLICIES.items()}
        self.s3 = self._client("s3", self.keys["owner"])
        self.environment = {self.endpoint: self.url, **self.keys["writer"]}

    def _client(self, service, keys):
        import boto3

        names = {"aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY"}
        known = {name: keys[variable] for name, variable in names.items()}
        return boto3.client(service, endpoint_url=self.url, region_name="us-east-1", **known)

    def _user(self, name, policy):
        iam = self._client("iam", {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "none"})
        iam.create_user(UserName=name)
        document = json.dumps({"Version": "2012-10-17", "Statement": [policy]})
        iam.put_user_policy(UserName=name, PolicyName="p", PolicyDocument=document)
        made = iam.create_access_key(UserName=name)["AccessKey"]
        return {"AWS_ACCESS_KEY_ID": made["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": made["SecretAccessKey"]}

    def bucket(self, name):
        self.s3.create_bucket(Bucket=name)
        return name

    def objects(self, bucket, prefix=""):
        """Every object's bytes, by its name."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        names = [one["Key"] for page in pages for one in page.get("Contents", ())]
        return {name: self.s3.get_object(Bucket=bucket, Key=name)["Body"].read() for name in names}

    def close(self):
        self._process.terminate()
        self._process.wait()


def without_credentials():
    return {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}


class FaultyProxy:
    """Passes requests on; `fault(method, path)` gives None, or what happens to one: "503", "cut", "slow", "stale",
    "lost" (it is done, and the answer gets lost), or a pair of a status and a body.
    """

    def __init__(self, port):
        self._port = port
        self.fault = lambda _method, _path: None
        self.counts = {}
        self.requests = []
        self.listings = {}
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                proxy.handle(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_one  # noqa: N815  # http.server calls them so

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def handle(self, request):
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length) if length else None
        kind = self.fault(request.command, request.path)
        self.requests.append((request.command, request.path, length))
        if kind is not None:
            self.counts[str(kind)] = self.counts.get(str(kind), 0) + 1
        if kind == "503":
            kind = (503, b"<Error><Code>SlowDown</Code></Error>")
        if isinstance(kind, tuple):
            self._answer(request, kind[0], {}, kind[1])
            return
        if kind == "slow":
            time.sleep(0.3)
        status, headers, answer = self._passed_on(request, body)
        listing = request.command == "GET" and "list-type=2" in request.path
        if kind == "stale" and listing and request.path in self.listings:
            status, headers, answer = self.listings[request.path]
        elif listing:
            self.listings[request.path] = status, headers, answer
        if kind in {"cut", "lost"}:
            with contextlib.suppress(OSError):
                if kind == "cut" and answer:
                    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer))
                    request.wfile.write(answer[: len(answer) // 2])
                request.connection.shutdown(socket.SHUT_RDWR)
            request.close_connection = True
            return
        self._answer(request, status, headers, answer)

    def _passed_on(self, request, body):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        # The signature is of the host that was asked.
        connection.request(request.command, request.path, body, dict(request.headers))
        got = connection.getresponse()
        answer = got.read()
        connection.close()
        return got.status, dict(got.getheaders()), answer

    def _answer(self, request, status, headers, answer):
        hidden = {"content-length", "transfer-encoding", "connection", "server", "date"}
        with contextlib.suppress(OSError):
            request.send_response(status)
            for name, value in headers.items():
                if name.lower() not in hidden:
                    request.send_header(name, value)
            size = headers.get("Content-Length", "0") if request.command == "HEAD" else str(len(answer))
            request.send_header("Content-Length", size)
            request.end_headers()
            if request.command != "HEAD":
                request.wfile.write(answer)

    def fail_now_and_then(self, share, seed=7, kinds=("503", "cut", "lost", "slow")):
        """Have about this share of the requests fail, one way or another."""
        rng, lock = random.Random(seed), threading.Lock()

        def fault(_method, _path):
            with lock:
                return rng.choice(kinds) if rng.random() < share else None

        self.fault = fault

    def close(self):
        self._server.shutdown()
        self._server.server_close()
