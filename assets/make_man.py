"""Makes `assets/prm-inspect.1`, the manual page, of what the program knows of itself; the wheel installs it.

`python assets/make_man.py` writes it. Only variables and files stand here: no part of the program lists them.
"""

import argparse
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

from inspector.cli.command_flags import COMMANDS, THE_APP, parser_of
from inspector.state.common_flags import COMMON, GROUPS
from inspector.widgets.guide import pages
from scoring import __version__
from scoring.data.environment import WORKSPACE
from scoring.engines.server.address import GENERAL, OPENAI
from scoring.workspace.remote import LIMIT_VARIABLE
from scoring.workspace.triage.journal import ENVIRONMENT as USER

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "assets" / "prm-inspect.1"
VARIABLES = {
    WORKSPACE: "The workspace where --workspace names none: a folder, or an address.",
    USER: "Who rules, tags and writes notes, where that is not the name of the account.",
    GENERAL: f"The key of the server that --server names. {GENERAL}_HOST is that of one host, {GENERAL}_HOST_PORT that "
    "of one port of it, in capitals and with _ for what is neither letter nor digit. See `prm-inspect guide critics`.",
    OPENAI: "The key for api.openai.com, and for no other host.",
    LIMIT_VARIABLE: "How many bytes mirrors of workspaces on object storage may take (default: 20 GB).",
    "PAGER": "What shows a page that is longer than the terminal (default: less -R).",
    "VISUAL , EDITOR": "The editor in which Ctrl+E opens a note.",
    "NO_COLOR": "No colours, where it is not empty.",
}
FILES = {
    "./.prm-inspect": "The workspace, where no other is named.",
    "~/.local/share/prm-inspect": "The workspace where there is no ./.prm-inspect, and what was said of the demo.",
    "~/.config/prm-inspect/keymap.toml": "Other keys for the app: see `prm-inspect keys`.",
    "~/.local/state/prm-inspect": "How the app was left, and logs of crashes.",
    "~/.cache/prm-inspect": "Mirrors of workspaces on object storage.",
}
WIDTH = 64
"""Characters of an example that an entry has room for on a terminal of 80 columns."""
_TYPED = str.maketrans({"\\": r"\e", "-": r"\-", "'": r"\(aq", '"': r"\(dq", "~": r"\(ti", "^": r"\(ha", "`": r"\(ga"})
"""Signs that are drawn as something nicer unless they are written so."""


def manual() -> str:
    """Give the whole page, in mdoc(7)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    day = date.fromisoformat(cited.partition("date-released: ")[2].split()[0])
    app = parser_of("")
    about, _, codes = " ".join((app.epilog or "").split()).partition(" Exit codes: ")
    lines = [
        '.\\" Made by assets/make_man.py.',
        *(f".Dd {day:%B} {day.day}, {day.year}", ".Dt PRM-INSPECT 1", ".Os"),
        *(".Sh NAME", ".Nm prm-inspect", f".Nd {THE_APP.line}"),
        *(".Sh SYNOPSIS", ".Nm", ".Op Ar PATH ...", ".Op Ar options", ".Nm", ".Ar COMMAND", ".Op Ar options"),
        *(
            ".Sh DESCRIPTION",
            *_prose(f"{project['description']} This is version {__version__}."),
            ".Pp",
            *_prose(about),
        ),
        *(
            ".Sh COMMANDS",
            *_prose("`prm-inspect COMMAND --help` is one screen, and `prm-inspect help COMMAND` all of it."),
        ),
        *_listed((f"Cm {_plain(name)}", [*_prose(verb.line), *_examples(name)]) for name, verb in COMMANDS.items()),
        *(".Sh OPTIONS", *_prose("Without a command:")),
        *_flags(action for action in app._actions if not COMMON.keys() & {*action.option_strings}),  # noqa: SLF001
        ".Pp",
        *_prose("Commands share the following flags. Each takes those that it uses, before its name or behind it."),
    ]
    for title, flags in GROUPS.items():
        parser = argparse.ArgumentParser(add_help=False)
        for flag in flags:
            flag.add_to(parser)
        lines += [f".Ss {title.capitalize()}", *_flags(parser._actions)]  # noqa: SLF001  # no other way to all of them
    answers = re.findall(r"(\d+) (.+?)(?:, (?=\d)|\.$)", codes)
    lines += [
        *(".Sh GUIDE", *_prose("Each page is shown by `prm-inspect guide PAGE`:")),
        *_listed(((f"Cm {_plain(name)}", [_plain(title)]) for name, title in pages().items()), "own-data"),
        *(".Sh ENVIRONMENT", *_listed((f"Ev {name}", _prose(text)) for name, text in VARIABLES.items())),
        ".Pp",
        *_prose("Credentials for object storage come from where the store's own tools look for them."),
        *(".Sh FILES", *_listed((f"Pa {_plain(name)}", _prose(text)) for name, text in FILES.items())),
        ".Pp",
        *_prose("Those in the home folder lie where XDG variables say, or where macOS or Windows keep such things."),
        *(".Sh EXIT STATUS", *_listed(((code, _prose(text)) for code, text in answers), "130")),
    ]
    return "\n".join([*lines, ""])


def _listed(entries: Iterable[tuple[str, list[str]]], width: str = "Ds") -> Iterator[str]:
    yield f".Bl -tag -width {width}"
    for head, lines in entries:
        yield from (f".It {head}", *lines)
    yield ".El"


def _flags(actions: Iterable[argparse.Action]) -> Iterator[str]:
    """Flags and words of a command line, with what they mean."""
    entries = []
    for action in actions:
        if action.help == argparse.SUPPRESS:
            continue
        names = " , ".join(f"Fl {_plain(name[1:])}" for name in action.option_strings)
        value = str(action.metavar or "|".join(action.choices or ()))
        head = " ".join([*([names] if names else []), *([f"Ar {_plain(value)}"] if value else [])])
        entries.append((head, _prose((action.help or "").replace("%%", "%"))))
    return _listed(entries)


def _examples(command: str) -> Iterator[str]:
    """What a command's help has as examples: a remark behind one stands before it, and long ones are continued."""
    yield ".Bd -literal -compact -offset 2n"
    for example in parser_of(command).examples:
        line, _, remark = example.partition("   (")
        if remark:
            yield _plain(f"# {remark.removesuffix(')')}")
        first, *parts = re.split(r" (?=--?[a-z])", line)
        rows = [first]
        for part in parts:
            if len(f"{rows[-1]} {part} \\") > WIDTH:
                rows.append(f"    {part}")
            else:
                rows[-1] += f" {part}"
        yield _plain(" \\\n".join(rows))
    yield ".Ed"


def _prose(text: str) -> list[str]:
    """Give the lines of a sentence or several, each of which begins one, as mdoc wants it; no name is hyphenated."""
    whole = f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in '.:?!' else '.'}"
    quoted = re.sub(r"`(.+?)`", r"‘\1’", whole).translate(_TYPED).replace("‘", r"\(oq").replace("’", r"\(cq")
    safe = re.sub(r"\b(?=[A-Z_]{5,})", r"\\%", quoted).replace("e.g.", r"e.g.\&")
    sentences = re.split(r"(?<=[.?!]) (?=[^a-z])", safe)
    wrap = textwrap.TextWrapper(78, break_on_hyphens=False, break_long_words=False).wrap
    lines = [line for sentence in sentences for line in wrap(sentence)]
    return [f"\\&{line}" if line.startswith(".") else line for line in lines]


def _plain(text: str) -> str:
    return text.translate(_TYPED)


if __name__ == "__main__":
    PAGE.write_text(manual(), encoding="utf-8", newline="\n")
