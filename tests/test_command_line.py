"""The contract of the command line: which command takes which flag, what help says, and how wrong usage is told."""

import argparse
import json
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from inspector import cli
from inspector.analyses import Params, load
from inspector.cli.command_flags import COMMANDS, REMOVED, RENAMED, parser_of
from inspector.cli.command_parser import first_clause
from inspector.cli.commands.completion import SHELLS
from inspector.cli.query_arguments import query_from
from inspector.render.analysis_list import summaries
from inspector.state.common_flags import COMMON, common_help
from scoring.selection.query import Query
from thoroughness import THOROUGH

BEFORE = json.loads((Path(__file__).parent / "data" / "flags-0.1.json").read_text())
"""The flags that commands took when every command took every common one."""
CHOOSE = {"--where", "--search", "--in", "--slice", "--benchmark", "--subset", "--scorer", "--baselines"}
DECIDE = {"--threshold", "--rule", "--redundancy", "--protocol", "--unparsed", "--labels", "--seed"}
APP = {"--no-mouse", "--no-session-log"}
OF_THE_APP = {"", "demo"}
GONE = {
    "demo": {"--benchmark"},
    "import": CHOOSE - {"--benchmark"} | DECIDE - {"--threshold", "--rule"},
    "doctor": CHOOSE - {"--benchmark"} | DECIDE - {"--threshold", "--rule"},
    "score": CHOOSE - {"--where", "--slice"} | DECIDE - {"--seed"},
    "benchmarks": CHOOSE - {"--benchmark"} | DECIDE,
    "stats": {"--scorer"},
    "card": {"--scorer"},
    "check": {"--scorer"},
    **dict.fromkeys(("prms", "keys", "remove", "restore", "prune"), CHOOSE | DECIDE),
}
"""What commands took in 0.1, to no effect or only to refuse it, and take no more; the app's own flags beside."""
NEEDED = {
    "check": ["--baseline", "x"],
    "completion": ["bash"],
    "export": ["cases", "--to", "trl"],
    "import": ["x"],
    "paper": ["grben"],
    "remove": ["scorer", "x"],
    "score": ["x"],
    "show": ["x"],
    "similar": ["x"],
    "trees": ["x"],
    "watch": ["x"],
}
"""Words without which a command is nothing."""
VALUES = {"--shard": "1/2", "--cluster": "1x2", "--option": "a=1", "--rule": "<"}


@cache
def flags_of(command):
    """The flags that a command takes, with the action that argparse made of each."""
    known = parser_of(command)._option_string_actions
    return {flag: action for flag, action in known.items() if flag not in {"-h", "--help"}}


def at_once(command):
    """The flags of a command in as few lists as may be: in one no value is set twice, and none excludes another.

    The version is printed while words are read; test_cli has it.
    """
    apart = {
        action.dest: number
        for number, group in enumerate(parser_of(command)._mutually_exclusive_groups)
        for action in group._group_actions
    }
    lists = []
    for flag, action in flags_of(command).items():
        what = apart.get(action.dest, action.dest)
        if what != "version":
            fitting = next((known for known in lists if what not in known), None)
            if fitting is None:
                lists.append(fitting := {})
            fitting[what] = flag
    return [list(known.values()) for known in lists]


def given(flag, action):
    """A flag with as many values as it takes."""
    if action.nargs == 0:
        return [flag]
    value = str(next(iter(action.choices))) if action.choices else VALUES.get(flag, "1")
    return [flag, *([value] * (action.nargs if isinstance(action.nargs, int) else 1))]


@pytest.fixture
def refused(capsys):
    """The sentence with which words are refused."""

    def call(*words):
        with pytest.raises(SystemExit) as left:
            cli.parse(words)
        out, err = capsys.readouterr()
        assert (left.value.code, out) == (2, "")
        sentence, *corrected = err.splitlines()
        assert len(corrected) in {0, 2}, err
        assert "usage:" not in err
        return sentence

    return call


@pytest.fixture(scope="module")
def every_flag():
    """All flags of all commands -> an action that takes such a flag, and who takes it."""
    found = {}
    for command in ("", *COMMANDS):
        for flag, action in flags_of(command).items():
            found.setdefault(flag, (action, []))[1].append(command or "the app")
    return found


# -- who takes what


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_a_command_takes_its_flags_and_refuses_those_of_others(command, every_flag, refused):
    own, words = flags_of(command), [*([command] if command else []), *NEEDED.get(command, [])]
    who = f"prm-inspect {command}" if command else "prm-inspect without a command"
    for flags in at_once(command):
        args = cli.parse([*words, *(word for flag in flags for word in given(flag, own[flag]))])
        assert args.command == (command or None)
        for action in map(own.get, flags):
            assert vars(args)[action.dest] not in (None, False, ()) or action.const is None
    # Usually an eighth of them: each flag is refused by an eighth of the commands that lack it.
    part = slice(None) if THOROUGH else slice(["", *COMMANDS].index(command) % 8, None, 8)
    for flag, (action, takers) in [*every_flag.items()][part]:
        if flag in own:
            continue
        if flag not in COMMON and any(name.startswith(flag) for name in own if len(flag) > 2):
            # Short for one of its own, as it was in 0.1; or for several, which argparse says.
            continue
        sentence = refused(*words, *given(flag, action))
        told = re.fullmatch(r"(.+) takes no (\S+): (.+?) (and others do|and (.+) do|does)\. (.+)", sentence)
        assert told, sentence
        assert (told[1], told[2]) == (who, flag)
        assert {told[3], told[5] or told[3]} <= set(takers)
        assert ("others" in told[4]) == (len(takers) > 2)
        if flag in COMMON and command:
            assert refused(*given(flag, action), *words) == sentence


def test_the_refusal_names_the_command_and_who_takes_the_flag(refused):
    sentence = "prm-inspect prms takes no --threshold: metrics and others do. prm-inspect prms --help lists its flags."
    assert refused("prms", "--threshold", "0.3") == sentence
    assert refused("--threshold", "0.3", "prms") == sentence
    assert refused("prms", "--threshold=0.3") == sentence
    assert refused("prms", "--thresh", "0.3") == sentence
    assert refused("metrics", "--rows", "x").startswith("prm-inspect metrics takes no --rows: board and breakdown do. ")
    assert refused("keys", "--no-mouse").startswith("prm-inspect keys takes no --no-mouse: the app and others do. ")
    assert refused("import", "--scorer", "x", "a.json").endswith("--scorer-column which column does.")
    assert refused("remove", "scorer", "x", "--subset", "y").endswith("a benchmark with all its cases.")


@pytest.mark.parametrize("command", BEFORE["own"])
def test_what_0_1_took_is_taken_but_for_what_went(command, refused):
    if command in RENAMED:
        assert refused(command, "x").endswith(f": prm-inspect {RENAMED[command]} x")
        assert cli.parse([*RENAMED[command].split(), "x"]).scorers == ["x"]
        return
    if command in REMOVED:
        assert refused(command, "x").endswith(REMOVED[command])
        return
    took = {*BEFORE["common"], *BEFORE["own"][command]}
    gone = GONE.get(command, set()) | (set() if command in OF_THE_APP else APP)
    assert gone <= took
    assert took - flags_of(command).keys() == gone


def test_arguments_hold_the_usual_values_of_what_a_command_does_not_take():
    assert query_from(cli.parse(["prms"])) == Query()
    assert query_from(cli.parse(["-w", "x", "keys"])) == Query(workspace="x")


ASKED = {
    "agreement": ("blend ledger", Params("scorers")),
    "card": ("blend", Params()),
    "check": ("blend", Params(options={"baseline": "ledger"})),
    "show": ("blend", Params(options={"case": "algebra-012"})),
    "similar": ("blend", Params(options={"case": "algebra-012"})),
    "stats": ("blend", Params()),
}


@pytest.mark.parametrize("name", sorted(summaries().keys() - {"votes", "best-of-n", "paper", "timeline", "reparse"}))
def test_the_command_that_a_view_names_is_one_that_is_taken(name):
    scorers, params = ASKED.get(name, ("blend ledger", Params()))
    query = Query(
        benchmarks=("demo",),
        scorers=tuple(scorers.split()),
        where=("n_steps > 9",),
        search="the",
        within=("steps",),
        thresholds=(("blend", "0.4"),),
        rules=(("blend", "<="),),
        redundancy=((None, "0.5"),),
        protocol="processbench",
        unparsed="drop",
        seed=3,
        baselines=True,
    )
    analysis = load(name)
    view = analysis.view(analysis.load(query, params), params)
    words = shlex.split(view.provenance["command"])
    assert words[:2] == ["prm-inspect", name]
    again = query_from(cli.parse(words[1:]))
    assert (again.where, again.thresholds, again.seed) == (query.where, query.thresholds, 3)


# -- help


@pytest.fixture
def helped(capsys, monkeypatch):
    """Lines of help, on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words):
        code = 0
        try:
            code = cli.main(words)
        except SystemExit as left:
            code = left.code
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        return out.splitlines()

    return call


def examples_of(lines):
    """The command lines among those of help, without what is said of them."""
    return [line.partition("   (")[0].strip() for line in lines if line.startswith("  prm-inspect ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_screen(command, helped):
    lines = helped(command, "--help")
    assert len(lines) <= (45 if command in {"import", "score", "watch"} else 24)
    assert [line for line in lines if len(line) > 80] == []
    # What is too long for a line ends where something ends, and not anywhere.
    assert [line for line in lines if line.endswith("...")] == []
    usage = [line for line in lines if line.startswith(("usage: ", "       prm-inspect "))]
    purpose = lines[len(usage)]
    assert usage == lines[: len(usage)]
    assert usage[0].startswith(f"usage: prm-inspect {command}")
    assert re.fullmatch(r"[A-Z\d].+[.?!]", purpose)
    assert purpose[1:20] == COMMANDS[command].line[1:20]
    examples = examples_of(lines)
    assert len(examples) >= 2
    for example in examples:
        assert cli.parse(shlex.split(example)[1:]).command == command
    text = " ".join("\n".join(lines).split())
    assert re.search(r"Also: (\S+, )+(\.\.\.|\S+) \(prm-inspect help flags\)", text)
    own = parser_of(command).own_flags
    assert [flag for flag in own if not re.search(rf"(?<!\S){flag}(?![\w-])", text)] == []


@pytest.mark.parametrize(
    "example",
    [
        example
        for command in COMMANDS
        for example in parser_of(command).examples
        if "--benchmark demo" in example or example in {"prm-inspect keys", "prm-inspect help metrics"}
    ],
)
def test_examples_on_the_demo_do_something(example, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert cli.main(shlex.split(example)[1:]) == 0
    written = {path for path in tmp_path.iterdir() if path.name in example or path.name.endswith(".provenance.json")}
    assert capfd.readouterr().out or written
    assert set(tmp_path.iterdir()) == written


def test_help_of_the_program_lists_its_commands(helped):
    lines = helped("--help")
    assert lines == helped("help")
    assert [line for line in lines if len(line) > 80 or line.endswith("...")] == []
    listed = dict(line.split(maxsplit=1) for line in lines if re.match(r"  [a-z]", line))
    assert listed.keys() == COMMANDS.keys()
    assert all(COMMANDS[command].line.startswith(words) for command, words in listed.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_all_of_it_is_in_the_help_of_a_command_in_full(command, helped):
    text = " ".join(" ".join(helped("help", command)).split())
    parser = parser_of(command)
    hidden = {None, "", argparse.SUPPRESS}
    words = [action.help for action in parser._actions if action.help not in hidden and action.dest != "help"]
    words += [parser.epilog or "", parser.purpose, *parser.examples]
    assert [one for one in words if re.sub(r"\s", "", one) not in re.sub(r"\s", "", text)] == []
    told = [flag for flag, action in flags_of(command).items() if action.help != argparse.SUPPRESS]
    assert [flag for flag in told if flag not in text] == []


def test_what_common_flags_mean_is_told_of_each(helped):
    lines = helped("help", "flags")
    assert lines == common_help().splitlines()
    text = "".join("".join(lines).split())
    told = [flag for flag in COMMON.values() if flag.help != argparse.SUPPRESS]
    assert [flag.name for flag in told if "".join(f"{flag.name}{flag.help}".split()) not in text] == [
        # Something stands between their names and their words.
        flag.name
        for flag in told
        if flag.takes_a_value
    ]
    assert [flag.name for flag in told if "".join(flag.help.split()) not in text] == []


@pytest.mark.parametrize("command", ["", "demo"])
def test_no_session_log_is_accepted_and_hidden(command, capsys):
    """Scripts of 0.2 give it; it goes after 0.3."""
    words = [command] if command else []
    parsed = cli.parse([*words, "--no-session-log"])
    assert vars(parsed) == vars(cli.parse(words)) | {"no_session_log": True}
    for text in (parser_of(command).format_help(), parser_of(command).format_full_help(), common_help()):
        assert "session-log" not in text
    for shell in SHELLS:
        assert cli.main(["completion", shell]) == 0
        assert "session-log" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["last"], ["session.jsonl", "-w", "space"]])
def test_a_removed_command_says_that_it_was_removed(words, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refused("replay", *words).startswith("replay was removed in version 0.3. ")
    assert "replay" not in COMMANDS
    # A file of that name is a path like any other.
    (tmp_path / "replay").touch()
    assert cli.parse(["replay"]).paths == ["replay"]


def test_help_of_something_that_is_no_command(capsys):
    assert cli.main(["help", "metrcs"]) == 2
    assert "did you mean metrics?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "room", "short"),
    [
        ("a short one", 11, "a short one"),
        ("what it is; and what not", 20, "what it is"),
        ("what it is (a; b) for all; more", 26, "what it is (a; b) for all"),
        ("what it is (a; b) for all", 24, "what it is"),
        ("no end in sight anywhere", 20, "no end in sight ..."),
    ],
)
def test_a_text_is_cut_where_something_ends(text, room, short):
    assert first_clause(text, room) == short
    assert len(short) <= room


# -- wrong usage


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("metrics --treshold 1", "prm-inspect metrics takes no --treshold; did you mean --threshold? "),
        ("taxonomy --alike=3", "--alike takes no value: leave '3' out. "),
        ("metrics --nonsense", "prm-inspect metrics takes no --nonsense. "),
        ("metrics -x", "prm-inspect metrics takes no -x. "),
        ("metrics --seed -1", "--seed: -1 is below 0. "),
        ("metrics --seed", "--seed: expected one argument. "),
        ("metrics --json --csv", "--csv: not allowed with --json. "),
        ("metrics --se 1", "ambiguous option: --se could match "),
        ("show", "prm-inspect show needs CASE. "),
        ("check x", "prm-inspect check needs --baseline. "),
        ("import", "prm-inspect import needs PATH. "),
        ("show one two", "prm-inspect show has no place for 'two'. "),
        ("score demo --option x", "--option: 'x' is not NAME=VALUE. "),
    ],
)
def test_wrong_usage_is_one_sentence_and_says_where_to_look(words, sentence, refused):
    told = refused(*words.split())
    assert told.startswith(sentence)
    assert told.endswith(f" prm-inspect {words.split()[0]} --help lists its flags.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("metrics --seed x", "'x' is not a value of --seed: give a number."),
        ("metrics --seed 1.5", "'1.5' is not a value of --seed: give a whole number."),
        ("import a --wrong-below x", "'x' is not a value of --wrong-below: give a number."),
        ("metrics --unparsed maybe", "'maybe' is not a value of --unparsed. There are: wrong, drop."),
        (
            "metrics --labels orignal",
            "'orignal' is not a value of --labels; did you mean original? There are: original, adjudicated, both.",
        ),
        (
            "export case --to trl",
            "prm-inspect export takes no 'case'; did you mean cases? There are: cases, rewards, triage, variants.",
        ),
        (
            "metrcs --by x",
            "'metrcs' is neither a file nor a command; did you mean metrics? prm-inspect --help lists the commands.",
        ),
        (
            "--by x",
            (
                "prm-inspect without a command takes no --by: metrics and taxonomy do. "
                "prm-inspect --help lists the commands."
            ),
        ),
    ],
)
def test_a_wrong_value_or_command_is_told_with_what_there_is(words, sentence, refused):
    assert refused(*words.split()) == sentence


def test_what_was_typed_does_not_act_in_a_sentence_about_it(refused):
    for words in (["--\x1b[31m"], ["metrics", "--labels", "\x1b[31m"], ["show", "a", "\x1b[31m"], ["-\x07"]):
        assert refused(*words).isprintable()


def test_a_value_may_begin_with_a_dash_where_it_cannot_be_a_flag():
    assert cli.parse(["cases", "--where", "-n_steps < -5 OR n_steps=3"]).where == ("-n_steps < -5 OR n_steps=3",)
    assert cli.parse(["cases", "--where", "-x=1 OR y"]).where == ("-x=1 OR y",)
    assert cli.parse(["thresholds", "--flips", "-0.5", "-1"]).told_flips == ["-0.5", "-1"]
    assert cli.parse(["cases", "--where=--x"]).where == ("--x",)


def test_a_command_is_a_file(tmp_path):
    told = 'print("-" * args.many, args.where)'
    (tmp_path / "say_so.py").write_text(
        f"""'''Say so: nothing else.'''
from inspector.cli.commands import Verb

def _flags(parser):
    parser.add_argument("--many", type=int, default=3, help="how many dashes")

VERB = Verb(("prm-inspect say-so --many 2",), _flags, takes=("--where",), document=False)

def run(args):
    {told}
    return 7
"""
    )
    script = (
        "import sys; from inspector.cli import command_flags, commands, main; "
        f"commands.__path__.append({str(tmp_path)!r}); commands.verbs.cache_clear(); "
        "command_flags.COMMANDS['say-so'] = commands.verbs()['say-so']"
    )
    for words, code, part in (
        (["say-so", "--where", "n_steps > 2"], 7, "--- ('n_steps > 2',)"),
        (["--help"], 0, "  say-so      say so: nothing else"),
        (["say-so", "--help"], 0, "--many MANY"),
        (["say-so", "--scorer", "x"], 2, "say-so takes no --scorer: metrics and others do"),
    ):
        line = [sys.executable, "-c", f"{script}; sys.exit(main({words!r}))"]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert (done.returncode, part in done.stdout + done.stderr) == (code, True), done
