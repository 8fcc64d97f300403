"""The guide, page by page."""

import argparse

from inspector.cli.commands import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("page", nargs="?", metavar="PAGE", help="which one (default: the list of pages)")


VERB = Verb(("prm-inspect guide start", "prm-inspect guide own-data"), _flags, takes=(), document=False, rank=4)


def run(args: argparse.Namespace) -> int:
    """Print it, laid out on a terminal, through a pager where it is longer than the screen; else as it was written."""
    import sys
    from difflib import get_close_matches

    from inspector.cli.actions.paging import print_page, put_page, width_of
    from inspector.widgets.guide import KEYS, page, pages
    from scoring.data.errors import UsageError
    from scoring.data.names import near_names

    known = pages()
    if args.page is None:
        put_page("".join(f"{name:<10}  {title}\n" for name, title in known.items()))
        return 0
    if args.page not in known:
        near = get_close_matches(args.page, known, n=1)
        meant = f"; did you mean {near[0]}?" if near else "."
        others = near_names(args.page, near, "page")
        raise UsageError(
            f"the guide has no page {args.page!r}{meant}", f"There are: {', '.join(known)}.", instead=others
        )
    if args.page == KEYS:
        from inspector.widgets.guide.key_page import key_page

        text = key_page()
    else:
        text = page(args.page)
    if not sys.stdout.isatty():
        put_page(text)
        return 0
    from inspector.widgets.guide.laid_out import GuidePage

    width = min(width_of(100), 100)
    print_page([GuidePage(text)], width, pager=not args.quiet)
    return 0
