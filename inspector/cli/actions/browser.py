"""`serve`: the app in a browser, on this machine alone."""

import argparse
import errno
import socket
import sys
from importlib.util import find_spec

from inspector.cli.query_arguments import query_from
from inspector.state.visit import Visit
from scoring.data.errors import MissingExtra, UsageError
from scoring.workspace.workspace_place import demo_workspace, find_workspace_or_demo

HOST = "127.0.0.1"
_LAST_PORT = 65535
_BLOCKED = frozenset(
    (
        *(1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109),
        *(110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530),
        *(531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045),
        *(4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
    )
)
"""Ports that browsers do not open, from the Fetch standard: they are those of other services."""


def run(args: argparse.Namespace) -> int:
    """Serve until the process is told to end."""
    if find_spec("textual_serve") is None:
        raise MissingExtra("textual-serve", "serve")
    query = query_from(args)
    workspace = find_workspace_or_demo(query.workspace, query.benchmarks)
    root = str((workspace.root or demo_workspace()).resolve())
    with _listening(args.port) as listening:
        from inspector.cli.serving.server import Doorkeeper, serve
        from inspector.cli.serving.visitor import VisitorOpening

        doorkeeper = Doorkeeper(
            lambda who: VisitorOpening(query, Visit(who, writes=args.allow_write, root=root), ascii_only=args.ascii)
        )
        port = listening.getsockname()[1]
        print(f"http://{HOST}:{port}/?token={doorkeeper.token}", flush=True)
        if not args.quiet:
            may = "and import and score there" if args.allow_write else "and triage in a journal of their own"
            print(f"Whoever has this link can look at {workspace.place or 'the demo'} {may}.", file=sys.stderr)
            print(f"From another machine: ssh -L {port}:{HOST}:{port} HOST. Ctrl+C ends it.", file=sys.stderr)
        serve(doorkeeper, listening)
    return 0


def _listening(port: int) -> socket.socket:
    """A socket that listens on this machine alone.

    Raises:
        UsageError: nobody may, or no browser would look there.
    """
    other = "Name another: --port N (0 takes any that is free)."
    if port > _LAST_PORT or port in _BLOCKED:
        problem = f"there is no port {port}." if port > _LAST_PORT else f"browsers do not open port {port}."
        raise UsageError(problem, other)
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        why = {errno.EADDRINUSE: "is in use", errno.EACCES: "is not yours to open"}
        problem = why.get(error.errno or 0, f"cannot be opened ({error.strerror})")
        raise UsageError(f"port {port} {problem}.", other) from error
