"""No command: import what was named, then open the app."""

import argparse
from dataclasses import replace

from inspector.documents import program_version
from inspector.shell.requests import request_of


def run(args: argparse.Namespace) -> int:
    """Open the app on the workspace."""
    if args.version:
        print(f"prm-inspect {program_version()}")
        return 0
    request = request_of(args)
    if args.paths:
        from inspector.selection import find_workspace
        from inspector.shell.importing import read_sources

        imported, _ = read_sources(args.paths)
        find_workspace(args.workspace, create=True).add(imported)
        request = replace(request, benchmarks=request.benchmarks or tuple({one.benchmark for one in imported}))
    from inspector.app import run_app

    return run_app(request, ascii_only=args.ascii, mouse=not args.no_mouse)
